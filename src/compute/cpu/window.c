#include "compute/cpu/window.h"

static bool tap_meets_image(size_t tap, size_t side, size_t out, size_t stride, size_t padding)
{
    for (size_t o = 0; o < out; o++)
        if (o * stride + tap >= padding && o * stride + tap < padding + side)
            return true;
    return false;
}

window window_of(size_t side, size_t out, size_t kernel, size_t stride, size_t padding, bool keep_all)
{
    size_t first = 0, end = kernel;
    if (!keep_all) {
        while (first < kernel && !tap_meets_image(first, side, out, stride, padding))
            first++;
        while (end > first + 1 && !tap_meets_image(end - 1, side, out, stride, padding))
            end--;
    }
    if (first == kernel || first > padding) { /* nothing meets the image */
        first = 0;
        end = kernel;
    }
    window w = {.first = first, .count = end - first, .before = padding - first};
    size_t reached = (out - 1) * stride + w.count, there = side + w.before;
    w.after = reached > there ? reached - there : 0;
    return w;
}
