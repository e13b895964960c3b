#include "value/drift.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

static const double STEP = 0.5; /* k: half the shift, in standard errors, that is looked for */

typedef struct shift {
    double value;
    double error; /* NaN: not judged */
} shift;

static int by_value(const void *left, const void *right)
{
    const shift *a = left, *b = right;
    return (a->value > b->value) - (a->value < b->value);
}

/* Each counts by one over its error. Where half lies on either side; between two values when that holds of both. Sorts.
 */
static double weighted_median(shift *shifts, size_t count)
{
    double total = 0, below = 0;
    qsort(shifts, count, sizeof *shifts, by_value);
    for (size_t i = 0; i < count; i++)
        total += 1 / shifts[i].error;
    for (size_t i = 0; i < count; i++) {
        below += 1 / shifts[i].error;
        if (i + 1 < count && fabs(below - total / 2) <= 1e-12 * total)
            return shifts[i].value / 2 + shifts[i + 1].value / 2;
        if (below > total / 2)
            return shifts[i].value;
    }
    return 0;
}

static bool is_known(double score, double deviation)
{
    return isfinite(score) && isfinite(deviation) && deviation >= 0;
}

static shift shift_of(const drift_state *state, double score, double deviation)
{
    shift s = {.error = NAN};
    if (!is_known(score, deviation) || !(state->batches > 0))
        return s;
    double value = score - state->score_sum / state->batches;
    double error = sqrt(deviation * deviation + state->variance_sum / state->batches / state->batches);
    if (isfinite(value) && isfinite(error) && isfinite(1 / error))
        s = (shift){value, error};
    return s;
}

static drift_finding judge(drift_state *state, double z, double threshold)
{
    state->up = fmax(0, state->up + z - STEP);
    state->down = fmax(0, state->down - z - STEP);
    bool better = state->up >= state->down;
    double larger = better ? state->up : state->down;
    drift_finding finding = {.z = z, .cusum = better ? larger : -larger};
    if (larger > threshold) {
        finding.alarm = better ? 1 : -1;
        *state = (drift_state){0};
    }
    return finding;
}

bool drift_judge(drift_state *const *states, const double *scores, const double *deviations, size_t count,
                 double threshold, drift_finding *findings)
{
    shift *shifts = memory_array(count, sizeof *shifts);
    if (!shifts)
        return false;
    size_t judged = 0;
    for (size_t i = 0; i < count; i++) {
        shift s = shift_of(states[i], scores[i], deviations[i]);
        if (!isnan(s.error))
            shifts[judged++] = s;
    }
    double common = weighted_median(shifts, judged);
    for (size_t i = 0; i < count; i++) {
        shift s = shift_of(states[i], scores[i], deviations[i]);
        findings[i] = (drift_finding){.z = NAN, .cusum = NAN};
        if (!isnan(s.error))
            findings[i] = judge(states[i], (s.value - common) / s.error, threshold);
        if (is_known(scores[i], deviations[i]) && !findings[i].alarm) {
            states[i]->batches++;
            states[i]->score_sum += scores[i] - common;
            states[i]->variance_sum += deviations[i] * deviations[i];
        }
    }
    free(shifts);
    return true;
}

/* Mean scores between two false alarms at h = 0, 1/2, 1, ...: what experiments/drift/thresholds.py printed. */
static const double between_alarms[] = {1.6214, 2.9648, 5.6121, 10.548, 19.225, 34.204, 59.451,
                                        100.03, 168.82, 285.89, 476.8,  775.82, 1284.5, 2101.8,
                                        3467.9, 5778.4, 9318.2, 15712,  25960,  42317,  70533};

/* The logarithm of the time is nearly linear in h: with slope 2k = 1 beyond the last (Siegmund, 1985). */
double drift_threshold(double source_batches)
{
    const size_t last = sizeof between_alarms / sizeof *between_alarms - 1;
    size_t i = 0;
    if (!(source_batches > between_alarms[0])) /* an alarm whenever |z| > k is as often as they come */
        return 0;
    if (source_batches >= between_alarms[last])
        return (double)last / 2 + log(source_batches / between_alarms[last]);
    while (source_batches >= between_alarms[i + 1])
        i++;
    return ((double)i + log(source_batches / between_alarms[i]) / log(between_alarms[i + 1] / between_alarms[i])) / 2;
}
