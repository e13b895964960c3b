#include "base/select.h"

/* Hoare's selection. */
void select_largest(double *values, size_t count, size_t wanted)
{
    ptrdiff_t low = 0, high = (ptrdiff_t)count - 1, last = (ptrdiff_t)wanted - 1;
    while (low < high) {
        double pivot = values[low + (high - low) / 2];
        ptrdiff_t i = low, j = high;
        while (i <= j) {
            while (values[i] > pivot)
                i++;
            while (values[j] < pivot)
                j--;
            if (i <= j) {
                double kept = values[i];
                values[i++] = values[j];
                values[j--] = kept;
            }
        }
        /* low..j are at least the pivot, i..high at most, and what lies between is the pivot. */
        if (last <= j)
            high = j;
        else if (last >= i)
            low = i;
        else
            break;
    }
}
