#include "value/trained_weights.h"

#include <math.h>

static const double SMALLEST_SHARE = 1e-8, SAME_WEIGHT = 1e-9;

void trained_weights_trim(double *weights, size_t count)
{
    double largest = 0;
    for (size_t s = 0; s < count; s++)
        largest = fmax(largest, weights[s]);
    for (size_t s = 0; s < count; s++)
        if (weights[s] < SMALLEST_SHARE * largest)
            weights[s] = 0;
}

bool trained_weights_same(const double *a, const double *b, size_t count)
{
    bool same = true;
    for (size_t s = 0; s < count && same; s++)
        same = fabs(a[s] - b[s]) <= SAME_WEIGHT;
    return same;
}
