#include "value/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sentence.h"
#include "value/purchase.h"

/* Standard errors by which a gain must exceed nothing. */
static const double CLEAR = 2;

static gbv_status compare_seeds(const gbv_trained *a, const gbv_trained *b, size_t seeds, double *gain,
                                double *gain_error, gbv_error *error)
{
    double *differences = memory_array(seeds, sizeof *differences);
    if (!differences)
        return error_out_of_memory(error, "the verdict");
    for (size_t r = 0; r < seeds; r++)
        differences[r] = a->accuracies[r] - b->accuracies[r];
    mean_and_error(differences, seeds, gain, gain_error);
    free(differences);
    return GBV_OK;
}

static bool is_clear(double gain, double gain_error)
{
    return gain > 0 && gain > CLEAR * gain_error;
}

static bool is_valuation(const gbv_comparison *c, size_t m)
{
    return strcmp(c->result->measures[m].method, "uniform") != 0 && c->methods[m].trained.accuracies;
}

static const char *words_of(size_t baseline)
{
    return baseline == BASELINE_REFERENCE ? "training on the reference alone" : "training on all rows alike";
}

static void say_no(const gbv_comparison *c, bool reference_helps, sentence *s)
{
    const gbv_trained *beaten = &c->baselines[c->to_beat].trained;
    if (c->best == c->method_count) {
        sentence_add(s, "No valuation was compared: %s reaches %.2f %% of %zu test rows over %zu seeds.",
                     words_of(c->to_beat), 100 * beaten->accuracy, c->test_rows, c->seeds);
        return;
    }
    const gbv_method_comparison *best = &c->methods[c->best];
    sentence_add(s,
                 "No valuation beats %s: that reaches %.2f %% of %zu test rows, the best valuation (%s) %.2f %%, a "
                 "difference of %+.2f ± %.2f points over %zu seeds%s",
                 words_of(c->to_beat), 100 * beaten->accuracy, c->test_rows, best->label, 100 * best->trained.accuracy,
                 100 * c->gain, 100 * c->gain_error, c->seeds, c->gain > 1e-9 ? ", less than two standard errors" : "");
    if (reference_helps)
        sentence_add(s, "; the reference and the sources by %s together do, with %.2f %%", c->methods[0].label,
                     100 * c->baselines[BASELINE_REFERENCE_TOO].trained.accuracy);
    sentence_add(s, ".");
}

/* The most accurate of the valuations that beat the baseline clearly, or of all where none does. */
static gbv_status find_best(gbv_comparison *c, gbv_error *error)
{
    const gbv_trained *beaten = &c->baselines[c->to_beat].trained;
    gbv_status status = GBV_OK;
    for (size_t m = 0; m < c->method_count && status == GBV_OK; m++) {
        double gain, gain_error;
        if (!is_valuation(c, m))
            continue;
        status = compare_seeds(&c->methods[m].trained, beaten, c->seeds, &gain, &gain_error, error);
        bool clear = status == GBV_OK && is_clear(gain, gain_error), pays = c->verdict == GBV_VERDICT_PAYS;
        if (status == GBV_OK && (c->best == c->method_count || (clear && !pays) || (clear == pays && gain > c->gain))) {
            c->best = m;
            c->gain = gain;
            c->gain_error = gain_error;
            c->verdict = clear ? GBV_VERDICT_PAYS : GBV_VERDICT_NO;
        }
    }
    return status;
}

gbv_status verdict_give(gbv_comparison *c, gbv_error *error)
{
    sentence s = {0};
    gbv_status status = GBV_OK;
    c->best = c->method_count;
    c->gain = c->gain_error = NAN;
    if (c->baseline_count == 0) {
        sentence_add(&s, "No purchase was judged: give labelled rows that nobody trains on (--test) to see whether "
                         "buying by these weights pays.");
    } else {
        const gbv_trained *alone = &c->baselines[BASELINE_REFERENCE].trained,
                          *pooled = &c->baselines[BASELINE_POOLED].trained,
                          *both = &c->baselines[BASELINE_REFERENCE_TOO].trained;
        double gain = NAN, gain_error = NAN;
        c->to_beat = alone->accuracies && alone->accuracy >= pooled->accuracy ? BASELINE_REFERENCE : BASELINE_POOLED;
        const gbv_trained *beaten = &c->baselines[c->to_beat].trained;
        c->verdict = GBV_VERDICT_NO;
        status = find_best(c, error);
        if (status == GBV_OK && both->accuracies)
            status = compare_seeds(both, beaten, c->seeds, &gain, &gain_error, error);
        if (status != GBV_OK)
            return status;
        if (c->verdict == GBV_VERDICT_NO)
            say_no(c, is_clear(gain, gain_error), &s);
        else
            sentence_add(&s,
                         "%s beats %s by %.2f ± %.2f points: %.2f %% against %.2f %% of %zu test rows over %zu seeds.",
                         c->methods[c->best].label, words_of(c->to_beat), 100 * c->gain, 100 * c->gain_error,
                         100 * c->methods[c->best].trained.accuracy, 100 * beaten->accuracy, c->test_rows, c->seeds);
    }
    return (c->sentence = strdup(s.text)) ? GBV_OK : error_out_of_memory(error, "the verdict");
}
