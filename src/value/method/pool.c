#include "value/method/pool.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "value/backbone.h"

/* The same rows as the pretrained network sees them. */
static void see_through(gbv_matrix features, sample_part *part)
{
    part->features = features;
    part->shape = (gbv_image_shape){0};
    part->images = NULL;
    part->rows = NULL;
    part->dense = NULL;
}

gbv_status pool_create(const valuation *v, pool **made, gbv_error *error)
{
    size_t count = v->source_count, rows = 0;
    pool *p = *made = memory_zeroed(1, sizeof *p);
    sample_part *parts = memory_zeroed(count, sizeof *parts);
    gbv_status status = GBV_OK;
    if (!p || !parts || !(p->first = memory_array(count + 1, sizeof *p->first))) {
        status = error_out_of_memory(error, "the rows of the sources");
        goto done;
    }
    for (size_t s = 0; s < count; s++) {
        p->first[s] = rows;
        rows += problem_source_sample(&v->given, s, &parts[s]).rows;
        if (v->backbone)
            see_through(backbone_of_source(v->backbone, s), &parts[s]);
    }
    p->first[count] = rows;
    p->labels = memory_array(rows, sizeof *p->labels);
    p->source = memory_array(rows, sizeof *p->source);
    if (!p->labels || !p->source) {
        status = error_out_of_memory(error, "the rows of the sources");
        goto done;
    }
    sample_part judged = {0};
    sample reference = v->targets[0].rows;
    if (v->backbone) {
        judged = (sample_part){.count = reference.rows, .row_weight = 1};
        see_through(backbone_of_target(v->backbone, v, &v->targets[0]), &judged);
        reference = sample_of(&judged);
    }
    sample all = {.parts = parts, .part_count = count, .rows = rows, .columns = reference.columns};
    sample_labels(&all, p->labels, NULL);
    for (size_t s = 0; s < count; s++)
        for (size_t i = p->first[s]; i < p->first[s + 1]; i++)
            p->source[i] = (uint32_t)s;
    p->judgment = v->targets[0].labels;
    status = embedding_create(&all, &reference, &p->points, error);
done:
    free(parts);
    if (status != GBV_OK) {
        pool_free(p);
        *made = NULL;
    }
    return status;
}

void pool_free(pool *p)
{
    if (!p)
        return;
    embedding_free(&p->points);
    free(p->first);
    free(p->source);
    free(p->labels);
    free(p);
}

double pool_mean(const pool *p, const double *values, size_t source_index)
{
    double sum = 0;
    size_t known = 0;
    for (size_t i = p->first[source_index]; i < p->first[source_index + 1]; i++)
        if (!isnan(values[i])) {
            sum += values[i];
            known++;
        }
    return known ? sum / (double)known : NAN;
}

gbv_status pool_redraw(const valuation *v, const pool *p, const double *values, scoring *by, gbv_error *error)
{
    size_t most = 0;
    for (size_t s = 0; s < v->source_count; s++)
        most = p->first[s + 1] - p->first[s] > most ? p->first[s + 1] - p->first[s] : most;
    double *known = memory_array(most, sizeof *known);
    if (!known)
        return error_out_of_memory(error, "rows drawn anew");
    for (size_t s = 0; s < v->source_count; s++) {
        size_t count = 0;
        for (size_t i = p->first[s]; i < p->first[s + 1]; i++)
            if (!isnan(values[i]))
                known[count++] = values[i];
        for (size_t r = 0; r < by->draws.refits && count; r++) {
            random_stream stream = random_stream_open_draw(v->options->model.seed, v->sources->items[s].name,
                                                           RANDOM_DRAW, (uint32_t)r + 1);
            double sum = 0;
            for (size_t i = 0; i < count; i++)
                sum += known[random_below(&stream, count)];
            by->scores[s * by->draws.count + draws_refits(&by->draws) + r] = sum / (double)count;
        }
    }
    free(known);
    return GBV_OK;
}
