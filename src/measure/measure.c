/* measure.c - the registry of measures and the checks that all of them share, so that each one is only its formula. */
#include "measure/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/matrix.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/plan.h"
#include "measure/replicate.h"

#define MEASURE(name) extern const measure measure_##name;
#include "measure/measures.def"
#undef MEASURE

#define MEASURE(name) &measure_##name,
static const measure *const measures[] = {
#include "measure/measures.def"
};
#undef MEASURE

enum { MEASURE_COUNT = sizeof measures / sizeof measures[0], LARGEST_CLASS_COUNT = 1 << 24 };

const gbv_measure_info *gbv_measure_at(size_t index)
{
    return index < MEASURE_COUNT ? &measures[index]->info : NULL;
}

static const measure *find(const char *name)
{
    for (size_t i = 0; name && i < MEASURE_COUNT; i++)
        if (strcmp(measures[i]->info.name, name) == 0)
            return measures[i];
    return NULL;
}

const gbv_measure_info *gbv_measure_find(const char *name)
{
    const measure *found = find(name);
    return found ? &found->info : NULL;
}

static const char *name_at(size_t index)
{
    return index < MEASURE_COUNT ? measures[index]->info.name : NULL;
}

static gbv_status unknown_measure(const char *name, gbv_error *error)
{
    const char *nearest = nearest_name(name ? name : "", name_at);
    return error_set(error, GBV_USAGE, "there is no measure \"%.64s\"%s%s: `gbv list measures` names them all",
                     name ? name : "", nearest ? "; the nearest is " : "", nearest ? nearest : "");
}

/* A position among names separated by '|', or SIZE_MAX. */
static size_t position_of(const char *names, const char *wanted)
{
    size_t length = strlen(wanted), position = 0;
    for (const char *name = names; *name; position++) {
        size_t name_length = strcspn(name, "|");
        if (name_length == length && memcmp(name, wanted, length) == 0)
            return position;
        name += name_length + (name[name_length] == '|');
    }
    return SIZE_MAX;
}

static gbv_status find_variant(const measure *m, const char *variant, size_t *index, gbv_error *error)
{
    *index = 0;
    if (!variant)
        return GBV_OK;
    if (!*m->info.variants)
        return error_set(error, GBV_USAGE, "the measure %s has one form only, not \"%.64s\": leave the variant out",
                         m->info.name, variant);
    *index = position_of(m->info.variants, variant);
    if (*index != SIZE_MAX)
        return GBV_OK;
    return error_set(error, GBV_USAGE, "the measure %s has no variant \"%.64s\": choose one of %s", m->info.name,
                     variant, m->info.variants);
}

static gbv_status missing(const measure *m, const char *what, const char *remedy, gbv_error *error)
{
    return error_set(error, GBV_USAGE, "the measure %s needs %s and none were given: %s", m->info.name, what, remedy);
}

static gbv_status check_pieces(const measure *m, const gbv_measure_input *input, gbv_error *error)
{
    unsigned needs = m->info.needs;
    if (input->targets.data && !m->takes_targets)
        return error_set(error, GBV_USAGE,
                         "the measure %s works on class labels, not on real targets: use logme for regression",
                         m->info.name);
    if (needs & GBV_NEEDS_LABELS && !input->labels && !input->targets.data)
        return missing(m, "labels", "give one per row (--labels), or use etran-energy, which needs none", error);
    if (needs & GBV_NEEDS_PROBABILITIES && !input->probabilities.data)
        return missing(m, "probabilities", "give what the model thinks of each row, rows x classes (--probabilities)",
                       error);
    if (needs & GBV_NEEDS_FEATURES && !input->features.data)
        return missing(m, "features", "give what the model sees in each row, rows x columns (--features)", error);
    if (needs & GBV_NEEDS_SOURCE_FEATURES && !input->source_features.data)
        return missing(m, "source features", "give the same readout of the source's own rows (--source-features)",
                       error);
    if (input->rows == 0)
        return error_set(error, GBV_BAD_INPUT, "there are no rows to measure: at least one is needed");
    return GBV_OK;
}

static gbv_status check_labels(gbv_measure_input *input, gbv_error *error)
{
    int32_t largest = 0;
    for (size_t i = 0; i < input->rows; i++) {
        int32_t label = input->labels[i];
        if (label < 0 || (input->class_count && (size_t)label >= input->class_count))
            return error_set(error, GBV_BAD_INPUT, "row %zu has the label %d; labels must be class indices in 0 to %zu",
                             i + 1, label, input->class_count ? input->class_count - 1 : LARGEST_CLASS_COUNT - 1);
        if (label > largest)
            largest = label;
    }
    if (!input->class_count)
        input->class_count = (size_t)largest + 1;
    if (input->class_count > LARGEST_CLASS_COUNT)
        return error_set(error, GBV_BAD_INPUT,
                         "the labels ask for %zu classes and at most %d are allowed: number the classes from 0",
                         input->class_count, LARGEST_CLASS_COUNT);
    return GBV_OK;
}

static gbv_status check_matrix(const gbv_matrix *matrix, size_t rows, const char *what, gbv_error *error)
{
    size_t row, column;
    if (matrix->rows != rows)
        return error_set(error, GBV_BAD_INPUT, "the %s have %zu rows and the reference set has %zu: give one per row",
                         what, matrix->rows, rows);
    if (matrix->columns == 0)
        return error_set(error, GBV_BAD_INPUT, "the %s have no columns: at least one is needed", what);
    if (matrix_find_non_finite(matrix, &row, &column))
        return error_set(error, GBV_BAD_INPUT,
                         "row %zu, column %zu of the %s holds %g; they must be finite: mend the row or leave it out",
                         row + 1, column + 1, what, gbv_matrix_get(matrix, row, column));
    return GBV_OK;
}

static gbv_status check_probability_shape(const gbv_measure_input *input, gbv_error *error)
{
    const gbv_matrix *matrix = &input->probabilities;
    if (matrix->rows != input->rows)
        return error_set(error, GBV_BAD_INPUT,
                         "the probabilities have %zu rows and there are %zu labels: give one row "
                         "for each label",
                         matrix->rows, input->rows);
    if (matrix->columns == 0)
        return error_set(error, GBV_BAD_INPUT, "the probabilities have no columns: at least one is needed");
    for (size_t z = 0; input->column_class && z < matrix->columns; z++) {
        int32_t class_index = input->column_class[z];
        if (class_index < -1 || (input->labels && class_index >= 0 && (size_t)class_index >= input->class_count))
            return error_set(error, GBV_BAD_INPUT,
                             "column %zu of the probabilities stands for class %d; classes are 0 to %zu, -1 for none",
                             z + 1, class_index, input->class_count - 1);
    }
    return GBV_OK;
}

gbv_status measure_check_probabilities(const double *values, size_t columns, size_t row, gbv_error *error)
{
    double sum = 0;
    for (size_t z = 0; z < columns; z++) {
        if (!isfinite(values[z]) || values[z] < 0)
            return error_set(error, GBV_BAD_INPUT,
                             "row %zu, column %zu of the probabilities holds %g; they must be finite and not negative: "
                             "mend the row or leave it out",
                             row + 1, z + 1, values[z]);
        sum += values[z];
    }
    if (!(sum < 1e30))
        return error_set(error, GBV_BAD_INPUT,
                         "row %zu of the probabilities adds up to %g: give numbers between 0 and 1", row + 1, sum);
    if (sum > 0)
        return GBV_OK;
    return error_set(error, GBV_BAD_INPUT,
                     "row %zu of the probabilities is zero everywhere; at least one class must have a positive "
                     "probability: mend the row or leave it out",
                     row + 1);
}

static gbv_status check_probabilities(const gbv_matrix *matrix, gbv_error *error)
{
    gbv_status status = GBV_OK;
    double *buffer = memory_array(matrix->columns, sizeof *buffer);
    if (!buffer)
        return error_out_of_memory(error, "a row of probabilities");
    for (size_t i = 0; i < matrix->rows && status == GBV_OK; i++)
        status = measure_check_probabilities(matrix_row(matrix, i, buffer), matrix->columns, i, error);
    free(buffer);
    return status;
}

static gbv_status check_numbers(const measure *m, const gbv_measure_input *input, gbv_error *error)
{
    unsigned needs = m->info.needs;
    gbv_status status = GBV_OK;
    if (needs & GBV_NEEDS_PROBABILITIES) {
        status = check_probability_shape(input, error);
        if (status == GBV_OK && !m->checks_probabilities)
            status = check_probabilities(&input->probabilities, error);
    }
    if (status == GBV_OK && needs & GBV_NEEDS_FEATURES)
        status = check_matrix(&input->features, input->rows, "features", error);
    if (status == GBV_OK && input->targets.data)
        status = check_matrix(&input->targets, input->rows, "targets", error);
    if (status != GBV_OK || !(needs & GBV_NEEDS_SOURCE_FEATURES))
        return status;
    if (input->source_features.rows == 0)
        return error_set(error, GBV_BAD_INPUT, "the source features have no rows: at least one is needed");
    if (input->source_features.columns != input->features.columns)
        return error_set(
            error, GBV_BAD_INPUT,
            "the source features have %zu columns and the features %zu: both must come from the same model",
            input->source_features.columns, input->features.columns);
    return check_matrix(&input->source_features, input->source_features.rows, "source features", error);
}

gbv_status gbv_measure_choose(const char *name, const char *variant, char chosen[GBV_VARIANT_LENGTH], gbv_error *error)
{
    const measure *m = find(name);
    if (!m)
        return unknown_measure(name, error);
    size_t position;
    gbv_status status = find_variant(m, variant, &position, error);
    if (status == GBV_OK)
        snprintf(chosen, GBV_VARIANT_LENGTH, "%.*s", (int)strcspn(variant ? variant : m->info.variants, "|"),
                 variant ? variant : m->info.variants);
    return status;
}

bool gbv_measure_is_joint(const char *name, const char *variant)
{
    char chosen[GBV_VARIANT_LENGTH];
    const measure *m = find(name);
    return m && m->info.joint && gbv_measure_choose(name, variant, chosen, NULL) == GBV_OK &&
           position_of(m->info.joint, chosen) != SIZE_MAX;
}

gbv_status measure_prepare(const char *name, const char *variant, const gbv_measure_input *given, measure_call *call,
                           gbv_error *error)
{
    if (!name || !given)
        return error_set(error, GBV_USAGE, "gbv_measure was called without a name, an input or a place for the score");
    if (!(call->m = find(name)))
        return unknown_measure(name, error);
    call->input = *given;
    gbv_status status = find_variant(call->m, variant, &call->variant, error);
    if (status == GBV_OK)
        status = check_pieces(call->m, &call->input, error);
    if (status == GBV_OK && call->m->info.needs & GBV_NEEDS_LABELS && !call->input.targets.data)
        status = check_labels(&call->input, error);
    return status == GBV_OK ? check_numbers(call->m, &call->input, error) : status;
}

static void clear_terms(double *row_terms, size_t rows)
{
    for (size_t i = 0; row_terms && i < rows; i++)
        row_terms[i] = NAN;
}

static gbv_status not_defined(const measure *m, gbv_error *error)
{
    return error_set(error, GBV_UNDEFINED,
                     "the measure %s is not defined for these numbers: check their scale, very large or very small "
                     "values overflow",
                     m->info.name);
}

gbv_status gbv_measure(const char *name, const char *variant, const gbv_measure_input *given, double *score,
                       double *row_terms, gbv_error *error)
{
    measure_call call;
    gbv_status status = measure_prepare(name, variant, score ? given : NULL, &call, error);
    if (status != GBV_OK)
        return status;
    double value = NAN;
    clear_terms(row_terms, call.input.rows);
    plan p = plan_begin(call.input.threads);
    call.input.threads = p.threads;
    status = call.m->compute(&call.input, call.variant, &value, row_terms, error);
    plan_end(p);
    if (status == GBV_OK && (isnan(value) || value == INFINITY))
        status = not_defined(call.m, error);
    if (status == GBV_OK)
        *score = value;
    return status;
}

size_t measure_part_count(const char *name, const char *variant)
{
    return gbv_measure_is_joint(name, variant) ? find(name)->joint.part_count : 1;
}

replicate_kind measure_replicate_kind(const char *name, const char *variant)
{
    const measure *m = find(name);
    size_t position = SIZE_MAX;
    if (!m || find_variant(m, variant, &position, NULL) != GBV_OK)
        return (replicate_kind){.step = 1};
    bool weighed = m->replicates.weighs_rows && position < m->replicates.variants;
    return (replicate_kind){weighed ? ROW_WEIGHT_STEP : 1, m->replicates.at_these_rows};
}

gbv_status measure_parts(const char *name, const char *variant, const gbv_measure_input *given, double *parts,
                         double *row_terms, gbv_error *error)
{
    measure_call call;
    if (!gbv_measure_is_joint(name, variant))
        return gbv_measure(name, variant, given, parts, row_terms, error);
    gbv_status status = measure_prepare(name, variant, given, &call, error);
    if (status != GBV_OK)
        return status;
    clear_terms(row_terms, call.input.rows);
    plan p = plan_begin(call.input.threads);
    call.input.threads = p.threads;
    status = call.m->joint.parts(&call.input, call.variant, parts, error);
    plan_end(p);
    for (size_t i = 0; status == GBV_OK && i < call.m->joint.part_count; i++)
        if (!isfinite(parts[i]))
            status = not_defined(call.m, error);
    return status;
}

gbv_status measure_combine(const char *name, const char *variant, const double *parts, size_t models, double *scores,
                           gbv_error *error)
{
    if (!gbv_measure_is_joint(name, variant)) {
        memcpy(scores, parts, models * sizeof *scores);
        return GBV_OK;
    }
    const joint_form *joint = &find(name)->joint;
    size_t width = joint->part_count, defined = 0;
    double *compared = memory_array(models, (width + 1) * sizeof *compared), *combined = compared + models * width;
    if (!compared)
        return error_out_of_memory(error, "the parts of the scores");
    for (size_t i = 0; i < models; i++)
        if (!isnan(parts[i * width]))
            memcpy(compared + width * defined++, parts + i * width, width * sizeof *parts);
    joint->combine(compared, defined, combined);
    defined = 0;
    for (size_t i = 0; i < models; i++)
        scores[i] = isnan(parts[i * width]) ? NAN : combined[defined++];
    free(compared);
    return GBV_OK;
}
