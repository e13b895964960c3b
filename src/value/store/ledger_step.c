#include "value/store/ledger_step.h"

#include <omp.h>
#include <math.h>
#include <stdlib.h>

#include <gbv/value.h>

#include "base/memory.h"
#include "base/plan.h"

bool step_room_create(step_room *room, size_t deliveries, size_t leavers)
{
    *room = (step_room){.leavers = memory_array(leavers, sizeof *room->leavers),
                        .deliveries = memory_array(deliveries, sizeof *room->deliveries),
                        .scores = memory_array(deliveries, sizeof *room->scores),
                        .deviations = memory_array(deliveries, sizeof *room->deviations),
                        .batch_posterior = memory_array(deliveries, sizeof *room->batch_posterior),
                        .findings = memory_array(deliveries, sizeof *room->findings)};
    return room->leavers && room->deliveries && room->scores && room->deviations && room->batch_posterior &&
           room->findings;
}

void step_room_free(step_room *room)
{
    free(room->leavers);
    free(room->deliveries);
    free(room->scores);
    free(room->deviations);
    free(room->batch_posterior);
    free(room->findings);
}

step_outcome step_weigh(const ledger_step *step, const double *scores, continual_source *sources, size_t count)
{
    for (size_t i = 0; i < step->leaver_count; i++)
        if (!continual_leave(sources, count, step->leavers[i]))
            return STEP_LEAVER_HAS_ALL;
    for (size_t i = 0; i < step->count; i++)
        if (!sources[step->deliveries[i].source].in) {
            continual_enter(sources, count, step->deliveries, step->count);
            break;
        }
    return continual_fold(sources, step->deliveries, step->count, scores, 1 / step->tau, step->forgetting)
               ? STEP_DONE
               : STEP_NO_WEIGHT;
}

step_outcome step_weigh_alone(const ledger_step *step, double *posterior)
{
    gbv_posterior_options how = {.tau_mode = GBV_TAU_FIXED, .tau = step->tau};
    double *prior = memory_array(step->count, sizeof *prior);
    if (!prior)
        return STEP_OUT_OF_MEMORY;
    for (size_t i = 0; i < step->count; i++)
        prior[i] = step->deliveries[i].prior;
    gbv_status status = gbv_posterior(step->scores, prior, step->count, &how, posterior, NULL, NULL);
    free(prior);
    return status == GBV_OK ? STEP_DONE : STEP_NO_WEIGHT;
}

step_outcome step_judge_drift(const ledger_step *step, drift_state *drift, drift_finding *findings)
{
    drift_state **states = memory_array(step->count, sizeof *states);
    bool judged = states != NULL;
    for (size_t i = 0; i < step->count && states; i++)
        states[i] = &drift[step->deliveries[i].source];
    judged =
        judged && drift_judge(states, step->scores, step->deviations, step->count, step->alarm_threshold, findings);
    free(states);
    return judged ? STEP_DONE : STEP_OUT_OF_MEMORY;
}

step_outcome step_worlds(const ledger_step *step, const continual_source *before, size_t count,
                         const double *const *resamples, size_t world_count, float *worlds, size_t threads)
{
    size_t workers = plan_workers(threads, world_count);
    continual_source *sources = memory_array(count, workers * sizeof *sources);
    double *scores = memory_array(step->count, workers * sizeof *scores);
    step_outcome outcome = sources && scores ? STEP_DONE : STEP_OUT_OF_MEMORY;
    if (outcome != STEP_DONE)
        goto done;
#pragma omp parallel for num_threads((int)workers) if (workers > 1)
    for (size_t world = 0; world < world_count; world++) {
        size_t worker = workers > 1 ? (size_t)omp_get_thread_num() : 0;
        continual_source *own = sources + worker * count;
        double *drawn = scores + worker * step->count;
        for (size_t s = 0; s < count; s++) {
            own[s] = before[s];
            own[s].log_weight = worlds[s * world_count + world];
        }
        for (size_t i = 0; i < step->count; i++)
            drawn[i] = resamples[i][world];
        if (step_weigh(step, drawn, own, count) == STEP_DONE) /* as it is for the scores themselves */
            for (size_t s = 0; s < count; s++)
                worlds[s * world_count + world] = (float)own[s].log_weight;
    }
done:
    free(sources);
    free(scores);
    return outcome;
}
