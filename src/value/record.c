#include "value/record.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/plan.h"
#include "base/sentence.h"
#include "nn/weights.h"
#include "value/confusion.h"
#include "value/posterior.h"
#include "value/result.h"

bool record_names(gbv_result *result, const valuation *v)
{
    for (size_t i = 0; i < result->source_count; i++) {
        result->sources[i].rows = v->sources->items[i].row_count;
        if (!(result->sources[i].name = strdup(v->sources->items[i].name)))
            return false;
    }
    return true;
}

bool record_measures(gbv_result *result, const valuation *v)
{
    if (!result_make_measures(result, v->scoring_count))
        return false;
    for (size_t m = 0; m < v->scoring_count; m++) {
        const scoring *from = &v->scorings[m];
        gbv_measure_result *by = &result->measures[m];
        by->beside = from->beside;
        by->method = strdup(from->method->name);
        by->measure = strdup(from->info ? from->info->name : "");
        by->variant = strdup(from->variant);
        by->feature_space = strdup(from->feature_space);
        if (!by->method || !by->measure || !by->variant || !by->feature_space)
            return false;
    }
    return true;
}

gbv_status record_tau_curve(gbv_result *result, const valuation *v, const double *scores, gbv_error *error)
{
    size_t count = result->source_count;
    const tau_point *judged = v->scorings[0].draws.folds ? v->tau_judged.curve : NULL;
    if (!(result->tau_curve = calloc(TAU_GRID_COUNT, sizeof *result->tau_curve)))
        return error_out_of_memory(error, "the curve over tau");
    for (size_t i = 0; i < TAU_GRID_COUNT; i++) {
        gbv_tau_point *point = &result->tau_curve[i];
        *point = (gbv_tau_point){.tau = tau_grid[i],
                                 .log_likelihood = judged ? judged[i].log_likelihood : NAN,
                                 .deficit = judged ? judged[i].deficit : NAN,
                                 .deficit_error = judged ? judged[i].standard_error : NAN,
                                 .posterior = memory_array(count, sizeof(double))};
        result->tau_count = i + 1;
        if (!point->posterior)
            return error_out_of_memory(error, "the curve over tau");
        gbv_posterior_options how = {
            .tau_mode = GBV_TAU_FIXED, .tau = tau_grid[i], .undefined_as_zero = v->options->undefined_as_zero};
        gbv_status status = gbv_posterior(scores, v->prior, count, &how, point->posterior, NULL, error);
        if (status != GBV_OK)
            return status;
        point->effective_sources = posterior_summarise(point->posterior, NULL, count).effective_sources;
    }
    return GBV_OK;
}

static bool copy_text(char **copy, const char *text)
{
    return !text || (*copy = strdup(text));
}

static bool record_dataset(gbv_result *result, const gbv_dataset *dataset, const char *role)
{
    for (size_t i = 0; i < dataset->input_count; i++) {
        gbv_input_record *input = &result->inputs[result->input_count++];
        if (!copy_text(&input->path, dataset->inputs[i].path) ||
            !copy_text(&input->label_column, dataset->label_column) ||
            !copy_text(&input->source_column, dataset->source_column) ||
            !copy_text(&input->item_column, dataset->item_column) || !copy_text(&input->role, role) ||
            (strcmp(dataset->name, dataset->inputs[i].path) != 0 && !copy_text(&input->dataset, dataset->name)))
            return false;
        memcpy(input->sha256, dataset->inputs[i].sha256, sizeof input->sha256);
        input->rows = dataset->inputs[i].rows;
        input->wants_items = dataset->wants_items;
        input->resize = dataset->resize;
        input->crop = dataset->crop == dataset->resize ? 0 : dataset->crop;
        input->color = dataset->color;
        input->skip_bad_rows = dataset->skip_bad_rows;
    }
    return true;
}

/* The files of a dataset, with those of the items that it labels. */
static size_t input_count(const gbv_dataset *dataset)
{
    return dataset->input_count + (dataset->base ? dataset->base->input_count : 0);
}

/* The file of gold labels, unless it is there as the reference. */
static bool record_gold(gbv_result *result, const struct annotation_record *annotations)
{
    if (!annotations->gold_path)
        return true;
    if (result->inputs && strcmp(result->inputs[0].sha256, annotations->gold_sha256) == 0)
        return copy_text(&result->inputs[0].role, "gold");
    gbv_input_record *input = &result->inputs[result->input_count++];
    memcpy(input->sha256, annotations->gold_sha256, sizeof input->sha256);
    input->rows = annotations->gold_count;
    return copy_text(&input->path, annotations->gold_path) && copy_text(&input->role, "gold");
}

/* The reference, then the sources' datasets; sources stand in the order of their datasets. Annotated items come before
 * the files that label them. */
static bool record_inputs(gbv_result *result, const valuation *v)
{
    const gbv_dataset *items = v->sources->annotations.dataset ? v->sources->annotations.dataset->base : NULL,
                      *reference_items = v->reference ? v->reference->base : NULL;
    size_t most = (v->reference ? input_count(v->reference) : 0) + 1;
    for (size_t d = 0; d < v->sources->dataset_count; d++)
        most += input_count(v->sources->datasets[d]);
    result->inputs = calloc(most, sizeof *result->inputs);
    if (!result->inputs || (v->reference && !record_dataset(result, v->reference, NULL)) ||
        (reference_items && reference_items != items && !record_dataset(result, reference_items, "items")))
        return false;
    for (size_t d = 0, s = 0; d < v->sources->dataset_count; d++) {
        for (; s < result->source_count && v->sources->items[s].dataset == v->sources->datasets[d]; s++)
            result->sources[s].input = result->input_count;
        const gbv_dataset *dataset = v->sources->datasets[d];
        if ((dataset->base && !record_dataset(result, dataset->base, "items")) ||
            !record_dataset(result, dataset, dataset->base ? "annotations" : NULL))
            return false;
    }
    return record_gold(result, &v->sources->annotations);
}

bool record_test(gbv_result *result, const gbv_dataset *test)
{
    size_t most = result->input_count + test->input_count;
    gbv_input_record *grown = realloc(result->inputs, (most ? most : 1) * sizeof *grown);
    if (!grown)
        return false;
    memset(grown + result->input_count, 0, test->input_count * sizeof *grown);
    result->inputs = grown;
    return record_dataset(result, test, "test");
}

typedef struct options_record {
    gbv_result *result;
    bool ok;
} options_record;

static void record_model_option(void *context, const char *name, const char *text, double value)
{
    options_record *record = context;
    char number[NUMBER_TEXT];
    record->ok =
        record->ok && result_add_option(record->result, name, "%s", text ? text : number_format(value, number));
}

static bool record_options(gbv_result *result, const valuation *v)
{
    const gbv_value_options *o = v->options;
    char number[NUMBER_TEXT];
    const scoring *first = &v->scorings[0];
    const char *tau = first->tau_mode == GBV_TAU_QUICK  ? "quick"
                      : first->tau_mode == GBV_TAU_CODE ? "code"
                      : first->tau_mode == GBV_TAU_AUTO ? "auto"
                                                        : number_format(first->tau, number);
    static const char *const priors[] = {"uniform", "rows", "given", "ledger"};
    bool ok = result_add_option(result, "tau", "%s", tau) &&
              result_add_option(result, "reference", "%s",
                                !v->reference   ? (v->target_count > 1 ? "none: crowd" : "none: union")
                                : o->unlabelled ? "unlabelled"
                                                : "labelled") &&
              result_add_option(result, "intervals", o->replicates ? "%zu" : "off", o->replicates) &&
              (!o->replicates || result_add_option(result, "refits", "%zu", first->draws.refits)) &&
              result_add_option(result, "prior", "%s", priors[o->prior_mode]);
    options_record model = {.result = result, .ok = ok};
    model_options_tell(&o->model, 0, record_model_option, &model);
    ok = model.ok;
    if (o->fast)
        ok = ok && result_add_option(result, "fast", "true");
    if (o->undefined_as_zero)
        ok = ok && result_add_option(result, "undefined", "zero");
    const struct annotation_record *annotations = &v->sources->annotations;
    if (annotations->dataset)
        ok = ok && result_add_option(result, "join", "%s", annotations->join ? annotations->join : "auto");
    if (annotations->control)
        ok = ok && result_add_option(result, "control", "%s", annotations->control);
    if (annotations->show_emails)
        ok = ok && result_add_option(result, "show_emails", "true");
    if (annotations->allow_overlap)
        ok = ok && result_add_option(result, "allow_overlap", "true");
    if (v->sources->class_map)
        ok = ok && result_add_option(result, "class_map", "%s", v->sources->class_map) &&
             result_add_option(result, "class_map_sha256", "%s", v->sources->class_map_sha256);
    return ok;
}

/* One tau is not one sharpness: the spread of T differs by measure on the same sources (paper, section 4.1: tau
 * balances T and the prior). */
static bool warn_about_scale(gbv_result *result)
{
    double lowest = INFINITY, highest = -INFINITY, variance = 0;
    size_t finite = 0, with_error = 0;
    for (size_t i = 0; i < result->source_count; i++) {
        const gbv_source_result *s = &result->sources[i];
        if (!isfinite(s->score))
            continue;
        finite++;
        lowest = fmin(lowest, s->score);
        highest = fmax(highest, s->score);
        if (isfinite(s->standard_error)) {
            variance += s->standard_error * s->standard_error;
            with_error++;
        }
    }
    if (finite < 2)
        return true;
    double spread = highest - lowest, error = with_error ? sqrt(variance / (double)with_error) : NAN;
    result->ambiguous = with_error && spread <= 2 * error * sqrt(2 * log((double)finite));
    if (strcmp(result->method, "uniform") == 0) /* alike on purpose */
        return true;
    if (strcmp(result->method, "lava") == 0 && strcmp(result->variant, "code") == 0)
        return result_warn(result, "lava in the form code looks at each source alone, where the values of its rows "
                                   "always add up to zero: it tells no source from another; use lava pooled");
    const char *kind = result->reference_use_count ? "reference rows" : "rows of the sources";
    if (result->ambiguous &&
        !result_warn(result,
                     "the scores differ by %.3g, no more than chance explains with %zu %s (standard error %.2g): treat "
                     "the sources as equal or add %s",
                     spread, result->reference_rows, kind, error, kind))
        return false;
    bool own = strcmp(result->method, "gbv") == 0;
    bool usual_tau = own ? result->tau_mode == GBV_TAU_QUICK : result->tau_mode == GBV_TAU_FIXED && result->tau == 1;
    if (usual_tau && !(own && strcmp(result->measure, "leep") == 0))
        return result_warn(
            result,
            "one tau is not comparable across %s: these %s scores differ by %.3g, so the best source weighs %.3g times "
            "the worst at tau %.3g; see --tau-curve",
            own ? "measures" : "methods", own ? result->measure : result->method, spread,
            exp(fmin(spread * result->tau_inverse, 700)), result->tau);
    return true;
}

/* Then the ledger warns of weights that have come together, which its tau cannot help. */
static bool goes_on_from_ledger(const gbv_result *result)
{
    for (size_t i = 0; i < result->option_count; i++)
        if (strcmp(result->options[i].name, "prior") == 0)
            return strcmp(result->options[i].value, "ledger") == 0;
    return false;
}

static bool warn_about_weights(gbv_result *result)
{
    size_t fewest = SIZE_MAX, most = 0;
    for (size_t i = 0; i < result->source_count; i++) {
        size_t rows = result->sources[i].rows;
        if (rows == 0) /* given as probabilities */
            continue;
        fewest = rows < fewest ? rows : fewest;
        most = rows > most ? rows : most;
    }
    if (fewest < most && most / 5 >= fewest)
        if (!result_warn(result,
                         "sources have %zu to %zu rows, and a weight is shared by a source's rows: see weight per row, "
                         "or use --prior rows",
                         fewest, most))
            return false;
    if (result->source_count > 2 && result->effective_sources < 1.5 && !goes_on_from_ledger(result))
        return result_warn(result,
                           "the weights amount to %.2f sources: nearly all training weight is on one; a larger tau "
                           "spreads it",
                           result->effective_sources);
    return true;
}

static bool warn_about_logits(gbv_result *result, const valuation *v)
{
    sentence names = {0};
    size_t count = 0;
    bool fitted = false; /* a source given as probabilities has no model of ours */
    for (size_t i = 0; i < v->source_count; i++)
        fitted |= !v->sources->items[i].probabilities;
    for (size_t m = 0; m < v->scoring_count; m++)
        if (fitted && strcmp(result->model, "linear") == 0 && strstr(v->scorings[m].feature_space, "logits"))
            sentence_add(&names, "%s%s", count++ ? ", " : "", v->scorings[m].info->name);
    return count == 0 || result_warn(result,
                                     "%s look%s at the centred logits of a linear model, which have at most %zu "
                                     "independent columns: use --model mlp%s",
                                     names.text, count == 1 ? "s" : "", v->classes.count - 1,
                                     v->options->unlabelled ? "" : ", or --measure leep");
}

/* Every source's model begins with a head of its own where the file's has other classes. */
static bool warn_about_head(gbv_result *result, const valuation *v)
{
    const char *path = v->options->model.pretrained;
    weights_description file;
    if (!path || weights_describe(path, &file, NULL) != GBV_OK || file.outputs == v->classes.count)
        return true;
    return file.outputs
               ? result_warn(result,
                             "%s: its head has %zu classes; each source's model began with a new one for its "
                             "own classes, of random numbers",
                             path, file.outputs)
               : result_warn(result, "%s: has no head; each source's model began with one of random numbers", path);
}

static bool warn_about_reference(gbv_result *result, const valuation *v)
{
    if (!v->reference)
        return result_warn(result,
                           "without a reference a source is worth as much as the others agree with it: one that "
                           "is right where most are wrong ranks low");
    if (v->options->unlabelled &&
        !result_warn(result, "without labels of the reference it is measured how confident a model is of its rows, not "
                             "whether it is right"))
        return false;
    if (!v->options->unlabelled && v->reference->row_count < v->classes.count)
        return result_warn(result,
                           "the reference has %zu row%s for %zu classes, so that most classes are hardly judged: "
                           "give it some rows of each",
                           v->reference->row_count, v->reference->row_count == 1 ? "" : "s", v->classes.count);
    return true;
}

static bool warn_about_certainty(gbv_result *result)
{
    const gbv_certainty *c = &result->certainty;
    if (!c->replicates || result->source_count < 2 || c->refits)
        return true;
    return result_warn(result, "the intervals cover the choice of reference rows only, because no model was fitted "
                               "again: whether two sources differ was not tested; --refits 5 does that, in five times "
                               "the time of training");
}

static bool use(gbv_result *result, bool used, const char *text)
{
    return !used || text_list_add(&result->reference_uses, &result->reference_use_count, text);
}

/* No row that scores is ever used to stop, select or calibrate m_s; this says what it was used for instead. */
static bool record_reference_uses(gbv_result *result, const valuation *v)
{
    const draws *d = &v->scorings[0].draws;
    if (!v->reference)
        return true;
    return use(result, true, "scores of the sources") &&
           use(result, d->replicates, "intervals: the same rows, resampled") &&
           use(result, d->folds, "tau: one half scores, the other judges the final model, and the other way round");
}

bool record_run(gbv_result *result, const valuation *v)
{
    const scoring *first = &v->scorings[0];
    result->version = strdup(gbv_version());
    result->method = strdup(first->method->name);
    result->problem = strdup(v->problem->name);
    result->measure = strdup(first->info ? first->info->name : "");
    result->variant = strdup(first->variant);
    result->model = strdup(v->options->model.model);
    result->feature_space = strdup(first->feature_space);
    result->instruction_set = strdup(plan_instruction_set());
    result->seed = v->options->model.seed;
    if (!result->version || !result->method || !result->problem || !result->measure || !result->variant ||
        !result->model || !result->feature_space || !result->instruction_set)
        return false;
    for (size_t i = 0; i < v->sources->notes.count; i++)
        if (!text_list_add(&result->notes, &result->note_count, v->sources->notes.texts[i]))
            return false;
    return confusion_name_classes(result, v) && warn_about_logits(result, v) && warn_about_head(result, v) &&
           warn_about_reference(result, v) && record_inputs(result, v) && record_options(result, v) &&
           record_reference_uses(result, v);
}

bool record_warnings(gbv_result *result)
{
    return warn_about_scale(result) && warn_about_weights(result) && warn_about_certainty(result);
}
