/* ledger_update.c - an update from its data to the ledger: all that can be refused is refused before anything is
 * fitted, then the sources are scored with the ledger's prior and tau, and the scores folded in (ledger_add.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "nn/fingerprint.h"
#include "value/posterior.h"
#include "value/store/ledger_add.h"
#include "value/valuation.h"

/* Weights as a prior of the named sources, newcomers included: on a scale of its own, so that small ones are not lost.
 * `batch_prior` (NULL: uniform) is what newcomers enter with. */
static gbv_status prior_of(const ledger_state *state, const char *const *names, size_t count,
                           const gbv_update_options *options, const double *batch_prior, double forgetting,
                           double *prior, gbv_error *error)
{
    size_t known = state->names.count, added = 0, all = known + count;
    continual_source *sources = memory_array(all, sizeof *sources);
    continual_delivery *deliveries = memory_array(count, sizeof *deliveries);
    gbv_status status = sources && deliveries ? GBV_OK : error_out_of_memory(error, "the prior");
    if (status != GBV_OK)
        goto done;
    for (size_t s = 0; s < all; s++)
        sources[s] = s < known ? state->sources[s] : (continual_source){.log_weight = -INFINITY};
    for (size_t i = 0; options && i < options->leaver_count; i++)
        if (!continual_leave(sources, known,
                             text_table_find(&state->names, options->leavers[i], strlen(options->leavers[i])))) {
            status = error_set(error, GBV_FAILED, "source '%.200s' is said to leave, and nobody else has any weight",
                               options->leavers[i]);
            goto done;
        }
    for (size_t i = 0; i < count; i++) {
        size_t index = text_table_find(&state->names, names[i], strlen(names[i]));
        deliveries[i] = (continual_delivery){.source = index != TEXT_NONE ? index : known + added++,
                                             .prior = batch_prior ? batch_prior[i] : 1 / (double)count};
    }
    continual_enter(sources, all, deliveries, count);
    double largest = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        const continual_source *s = &sources[deliveries[i].source];
        prior[i] = forgetting < 1 && s->log_weight > -INFINITY
                       ? (1 - forgetting) * log(s->prior) + forgetting * s->log_weight
                       : s->log_weight;
        largest = fmax(largest, prior[i]);
    }
    double sum = 0;
    for (size_t i = 0; i < count; i++) /* nobody has any weight: then what they would enter with */
        sum += prior[i] = largest > -INFINITY ? exp(prior[i] - largest) : deliveries[i].prior;
    for (size_t i = 0; i < count; i++)
        prior[i] /= sum;
done:
    free(sources);
    free(deliveries);
    return status;
}

gbv_status gbv_ledger_prior(gbv_ledger *ledger, const char *const *names, size_t count, double *prior, double *tau,
                            gbv_error *error)
{
    ledger_state state = {0};
    gbv_status status = ledger_begin_reading(ledger, error);
    if (status == GBV_OK)
        status = state_load(ledger, 0, &state, error);
    ledger_end_reading(ledger);
    if (status == GBV_OK && !state.last)
        status = error_set(error, GBV_BAD_INPUT, "%s: has no batches, and so no weights: gbv update adds the first",
                           ledger->path);
    if (status == GBV_OK)
        status = prior_of(&state, names, count, NULL, NULL, 1, prior, error);
    if (status == GBV_OK && tau)
        *tau = state.settings.about.tau;
    state_free(&state);
    return status;
}

typedef struct update {
    gbv_ledger *ledger;
    ledger_state state;
    ledger_request request;
    gbv_value_options value;
    const char **names;
    double *batch_prior, *prior;
    char reference_sha256[65];
    size_t count;
} update;

/* What the sources would be given were there no ledger; on a scale of one. */
static gbv_status make_batch_prior(update *u, const gbv_sources *sources, gbv_error *error)
{
    const gbv_value_options *o = &u->value;
    double sum = 0;
    if (o->prior_mode == GBV_PRIOR_GIVEN && !o->prior)
        return error_set(error, GBV_USAGE, "the prior is to be given, but no numbers were");
    if (o->prior_mode == GBV_PRIOR_GIVEN && posterior_check_prior(o->prior, u->count, error) != GBV_OK)
        return GBV_USAGE;
    for (size_t i = 0; i < u->count; i++) {
        if (o->prior_mode == GBV_PRIOR_ROWS && sources->items[i].probabilities)
            return error_set(error, GBV_USAGE,
                             "source '%s' is given as probabilities and has no rows, which the prior is to follow: use "
                             "a uniform or a given prior",
                             u->names[i]);
        u->batch_prior[i] = o->prior_mode == GBV_PRIOR_GIVEN  ? o->prior[i]
                            : o->prior_mode == GBV_PRIOR_ROWS ? (double)sources->items[i].row_count
                                                              : 1;
        sum += u->batch_prior[i];
    }
    for (size_t i = 0; i < u->count; i++)
        u->batch_prior[i] /= sum;
    return GBV_OK;
}

/* A reference from memory is known by its rows and labels; gold labels too, because the items that they are of may
 * change, and their file grows with every batch. */
static gbv_status hash_reference(update *u, const gbv_dataset *reference, gbv_error *error)
{
    bool by_rows = reference && reference->base;
    for (size_t i = 0; reference && i < reference->input_count; i++)
        by_rows |= !*reference->inputs[i].sha256;
    if (!by_rows)
        return GBV_OK;
    hash_stream hash = hash_open();
    sample_part part = sample_part_of(reference, reference->row_index, reference->row_count, reference->labels, NULL);
    sample rows = sample_of(&part);
    for (size_t c = 0; c < reference->class_count; c++)
        fingerprint_text(&hash, "class", reference->class_names[c]);
    gbv_status status = fingerprint_rows(&hash, &rows, reference->class_count, u->value.model.threads, error);
    if (!hash_close(&hash, u->reference_sha256) && status == GBV_OK)
        status = error_set(error, GBV_FAILED, "the hash of the reference could not be made");
    u->request.reference_sha256 = u->reference_sha256;
    return status;
}

static gbv_status agree(void *context, const gbv_result *run, gbv_error *error)
{
    update *u = context;
    ledger_settings settings;
    gbv_status status = rules_settle(u->ledger, &u->state, &u->request, run, false, &settings, error);
    settings_free(&settings);
    return status;
}

/* The ledger as it is now decides the prior and tau. */
static gbv_status prepare(update *u, const gbv_dataset *reference, const gbv_sources *sources, gbv_error *error)
{
    const gbv_update_options *o = u->request.options;
    gbv_status status = ledger_check_writable(u->ledger, error);
    if (status == GBV_OK)
        status = ledger_begin_reading(u->ledger, error);
    if (status == GBV_OK)
        status = state_load(u->ledger, 0, &u->state, error);
    if (status == GBV_OK)
        status = rules_check_names(u->ledger, &u->state, o, u->names, u->count, error);
    ledger_end_reading(u->ledger);
    if (status == GBV_OK)
        status = hash_reference(u, reference, error);
    if (status == GBV_OK)
        status = make_batch_prior(u, sources, error);
    u->request.prior = u->batch_prior;
    u->request.head = u->state.head;
    if (status != GBV_OK || !u->state.last)
        return status;
    if (rules_tau_stays(&u->state, o, u->request.tau_mode, u->request.tau)) {
        u->value.tau_mode = GBV_TAU_FIXED;
        u->value.tau = u->state.settings.about.tau;
    }
    u->value.prior_mode = GBV_PRIOR_LEDGER;
    u->value.prior = u->prior;
    double forgetting = o->forgetting > 0 ? o->forgetting : u->state.settings.about.forgetting;
    return prior_of(&u->state, u->names, u->count, o, u->batch_prior, forgetting, u->prior, error);
}

gbv_status gbv_ledger_update(gbv_ledger *ledger, const gbv_dataset *reference, const gbv_sources *sources,
                             const gbv_value_options *value, const gbv_update_options *options, gbv_result **result,
                             gbv_error *error)
{
    update u = {.ledger = ledger, .value = value ? *value : gbv_value_defaults(), .count = sources->count};
    gbv_result *scored = NULL;
    if (result)
        *result = NULL;
    u.request = (ledger_request){.options = options, .tau_mode = u.value.tau_mode, .tau = u.value.tau};
    u.value.keep_resamples = u.value.undefined_as_zero = true;
    gbv_status status = rules_check_options(options, u.value.tau_mode, error);
    if (status != GBV_OK)
        return status;
    u.names = memory_array(u.count, sizeof *u.names);
    u.batch_prior = memory_array(u.count, sizeof *u.batch_prior);
    u.prior = memory_array(u.count, sizeof *u.prior);
    if (!u.names || !u.batch_prior || !u.prior)
        status = error_out_of_memory(error, "the names of the sources");
    for (size_t i = 0; i < u.count && status == GBV_OK; i++)
        u.names[i] = sources->items[i].name;
    if (status == GBV_OK)
        status = prepare(&u, reference, sources, error);
    if (status == GBV_OK) {
        valuation v = {
            .reference = reference, .sources = sources, .options = &u.value, .before_scoring = agree, .context = &u};
        status = valuation_run(&v, &scored, error);
    }
    if (status == GBV_OK)
        status = ledger_add(ledger, scored, &u.request, u.value.model.threads, error);
    if (status == GBV_OK && result) {
        *result = scored;
        scored = NULL;
    }
    gbv_result_free(scored);
    state_free(&u.state);
    free(u.names);
    free(u.batch_prior);
    free(u.prior);
    return status;
}
