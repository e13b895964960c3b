/* temperature.c - tau by the likelihood of held-out reference rows under the final model (tau_auto.h), for each way of
 * scoring that asks for it. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "value/result.h"
#include "value/valuation.h"

gbv_status temperature_check(valuation *v, gbv_error *error)
{
    bool asked = v->options->tau_mode == GBV_TAU_AUTO;
    const char *lacking = !v->reference            ? "there is no reference"
                          : v->options->unlabelled ? "the reference has no labels that may be used"
                          : v->scorings[0].method->knows_interval
                              ? "the method asked for looks at the labels of shared items instead"
                              : NULL;
    for (size_t i = 0; i < v->source_count && !lacking; i++)
        if (v->sources->items[i].probabilities)
            lacking = "a source is given as probabilities and has no rows to train on";
    if (asked && lacking)
        return error_set(error, GBV_USAGE,
                         "tau is to be chosen by how well the final model does on the reference, and %s: use quick or "
                         "a value",
                         lacking);
    v->tau_can_be_judged = !lacking;
    return GBV_OK;
}

static gbv_status judge(const valuation *v, const scoring *by, tau_choice *choice, gbv_error *error)
{
    size_t count = v->source_count;
    const target *t = &v->targets[0];
    double *scores = memory_array(2, count * sizeof *scores);
    gbv_model_options model = v->options->model;
    model.threads = v->threads;
    if (!scores)
        return error_out_of_memory(error, "the scores");
    for (size_t f = 0; f < 2; f++)
        for (size_t s = 0; s < count; s++)
            scores[f * count + s] = by->scores[s * by->draws.count + draws_folds(&by->draws) + f];
    tau_task task = {.data = {.sources = v->sources, .classes = &v->classes},
                     .reference = &t->rows,
                     .fold = t->fold,
                     .scores = {scores, scores + count},
                     .prior = v->prior,
                     .model = &model};
    gbv_status status = tau_auto(&task, choice, error);
    free(scores);
    return status;
}

gbv_status choose_temperatures(valuation *v, gbv_result *result, gbv_error *error)
{
    gbv_status status = GBV_OK;
    for (size_t m = 0; m < v->scoring_count && status == GBV_OK; m++) {
        scoring *by = &v->scorings[m];
        tau_choice choice;
        if (!by->draws.folds || (status = judge(v, by, &choice, error)) != GBV_OK)
            continue;
        if (m == 0)
            v->tau_judged = choice;
        if (by->tau_mode == GBV_TAU_AUTO)
            by->tau = choice.tau;
        if (by->tau_mode == GBV_TAU_AUTO && choice.doubt && !result_warn(result, "%s", choice.doubt))
            status = error_out_of_memory(error, "the result");
    }
    return status;
}
