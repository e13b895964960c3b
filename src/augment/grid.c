/* grid.c - the augmentors that stand for the ranges of all operators: five magnitudes each (paper, appendix). */
#include <math.h>

#include "augment/augment.h"
#include "base/error.h"
#include "base/memory.h"

/* The i-th of evenly spaced numbers in float32, counted from the nearer end as PyTorch's linspace does: the published
 * magnitudes are such numbers. */
static double evenly_spaced(float first, float last, size_t i)
{
    enum { LAST = GBV_GRID_MAGNITUDES - 1 };
    float step = (last - first) / LAST;
    return i < GBV_GRID_MAGNITUDES / 2 ? first + step * (float)i : last - step * (float)(LAST - i);
}

static double magnitude_of(const augment_operator *op, gbv_grid grid, size_t height, size_t width, size_t i)
{
    double first = op->grid[grid].first, last = op->grid[grid].last;
    if (op->info.of_side) {
        double side = (double)(op->along_width ? width : height);
        last = grid == GBV_GRID_CODE ? last * side : fmin(last, side); /* the paper's images are never that small */
    }
    double magnitude = evenly_spaced((float)first, (float)last, i);
    /* Translations keep the fractions of the authors' files; half a bit would only puzzle. */
    return op->whole_number && !op->info.of_side ? trunc(magnitude) : magnitude;
}

gbv_status gbv_grid_create(gbv_grid grid, size_t height, size_t width, gbv_augmentor **augmentors, size_t *count,
                           gbv_error *error)
{
    const augment_operator *op;
    size_t operators = 0, made = 0;
    while (augment_operator_at(operators))
        operators++;
    gbv_augmentor *all = memory_array(operators * GBV_GRID_MAGNITUDES, sizeof *all);
    if (!all)
        return error_out_of_memory(error, "the augmentors of a grid");
    for (size_t o = 0; (op = augment_operator_at(o)); o++)
        for (size_t i = 0; i < (op->info.has_magnitude ? GBV_GRID_MAGNITUDES : 1); i++)
            all[made++] =
                (gbv_augmentor){.op = &op->info,
                                .magnitude = op->info.has_magnitude ? magnitude_of(op, grid, height, width, i) : 0,
                                .coin = op->coin[grid]};
    *augmentors = all;
    *count = made;
    return GBV_OK;
}
