#include "value/pieces.h"

#include "base/error.h"
#include "value/backbone.h"

static bool any_measure(const valuation *v, size_t scorings, unsigned needs, feature_origin features)
{
    for (size_t i = 0; i < scorings; i++)
        if (v->scorings[i].info && v->scorings[i].info->needs & needs && v->scorings[i].features == features)
            return true;
    return false;
}

static gbv_measure_input shared_input(const valuation *v, const target *t, gbv_matrix probabilities,
                                      const int32_t *column_class)
{
    return (gbv_measure_input){.rows = probabilities.rows,
                               .labels = t->labels,
                               .class_count = v->class_count,
                               .probabilities = probabilities,
                               .column_class = column_class,
                               .threads = v->given.model->threads,
                               .fast = v->options->fast};
}

static gbv_status read_out(const valuation *v, size_t scorings, const gbv_model *model, size_t index, const target *t,
                           arena *scratch, pieces *out, gbv_error *error)
{
    problem_case given = v->given;
    given.reference = &t->rows;
    const sample *rows = v->problem->varphi(&given, index).rows;
    size_t features = model_feature_count(model), outputs = model->outputs;
    bool wants_features = any_measure(v, scorings, GBV_NEEDS_FEATURES, FEATURES_OF_MODEL);
    readout on_target = {.probabilities = arena_array(scratch, rows->rows, outputs * sizeof(double)),
                         .threads = v->options->model.threads_per_model};
    if (wants_features)
        on_target.features = arena_array(scratch, rows->rows, features * sizeof(double));
    int32_t *column_class = arena_array(scratch, outputs, sizeof *column_class);
    if (!on_target.probabilities || (wants_features && !on_target.features) || !column_class)
        return error_out_of_memory(error, "the readout of a model");
    gbv_status status = model_read_out(model, rows, &on_target, scratch, error);
    if (status != GBV_OK)
        return status;
    for (size_t z = 0; z < outputs; z++)
        column_class[z] = (size_t)model->classes[z] < v->class_count ? model->classes[z] : -1;
    out->shared = shared_input(v, t, gbv_matrix_f64(on_target.probabilities, rows->rows, outputs), column_class);
    if (wants_features)
        out->features = gbv_matrix_f64(on_target.features, rows->rows, features);
    if (v->backbone) {
        out->embedded = backbone_of_target(v->backbone, v, t);
        out->own_embedded = backbone_of_source(v->backbone, index);
    }
    if (any_measure(v, scorings, GBV_NEEDS_SOURCE_FEATURES, FEATURES_ARE_OUTPUTS)) {
        sample_part part;
        sample own_rows = problem_source_sample(&v->given, index, &part);
        readout own = {.probabilities = arena_array(scratch, own_rows.rows, outputs * sizeof(double)),
                       .threads = on_target.threads};
        if (!own.probabilities)
            return error_out_of_memory(error, "the readout of a source");
        if ((status = model_read_out(model, &own_rows, &own, scratch, error)) != GBV_OK)
            return status;
        out->own_outputs = gbv_matrix_f64(own.probabilities, own_rows.rows, outputs);
    }
    return GBV_OK;
}

/* Rows that the reference skips are skipped. */
static gbv_status take_probabilities(const valuation *v, const source *s, const target *t, arena *scratch, pieces *out,
                                     gbv_error *error)
{
    size_t rows = v->reference->row_count;
    sample_part part = sample_part_of(s->dataset, v->reference->row_index, rows, NULL, NULL);
    sample used = sample_of(&part);
    size_t columns = used.columns;
    double *values = arena_array(scratch, rows, columns * sizeof *values);
    int32_t *column_class = arena_array(scratch, columns, sizeof *column_class);
    if (!values || !column_class)
        return error_out_of_memory(error, "the probabilities of a source");
    for (size_t z = 0; z < columns; z++)
        column_class[z] = t->labels ? source_column_class(s, &v->classes, z) : -1;
    out->shared =
        shared_input(v, t, gbv_matrix_f64(sample_block_f64(&used, 0, rows, values), rows, columns), column_class);
    return GBV_OK;
}

gbv_status pieces_read(const valuation *v, size_t scorings, const gbv_model *model, size_t source_index,
                       const target *t, arena *scratch, pieces *out, gbv_error *error)
{
    *out = (pieces){0};
    return model ? read_out(v, scorings, model, source_index, t, scratch, out, error)
                 : take_probabilities(v, &v->sources->items[source_index], t, scratch, out, error);
}

gbv_measure_input pieces_input(const pieces *p, const scoring *by)
{
    gbv_measure_input input = p->shared;
    switch (by->features) {
    case FEATURES_OF_MODEL:
        input.features = p->features;
        break;
    case FEATURES_ARE_OUTPUTS:
        input.features = input.probabilities;
        input.source_features = p->own_outputs;
        break;
    case FEATURES_OF_BACKBONE:
        input.features = p->embedded;
        input.source_features = p->own_embedded;
    }
    return input;
}
