#include "value/source_model.h"

#include "nn/kind.h"
#include "value/store/model_cache.h"

/* What the model is kept under; *kept is false for one that never is. */
static gbv_status find_key(const valuation *v, size_t source_index, uint32_t draw, const gbv_model_options *options,
                           bool *kept, char key[65], gbv_error *error)
{
    sample_part part;
    *kept = options->cache && *options->cache && model_kind_find(options->model)->of_images;
    if (!*kept)
        return GBV_OK;
    sample rows = problem_source_sample(&v->given, source_index, &part);
    gbv_model_options resolved = gbv_model_resolve(options, rows.rows);
    return model_cache_key(&rows, v->classes.count, &resolved, v->sources->items[source_index].name, draw, key, error);
}

gbv_status source_model_is_kept(const valuation *v, size_t source_index, uint32_t draw, bool *kept, gbv_error *error)
{
    const gbv_model_options *options = &v->options->model;
    char key[65];
    gbv_status status = find_key(v, source_index, draw, options, kept, key, error);
    *kept = status == GBV_OK && *kept && model_cache_has(options->cache, key);
    return status;
}

gbv_status source_model(const valuation *v, size_t source_index, const refit *how, arena *scratch, gbv_model **model,
                        model_origin *origin, gbv_error *error)
{
    const gbv_model_options *options = v->given.model;
    const source *s = &v->sources->items[source_index];
    bool kept;
    char key[65];
    gbv_status status = find_key(v, source_index, how->draw, options, &kept, key, error);
    *origin = MODEL_TRAINED;
    if (status != GBV_OK)
        return status;
    if (kept && (*model = model_cache_find(options->cache, key))) {
        *origin = MODEL_FOUND;
        (*model)->backend = backend_find(options->backend); /* as if it had just been trained with it */
        return GBV_OK;
    }
    status = v->problem->phi(&v->given, source_index, how, scratch, model, error);
    if (status == GBV_OK && kept &&
        !model_cache_keep(options->cache, options->cache_bytes, key, s->name, s->row_count, *model))
        *origin = MODEL_NOT_KEPT;
    return status;
}
