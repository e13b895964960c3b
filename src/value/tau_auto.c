#include "value/tau_auto.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gbv/value.h>

#include "base/error.h"
#include "base/plan.h"
#include "compute/temper.h"
#include "value/trained_weights.h"
#include "value/watch.h"

const double tau_grid[TAU_GRID_COUNT] = {INFINITY, 1, .5, .2, .1, .05, .02, .01};

/* A row's likelihood is at least this, as in gbv_evaluate: a class that the model lacks is not impossible. */
static const double SMALLEST_LIKELIHOOD = 1e-12;

gbv_status tau_folds(const int32_t *labels, size_t rows, size_t class_count, uint64_t seed, unsigned char *fold,
                     gbv_error *error)
{
    size_t *order = memory_array(rows, sizeof *order), *taken = memory_zeroed(class_count, sizeof *taken);
    size_t *first_fold = memory_array(class_count, sizeof *first_fold), odd = 0;
    gbv_status status = GBV_OK;
    if (!order || !taken || !first_fold) {
        status = error_out_of_memory(error, "the halves of the reference");
        goto done;
    }
    for (size_t i = 0; i < rows; i++) {
        order[i] = i;
        taken[labels[i]]++;
    }
    /* A class with an odd number of rows gives the fold that comes first one row more. */
    for (size_t c = 0; c < class_count; c++) {
        first_fold[c] = taken[c] % 2 ? odd++ % 2 : 0;
        taken[c] = 0;
    }
    random_stream stream = random_stream_open(seed, "tau", RANDOM_SPLIT);
    random_shuffle(&stream, order, rows);
    for (size_t i = 0; i < rows; i++) {
        size_t c = (size_t)labels[order[i]];
        fold[order[i]] = (unsigned char)((first_fold[c] + taken[c]++) % 2);
    }
done:
    free(order);
    free(taken);
    free(first_fold);
    return status;
}

/* One path down the grid: the sources are weighed by this fold and judged by the other. */
typedef struct fold_run {
    const tau_task *task;
    size_t fold;
    const gbv_model_options *model;
    double *terms;           /* TAU_GRID_COUNT x rows of D*: ln of each row's likelihood; the other fold's are filled */
    size_t *order;           /* rows of D*: those of this fold, then the others */
    size_t own;              /* how many are of this fold */
    int32_t *labels;         /* in that order */
    double *weights;         /* of the sources at the tau being tried */
    double *fitted_weights;  /* those that `fitted` was trained with */
    const gbv_model *fitted; /* the last one */
    gbv_model *owned;        /* the same, unless the other fold has it, too */
    fit_shape *shape;
    arena scratch; /* of one fit */
} fold_run;

static gbv_status open_run(fold_run *r, const double *first_weights, gbv_error *error)
{
    size_t rows = r->task->reference->rows, sources = r->task->data.sources->count, at = 0;
    r->order = memory_array(rows, sizeof *r->order);
    r->labels = memory_array(rows, sizeof *r->labels);
    r->weights = memory_array(sources, sizeof *r->weights);
    r->fitted_weights = memory_array(sources, sizeof *r->fitted_weights);
    int32_t *classes = arena_array(&r->scratch, rows, sizeof *classes);
    if (!r->order || !r->labels || !r->weights || !r->fitted_weights || !classes)
        return error_out_of_memory(error, "tau");
    memcpy(r->fitted_weights, first_weights, sources * sizeof *first_weights);
    sample_labels(r->task->reference, classes, NULL);
    for (size_t other = 0; other < 2; other++) {
        for (size_t i = 0; i < rows; i++)
            if ((r->task->fold[i] != r->fold) == other)
                r->order[at++] = i;
        if (!other)
            r->own = at;
    }
    for (size_t i = 0; i < rows; i++)
        r->labels[i] = classes[r->order[i]];
    return GBV_OK;
}

static void close_run(fold_run *r)
{
    free(r->order);
    free(r->labels);
    free(r->weights);
    free(r->fitted_weights);
    gbv_model_free(r->owned);
    arena_free(&r->scratch);
}

static gbv_status weigh(const tau_task *task, size_t fold, double tau, double *weights, gbv_error *error)
{
    size_t count = task->data.sources->count;
    gbv_posterior_options how = {.tau_mode = GBV_TAU_FIXED, .tau = tau, .undefined_as_zero = true};
    gbv_status status = gbv_posterior(task->scores[fold], task->prior, count, &how, weights, NULL, error);
    if (status == GBV_OK)
        trained_weights_trim(weights, count);
    return status;
}

/* How likely the model makes the labels of the other fold, with the temperature that suits this one. */
static gbv_status judge(fold_run *r, double *terms, gbv_error *error)
{
    size_t rows = r->task->reference->rows, outputs = r->fitted->outputs, classes = r->task->data.classes->count;
    double *given = arena_array(&r->scratch, rows, outputs * sizeof *given);
    double *logarithms = arena_array(&r->scratch, rows, outputs * sizeof *logarithms);
    double *likelihoods = arena_array(&r->scratch, rows, sizeof *likelihoods);
    double *powers = arena_array(&r->scratch, outputs < TEMPER_BLOCK ? TEMPER_BLOCK : outputs, sizeof *powers);
    size_t *first = arena_zeroed(&r->scratch, classes + 1, sizeof *first);
    size_t *own = arena_array(&r->scratch, outputs, sizeof *own);
    if (!given || !logarithms || !likelihoods || !powers || !first || !own)
        return error_out_of_memory(error, "tau");
    readout out = {.probabilities = given, .threads = r->model->threads_per_model};
    gbv_status status = model_read_out(r->fitted, r->task->reference, &out, &r->scratch, error);
    if (status != GBV_OK)
        return status;
    for (size_t i = 0; i < rows; i++)
        temper_logarithms(given + r->order[i] * outputs, outputs, logarithms + i * outputs);
    temper_sort_columns(r->fitted->classes, outputs, classes, first, own);
    temper_rows fitted = {.rows = r->own,
                          .columns = outputs,
                          .logarithms = logarithms,
                          .labels = r->labels,
                          .first = first,
                          .own = own,
                          .powers = powers};
    temper_rows judged = fitted;
    judged.rows = rows - r->own;
    judged.logarithms += r->own * outputs;
    judged.labels += r->own;
    temper_likelihoods(&judged, temper_fit(&fitted), likelihoods);
    for (size_t i = 0; i < judged.rows; i++)
        terms[r->order[r->own + i]] = log(fmax(likelihoods[i], SMALLEST_LIKELIHOOD));
    return GBV_OK;
}

static gbv_status try_tau(fold_run *r, size_t at, gbv_error *error)
{
    size_t count = r->task->data.sources->count;
    gbv_status status = weigh(r->task, r->fold, tau_grid[at], r->weights, error);
    if (status != GBV_OK)
        return status;
    arena_reset(&r->scratch);
    if (!trained_weights_same(r->weights, r->fitted_weights, count)) {
        gbv_model *fitted;
        refit how = {.start = r->fitted, .shape = r->shape, .rough = true};
        status = final_fit(&r->task->data, r->weights, r->model, &how, &r->scratch, &fitted, error);
        if (status != GBV_OK)
            return status;
        gbv_model_free(r->owned);
        r->fitted = r->owned = fitted;
        memcpy(r->fitted_weights, r->weights, count * sizeof *r->weights);
    }
    return judge(r, r->terms + at * r->task->reference->rows, error);
}

static gbv_status run_fold(fold_run *r, const double *first_weights, watch *w, gbv_error *error)
{
    gbv_status status = open_run(r, first_weights, error);
    for (size_t at = 0; at < TAU_GRID_COUNT && status == GBV_OK; at++) {
        status = try_tau(r, at, error);
        if (watch_count(w) && status == GBV_OK)
            status = error_set(error, GBV_INTERRUPTED, "interrupted while choosing tau");
    }
    close_run(r);
    return status;
}

/* Both paths start at the largest tau, where they mostly have the same weights: one fit serves both. */
static gbv_status run_folds(const tau_task *task, double *terms, gbv_error *error)
{
    watch w = {.asked = task->model, .stage = "tau", .total = 2 * TAU_GRID_COUNT};
    gbv_model_options model = *task->model;
    watch_over(&model, &w);
    gbv_model *first = NULL;
    fit_shape shape = {0};
    arena scratch = {0};
    gbv_error own[2];
    double *weights = memory_array(task->data.sources->count, sizeof *weights);
    gbv_status status[2] = {weights ? weigh(task, 0, tau_grid[0], weights, error) : error_out_of_memory(error, "tau"),
                            GBV_OK};
    if (status[0] == GBV_OK)
        status[0] = final_fit(&task->data, weights, &model, &(refit){.shape = &shape}, &scratch, &first, error);
    if (status[0] != GBV_OK)
        goto done;
    /* Two threads are best used on a fold each; more are on the fits' own loops. */
    int workers =
        model.threads == 2 || model.threads == 3 ? (int)plan_fits(model.threads, model.threads_per_model, 2) : 1;
#pragma omp parallel for num_threads(workers)
    for (size_t f = 0; f < 2; f++) {
        fold_run r = {.task = task, .fold = f, .model = &model, .terms = terms, .fitted = first};
        r.shape = shape.inverse ? &shape : NULL; /* filled: only read from now on */
        status[f] = run_fold(&r, weights, &w, &own[f]);
    }
    for (size_t f = 2; f-- > 0;)
        if (status[f] != GBV_OK && error)
            *error = own[f];
done:
    free(weights);
    gbv_model_free(first);
    fit_shape_free(&shape);
    arena_free(&scratch);
    return status[0] != GBV_OK ? status[0] : status[1];
}

/* Why nothing can be judged; NULL when it can. */
static const char *find_doubt(const tau_task *task)
{
    size_t rows[2] = {0, 0};
    for (size_t i = 0; i < task->reference->rows; i++)
        rows[task->fold[i]]++;
    if (rows[0] < 2 || rows[1] < 2)
        return "the reference has too few rows to be cut in two halves that choose tau: tau is infinite, the weights "
               "are the prior";
    for (int f = 0; f < 2; f++) {
        bool scored = false;
        for (size_t s = 0; s < task->data.sources->count; s++)
            scored |= !isnan(task->scores[f][s]) && (!task->prior || task->prior[s] > 0);
        if (!scored)
            return "no source has a score on one half of the reference, so that tau cannot be chosen: tau is infinite, "
                   "the weights are the prior";
    }
    return NULL;
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum / (double)count;
}

/* The curve from the rows' log-likelihoods, and the largest tau (they fall) that is as good as the best. */
static void choose(const double *terms, size_t rows, tau_choice *choice)
{
    size_t best = 0;
    for (size_t at = 0; at < TAU_GRID_COUNT; at++) {
        choice->curve[at].log_likelihood = mean_of(terms + at * rows, rows);
        if (choice->curve[at].log_likelihood > choice->curve[best].log_likelihood)
            best = at;
    }
    choice->tau = NAN;
    for (size_t at = 0; at < TAU_GRID_COUNT; at++) {
        tau_point *point = &choice->curve[at];
        const double *own = terms + at * rows, *of_best = terms + best * rows;
        double squares = 0;
        point->deficit = choice->curve[best].log_likelihood - point->log_likelihood;
        for (size_t i = 0; i < rows; i++)
            squares += pow(of_best[i] - own[i] - point->deficit, 2);
        point->standard_error = sqrt(squares / (double)(rows - 1) / (double)rows);
        if (isnan(choice->tau) && point->deficit <= point->standard_error)
            choice->tau = point->tau;
    }
}

gbv_status tau_auto(const tau_task *task, tau_choice *choice, gbv_error *error)
{
    const gbv_sources *sources = task->data.sources;
    *choice = (tau_choice){.tau = INFINITY};
    for (size_t at = 0; at < TAU_GRID_COUNT; at++)
        choice->curve[at] = (tau_point){tau_grid[at], NAN, NAN, NAN};
    for (size_t s = 0; s < sources->count; s++)
        if (sources->items[s].row_count == 0)
            return error_set(error, GBV_USAGE,
                             "source '%s' has no rows of its own, which tau auto trains on: choose another tau",
                             sources->items[s].name);
    if ((choice->doubt = find_doubt(task)))
        return GBV_OK;
    size_t rows = task->reference->rows;
    double *terms = memory_array(rows, TAU_GRID_COUNT * sizeof *terms);
    if (!terms)
        return error_out_of_memory(error, "tau");
    gbv_status status = run_folds(task, terms, error);
    if (status == GBV_OK)
        choose(terms, rows, choice);
    free(terms);
    return status;
}
