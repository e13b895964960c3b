#include "value/method/gold_accuracy_kernel.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

gbv_status gold_accuracy_kernel(const overlap *o, annotator_score *scores, gbv_error *error)
{
    size_t *right = memory_zeroed(o->source_count, sizeof *right),
           *items = memory_zeroed(o->source_count, sizeof *items);
    gbv_status status = right && items ? GBV_OK : error_out_of_memory(error, "the accuracy on gold items");
    if (status != GBV_OK)
        goto done;
    for (size_t item = 0; item < o->item_count; item++)
        for (size_t i = o->first[item]; o->gold[item] >= 0 && i < o->first[item + 1]; i++) {
            items[o->sources[i]]++;
            right[o->sources[i]] += o->classes[i] == o->gold[item];
        }
    for (size_t s = 0; s < o->source_count; s++)
        scores[s] = annotator_score_of_share((double)right[s] / (double)items[s], items[s]);
done:
    free(right);
    free(items);
    return status;
}
