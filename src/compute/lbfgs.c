/* lbfgs.c - L-BFGS (Nocedal 1980) with the approximate Wolfe conditions of Hager and Zhang (2005). */
#include "compute/lbfgs.h"

#include <math.h>
#include <string.h>

#include "compute/dense.h"

enum { PAIRS = 12, SEARCH_LIMIT = 30, SCALE_OFTEN = 10 };

typedef struct state {
    const lbfgs_problem *problem;
    double *point, *gradient;       /* where we are */
    double *trial, *trial_gradient; /* where the line search looks */
    double *direction;
    double *steps, *changes; /* PAIRS x count: differences of points and of gradients */
    double curvature[PAIRS]; /* step . change of each pair */
    size_t pairs, next, accepted;
    double value;
    double scale; /* what the preconditioner is multiplied by to have the curvature last seen */
} state;

static double dot(const state *s, const double *a, const double *b)
{
    return cblas_ddot((int)s->problem->count, a, 1, b, 1);
}

static void add(const state *s, double factor, const double *from, double *to)
{
    cblas_daxpy((int)s->problem->count, factor, from, 1, to, 1);
}

/* direction = -(approximate inverse Hessian) gradient, by the two-loop recursion. */
static void choose_direction(state *s)
{
    size_t count = s->problem->count;
    double share[PAIRS];
    memcpy(s->direction, s->gradient, count * sizeof(double));
    for (size_t age = 0; age < s->pairs; age++) {
        size_t i = (s->next + PAIRS - 1 - age) % PAIRS;
        share[i] = dot(s, s->steps + i * count, s->direction) / s->curvature[i];
        add(s, -share[i], s->changes + i * count, s->direction);
    }
    s->problem->precondition(s->problem->context, s->direction);
    cblas_dscal((int)count, s->scale, s->direction, 1);
    for (size_t age = s->pairs; age-- > 0;) {
        size_t i = (s->next + PAIRS - 1 - age) % PAIRS;
        double other = dot(s, s->changes + i * count, s->direction) / s->curvature[i];
        add(s, share[i] - other, s->steps + i * count, s->direction);
    }
    cblas_dscal((int)count, -1, s->direction, 1);
}

/* Looks along the direction for a point with less slope and no greater value. Fills trial and trial_gradient. */
static bool search(state *s, double slope, double *value)
{
    double low = 0, low_slope = slope, high = INFINITY, high_slope = 0, step = 1;
    double slack = 1e-14 * (1 + fabs(s->value));
    for (int attempt = 0; attempt < SEARCH_LIMIT; attempt++) {
        memcpy(s->trial, s->point, s->problem->count * sizeof(double));
        add(s, step, s->direction, s->trial);
        *value = s->problem->evaluate(s->problem->context, s->trial, s->trial_gradient);
        double trial_slope = dot(s, s->trial_gradient, s->direction);
        bool finite = isfinite(*value) && isfinite(trial_slope);
        bool decreased = finite && (*value <= s->value + 1e-4 * step * slope ||
                                    (*value <= s->value + slack && trial_slope <= -0.8 * slope));
        if (decreased && trial_slope >= 0.9 * slope)
            return true;
        if (finite && decreased && trial_slope < 0) { /* too short: the function still falls steeply */
            low = step, low_slope = trial_slope;
            if (isinf(high)) {
                step *= 4;
                continue;
            }
        } else {
            high = step, high_slope = finite && trial_slope > 0 ? trial_slope : 0;
        }
        /* The slope of a convex function rises from low to high: cut where a straight line crosses zero. */
        double cut = high_slope > 0 ? low_slope / (low_slope - high_slope) : 0.5;
        step = low + (high - low) * fmin(fmax(cut, 0.1), 0.9);
        if (step == low || step == high)
            break;
    }
    return false;
}

/* Remembers the pair unless rounding has spoilt it. */
static void remember(state *s)
{
    size_t count = s->problem->count;
    double *step = s->steps + s->next * count, *change = s->changes + s->next * count;
    for (size_t i = 0; i < count; i++) {
        step[i] = s->trial[i] - s->point[i];
        change[i] = s->trial_gradient[i] - s->gradient[i];
    }
    double curvature = dot(s, step, change);
    if (!(curvature > 1e-300))
        return;
    s->curvature[s->next] = curvature;
    s->next = (s->next + 1) % PAIRS;
    s->pairs += s->pairs < PAIRS;
    /* The scale may cost as much as a direction, and changes little after the first steps. */
    if (s->accepted++ < SCALE_OFTEN || s->accepted % SCALE_OFTEN == 0 || s->problem->cheap_precondition) {
        memcpy(s->direction, change, count * sizeof(double));
        s->problem->precondition(s->problem->context, s->direction);
        double length = dot(s, change, s->direction);
        s->scale = length > 0 ? curvature / length : 1;
    }
}

static bool open_state(state *s, arena *scratch)
{
    size_t count = s->problem->count;
    s->gradient = arena_array(scratch, count, sizeof(double));
    s->trial = arena_array(scratch, count, sizeof(double));
    s->trial_gradient = arena_array(scratch, count, sizeof(double));
    s->direction = arena_array(scratch, count, sizeof(double));
    s->steps = arena_array(scratch, count, PAIRS * sizeof(double));
    s->changes = arena_array(scratch, count, PAIRS * sizeof(double));
    return s->gradient && s->trial && s->trial_gradient && s->direction && s->steps && s->changes;
}

lbfgs_end lbfgs_minimise(const lbfgs_problem *problem, double *point, arena *scratch)
{
    state s = {.problem = problem, .point = point, .scale = 1};
    if (!open_state(&s, scratch))
        return LBFGS_NO_MEMORY;
    size_t count = problem->count;
    s.value = problem->evaluate(problem->context, point, s.gradient);
    double loose = fmin(problem->share * cblas_dnrm2((int)count, s.gradient, 1), problem->most);
    double tolerance = fmax(problem->tolerance, loose);
    for (size_t iteration = 0; iteration < problem->iteration_limit; iteration++) {
        if (cblas_dnrm2((int)count, s.gradient, 1) <= tolerance)
            return LBFGS_CONVERGED;
        if (problem->interrupted && problem->interrupted(problem->context, iteration, problem->iteration_limit))
            return LBFGS_INTERRUPTED;
        choose_direction(&s);
        double slope = dot(&s, s.gradient, s.direction), value;
        if (!(slope < 0) || !search(&s, slope, &value)) {
            if (s.pairs == 0)
                return LBFGS_STALLED;
            s.pairs = 0; /* the memory may have gone bad: once more from the preconditioner alone */
            continue;
        }
        remember(&s);
        s.value = value;
        memcpy(point, s.trial, count * sizeof(double));
        memcpy(s.gradient, s.trial_gradient, count * sizeof(double));
    }
    return LBFGS_LIMIT;
}
