#include "value/method/annotator_score.h"

#include <math.h>

#define NORMAL_95 1.6448536269514722 /* 5 % of a normal distribution lie beyond it on either side */

annotator_score annotator_score_of_share(double share, size_t items)
{
    if (items == 0)
        return (annotator_score){.score = NAN, .low = NAN, .high = NAN};
    share = fmin(1, share); /* sums of shares may be off by a rounding */
    double n = (double)items, z2 = NORMAL_95 * NORMAL_95, middle = (share + z2 / (2 * n)) / (1 + z2 / n),
           half = NORMAL_95 / (1 + z2 / n) * sqrt(share * (1 - share) / n + z2 / (4 * n * n));
    /* At 0 and 1 the interval ends there, but for rounding. */
    return (annotator_score){.score = share,
                             .low = fmax(0, fmin(share, middle - half)),
                             .high = fmin(1, fmax(share, middle + half)),
                             .items = items};
}
