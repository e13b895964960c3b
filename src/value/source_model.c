#include "value/source_model.h"

#include "nn/kind.h"
#include "value/store/model_cache.h"

gbv_status source_model(const valuation *v, size_t source_index, const refit *how, arena *scratch, gbv_model **model,
                        bool *found, gbv_error *error)
{
    const gbv_model_options *options = v->given.model;
    const char *name = v->sources->items[source_index].name;
    sample_part part;
    sample rows = problem_source_sample(&v->given, source_index, &part);
    char key[65];
    *found = false;
    if (!options->cache || !model_kind_find(options->model)->of_images)
        return v->problem->phi(&v->given, source_index, how, scratch, model, error);
    gbv_model_options resolved = gbv_model_resolve(options, rows.rows);
    gbv_status status = model_cache_key(&rows, v->classes.count, &resolved, name, how->draw, key, error);
    if (status != GBV_OK)
        return status;
    if ((*model = model_cache_find(options->cache, key))) {
        *found = true;
        return GBV_OK;
    }
    status = v->problem->phi(&v->given, source_index, how, scratch, model, error);
    if (status == GBV_OK)
        model_cache_keep(options->cache, options->cache_bytes, key, name, rows.rows, *model);
    return status;
}
