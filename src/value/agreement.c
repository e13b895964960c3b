#include "value/agreement.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "value/correlation.h"

gbv_status rank_agreement(const gbv_score *first, const gbv_score *other, size_t count, double *agreement,
                          gbv_error *error)
{
    size_t used = 0;
    double *scores = memory_array(count, 2 * sizeof *scores);
    *agreement = NAN;
    if (!scores)
        return error_out_of_memory(error, "the agreement of measures");
    for (size_t i = 0; i < count; i++)
        if (!isnan(first[i].score) && !isnan(other[i].score)) {
            scores[used] = first[i].score;
            scores[count + used++] = other[i].score;
        }
    gbv_status status = correlation_kendall(scores, scores + count, used, agreement, error);
    free(scores);
    return status;
}
