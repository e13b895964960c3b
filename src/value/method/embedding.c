#include "value/method/embedding.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "nn/scaling.h"

static float cut_off(double value)
{
    return value > EMBEDDING_LIMIT ? EMBEDDING_LIMIT : value < -EMBEDDING_LIMIT ? -EMBEDDING_LIMIT : (float)value;
}

/* `kept` names the columns; NULL when memory is out. */
static float *embed_rows(const sample *data, const scaling *s, const size_t *kept, size_t kept_count, size_t columns,
                         double *buffer)
{
    size_t cells, block_rows = scaling_block_rows(data->columns);
    float *rows = __builtin_mul_overflow(data->rows, columns, &cells) ? NULL : memory_zeroed(cells, sizeof *rows);
    for (size_t first = 0; rows && first < data->rows; first += block_rows) {
        size_t count = data->rows - first < block_rows ? data->rows - first : block_rows;
        scaling_block(s, data, first, count, buffer);
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < kept_count; j++)
                rows[(first + i) * columns + j] = cut_off(buffer[i * data->columns + kept[j]]);
    }
    return rows;
}

gbv_status embedding_create(const sample *sources, const sample *reference, embedding *e, gbv_error *error)
{
    arena scratch = {0};
    scaling s;
    size_t columns = sources->columns, kept_count = 0;
    *e = (embedding){.train_rows = sources->rows, .reference_rows = reference->rows};
    double *weights = arena_array(&scratch, sources->rows, sizeof *weights);
    size_t *kept = arena_array(&scratch, columns, sizeof *kept);
    double *buffer = arena_array(&scratch, columns, scaling_block_rows(columns) * sizeof *buffer);
    gbv_status status = GBV_OK;
    if (!weights || !kept || !buffer) {
        status = error_out_of_memory(error, "the rows as points");
        goto done;
    }
    for (size_t i = 0; i < sources->rows; i++)
        weights[i] = 1 / (double)sources->rows;
    fit_task task = {.data = sources, .weights = weights, .scratch = &scratch};
    if ((status = scaling_fit(&task, &s, error)) != GBV_OK)
        goto done;
    for (size_t j = 0; j < columns; j++)
        if (s.inverse[j] > 0)
            kept[kept_count++] = j;
    e->columns = kept_count ? kept_count : 1;
    e->train = embed_rows(sources, &s, kept, kept_count, e->columns, buffer);
    e->reference = embed_rows(reference, &s, kept, kept_count, e->columns, buffer);
    if (!e->train || !e->reference)
        status = error_out_of_memory(error, "the rows as points");
    if (status == GBV_OK)
        status = sample_check(sources, error);
    if (status == GBV_OK)
        status = sample_check(reference, error);
done:
    if (status != GBV_OK)
        embedding_free(e);
    arena_free(&scratch);
    return status;
}

void embedding_free(embedding *e)
{
    free(e->train);
    free(e->reference);
    *e = (embedding){0};
}
