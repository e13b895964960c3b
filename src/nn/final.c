#include "nn/final.h"

#include "base/error.h"

/* No source's name is empty, so that none shares the reference's draws. */
static const char reference_name[] = "";

/* Adds a part unless it does not count. E_s[mean over its rows] makes a row of source s weigh P(s)/n_s. */
static gbv_status add_part(const sample_part *given, const char *name, const double *weight,
                           const gbv_model_options *options, const refit *how, arena *scratch, sample_part *parts,
                           sample *data, gbv_error *error)
{
    if (given->count == 0 || (weight && *weight == 0))
        return GBV_OK;
    sample_part part = *given;
    part.row_weight = weight ? *weight / (double)given->count : 1;
    if (how->draw > 0) {
        random_stream stream = random_stream_open_draw(options->seed, name, RANDOM_DRAW, how->draw);
        sample_part whole = part;
        if (!sample_part_draw(&whole, &stream, false, scratch, &part))
            return error_out_of_memory(error, "the rows of a source");
    }
    parts[data->part_count++] = part;
    data->rows += part.count;
    return GBV_OK;
}

gbv_status final_fit(const final_data *data, const double *weights, const gbv_model_options *options, const refit *how,
                     arena *scratch, gbv_model **model, gbv_error *error)
{
    const gbv_sources *sources = data->sources;
    sample_part *parts = arena_array(scratch, sources->count + 1, sizeof *parts);
    *model = NULL;
    if (!parts)
        return error_out_of_memory(error, "the sources");
    sample rows = {.parts = parts,
                   .columns = data->reference ? data->reference->features.columns
                                              : sources->items[0].dataset->features.columns};
    gbv_status status = GBV_OK;
    for (size_t s = 0; s < sources->count && status == GBV_OK; s++) {
        const source *item = &sources->items[s];
        sample_part part =
            sample_part_of(item->dataset, item->rows, item->row_count, item->labels, data->classes->class_of_label);
        status = add_part(&part, item->name, weights ? weights + s : NULL, options, how, scratch, parts, &rows, error);
    }
    if (data->reference && status == GBV_OK)
        status = add_part(data->reference, reference_name, weights ? weights + sources->count : NULL, options, how,
                          scratch, parts, &rows, error);
    if (status == GBV_OK && !sample_index(&rows, scratch))
        status = error_out_of_memory(error, "the sources");
    refit own = *how;
    own.use = options->use;
    return status == GBV_OK ? model_refit(&rows, data->classes->count, options, "final", &own, scratch, model, error)
                            : status;
}
