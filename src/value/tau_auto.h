/* tau_auto.h - the temperature by cross-fitting: on each half of D* the sources are scored and weighed at every tau of
 * a grid, the final model is trained with these weights, and the other half says how likely its labels are under it.
 *
 * What is chosen is the largest tau whose log-likelihood falls short of the best one's by at most one standard error
 * (paired, row by row): sources are treated unequally only as far as the reference shows that it pays. One temperature
 * is fitted to each model's probabilities first, on the half that gave the weights: models trained on noisy labels are
 * not sure enough, and the raw likelihood would reward sharp weights for that alone.
 *
 *     tau_folds(labels, rows, class_count, seed, fold, error);        score every source on either half, then
 *     tau_auto(&task, &chosen, error);
 */
#ifndef VALUE_TAU_AUTO_H
#define VALUE_TAU_AUTO_H

#include "nn/final.h"

/* inf, 1, .5, .2, .1, .05, .02, .01 */
enum { TAU_GRID_COUNT = 8 };
extern const double tau_grid[TAU_GRID_COUNT];

/* Puts every row into fold 0 or 1: half of each class (labels in 0..class_count-1) by chance, keyed by the seed; the
 * rows left over go to the folds in turn, so that their sizes differ by one at most. Fails when memory is out. */
GBV_MUST_CHECK gbv_status tau_folds(const int32_t *labels, size_t rows, size_t class_count, uint64_t seed,
                                    unsigned char *fold, gbv_error *error);

/* Borrowed. */
typedef struct tau_task {
    final_data data;           /* its sources are weighed; a reference in it would be judged on its own rows: none */
    const sample *reference;   /* D*, one weight a row, labelled with classes of the table */
    const unsigned char *fold; /* of each row of D* */
    const double *scores[2];   /* scores[f][s]: of source s on fold f alone; NaN: it gets no weight there */
    const double *prior;       /* one per source, as in gbv_posterior */
    const gbv_model_options *model; /* its threads and progress (stage "tau") serve all fits */
} tau_task;

typedef struct tau_point {
    double tau;            /* INFINITY: the prior */
    double log_likelihood; /* mean over the rows of D* */
    double deficit;        /* to the best of the grid, at least 0 */
    double standard_error; /* of the deficit; 0 for the best */
} tau_point;

typedef struct tau_choice {
    double tau;                      /* INFINITY: the prior */
    tau_point curve[TAU_GRID_COUNT]; /* in the grid's order; NaN where nothing could be tried */
    const char *doubt;               /* a sentence that says why there was nothing to choose by; NULL: there was */
} tau_choice;

/* With fewer than two rows in a fold, or no source with a score there, nothing can be judged: tau is INFINITY and
 * `doubt` says so. Fails with GBV_USAGE when a source has no rows to train on, GBV_INTERRUPTED, or as the fit does. The
 * result depends on the seed, never on threads. Runs inside the caller's plan. */
GBV_MUST_CHECK gbv_status tau_auto(const tau_task *task, tau_choice *choice, gbv_error *error);

#endif
