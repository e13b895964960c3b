/* ledger_step.h - one batch as the arithmetic sees it: the state of before becomes that of after. Adding a batch and
 * verifying it both go through here. */
#ifndef VALUE_STORE_LEDGER_STEP_H
#define VALUE_STORE_LEDGER_STEP_H

#include "value/continual.h"
#include "value/drift.h"

typedef struct ledger_step {
    const size_t *leavers; /* indices of sources */
    size_t leaver_count;
    const continual_delivery *deliveries; /* those that have a score */
    const double *scores, *deviations;    /* of the deliveries */
    size_t count;                         /* of these */
    double tau, forgetting, alarm_threshold;
} ledger_step;

/* Room for what a step is made of and what it finds. */
typedef struct step_room {
    size_t *leavers;
    continual_delivery *deliveries;
    double *scores, *deviations, *batch_posterior; /* of the deliveries, as are: */
    drift_finding *findings;
} step_room;

/* False when memory is out; it is freed in any case. */
bool step_room_create(step_room *room, size_t deliveries, size_t leavers);
void step_room_free(step_room *room);

typedef enum step_outcome {
    STEP_DONE,
    STEP_LEAVER_HAS_ALL, /* a leaver has all weight: there is nobody to take it */
    STEP_NO_WEIGHT,      /* nobody who has a score can have weight */
    STEP_OUT_OF_MEMORY,
} step_outcome;

/* `scores` in place of the step's own, so that resampled ones go the same way. The sources are of no use after a
 * failure. */
step_outcome step_weigh(const ledger_step *step, const double *scores, continual_source *sources, size_t count);
/* Weights by this batch alone, from the deliveries' priors. */
step_outcome step_weigh_alone(const ledger_step *step, double *posterior);
/* `drift` is of all sources; a finding for each delivery. */
step_outcome step_judge_drift(const ledger_step *step, drift_state *drift, drift_finding *findings);

/* The same in every world: `before` are the sources as they were, `worlds` has `world_count` log weights of each, one
 * source after another and as precise as intervals need them, and `resamples` those of each delivery. */
step_outcome step_worlds(const ledger_step *step, const continual_source *before, size_t count,
                         const double *const *resamples, size_t world_count, float *worlds, size_t threads);

#endif
