#include "value/backbone.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/plan.h"
#include "nn/kind.h"

struct backbone {
    size_t columns;
    size_t count; /* sources, and after them the reference or the union of all sources */
    float **features;
    size_t *rows;
};

bool backbone_is_there(const gbv_model_options *options)
{
    const model_kind *kind = options->model ? model_kind_find(options->model) : NULL;
    return kind && kind->of_images && options->pretrained;
}

static gbv_status embed(const gbv_model *model, const sample *rows, float *features, gbv_error *error)
{
    arena scratch = {0};
    size_t numbers = rows->rows * model_feature_count(model);
    readout out = {.features = arena_array(&scratch, rows->rows, model_feature_count(model) * sizeof(double))};
    gbv_status status = out.features ? model_read_out(model, rows, &out, &scratch, error)
                                     : error_out_of_memory(error, "the features of the pretrained network");
    for (size_t i = 0; i < numbers && status == GBV_OK; i++)
        features[i] = (float)out.features[i];
    arena_free(&scratch);
    return status;
}

/* The rows numbered `index`: of a source, or what all of them are judged by. */
static sample rows_of(const valuation *v, size_t index, sample_part *part)
{
    return index < v->source_count ? problem_source_sample(&v->given, index, part) : v->targets[0].rows;
}

static gbv_status embed_all(const valuation *v, const gbv_model *model, backbone *b, gbv_error *error)
{
    gbv_status failed = GBV_OK;
    size_t failed_index = SIZE_MAX;
    int workers = (int)plan_workers(v->threads, b->count);
#pragma omp parallel for schedule(dynamic) num_threads(workers)
    for (size_t i = 0; i < b->count; i++) {
        sample_part part;
        gbv_error own;
        sample rows = rows_of(v, i, &part);
        const gbv_model_options *o = &v->options->model;
        bool stop = __atomic_load_n(&failed, __ATOMIC_RELAXED) == GBV_INTERRUPTED;
        gbv_status status = stop ? GBV_INTERRUPTED : embed(model, &rows, b->features[i], &own);
#pragma omp critical(gbv_value_backbone)
        {
            if (status == GBV_OK && o->progress && o->progress(o->context, "features", i, b->count))
                status = error_set(&own, GBV_INTERRUPTED, "interrupted while the pretrained network saw the rows");
            if (status != GBV_OK && !stop && i < failed_index) {
                failed_index = i;
                __atomic_store_n(&failed, status, __ATOMIC_RELAXED);
                if (error)
                    *error = own;
            }
        }
    }
    return failed;
}

gbv_status backbone_create(const valuation *v, backbone **made, gbv_error *error)
{
    const gbv_model_options *o = &v->options->model;
    gbv_model *model = NULL;
    backbone *b = memory_zeroed(1, sizeof *b);
    *made = NULL;
    gbv_status status = b ? gbv_model_read_pretrained(o->pretrained, o->model, &model, error)
                          : error_out_of_memory(error, "the pretrained network");
    if (status == GBV_OK)
        status = gbv_model_run_with(model, o->backend, 1, error);
    if (status == GBV_OK) {
        model->normalise = normalisation_find(gbv_model_resolve(o, 1).normalise); /* as m_s sees the pixels */
        /* Without a reference sources are judged by each other, one by one: there is nothing more to embed. */
        b->count = v->source_count + !valuation_is_crowd(v);
        b->columns = model_feature_count(model);
        b->features = memory_zeroed(b->count, sizeof *b->features);
        b->rows = memory_zeroed(b->count, sizeof *b->rows);
        bool ok = b->features && b->rows;
        for (size_t i = 0; i < b->count && ok; i++) {
            sample_part part;
            b->rows[i] = rows_of(v, i, &part).rows;
            ok = (b->features[i] = memory_array(b->rows[i], b->columns * sizeof **b->features));
        }
        status = ok ? embed_all(v, model, b, error) : error_out_of_memory(error, "the features of the rows");
    }
    gbv_model_free(model);
    if (status == GBV_OK)
        *made = b;
    else
        backbone_free(b);
    return status;
}

void backbone_free(backbone *b)
{
    if (!b)
        return;
    for (size_t i = 0; b->features && i < b->count; i++)
        free(b->features[i]);
    free(b->features);
    free(b->rows);
    free(b);
}

static gbv_matrix view(const backbone *b, size_t index)
{
    return gbv_matrix_f32(b->features[index], b->rows[index], b->columns);
}

gbv_matrix backbone_of_source(const backbone *b, size_t source_index)
{
    return view(b, source_index);
}

gbv_matrix backbone_of_target(const backbone *b, const valuation *v, const target *t)
{
    return view(b, t->source == SIZE_MAX ? v->source_count : t->source);
}
