/* policy_density.c - the part of a policy's page that is about all magnitudes, not those of the grid: a curve for each
 * operator, and how other ways of finding the density agree with it. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "report/html/policy_view.h"
#include "report/plain.h"
#include "report/svg/panels.h"

enum { POINTS = 65, TEXT = 160 };

/* A density times its range is 1 where all magnitudes are equally likely. */
static double relative(const gbv_policy *policy, const gbv_density *d, double magnitude)
{
    double range = d->magnitudes[d->count - 1] - d->magnitudes[0];
    return range * gbv_density_at(d, policy->inverse_tau, magnitude);
}

typedef struct curve {
    double x[POINTS], y[POINTS];
    double *node_y;
    char note[TEXT], tip[2 * TEXT];
} curve;

static bool curve_make(const gbv_policy *policy, const gbv_density *d, curve *c, panel *shown)
{
    double low = d->magnitudes[0], range = d->magnitudes[d->count - 1] - low, peak = 0, at = low;
    char share[PLAIN_TEXT], number[PLAIN_TEXT], middle[PLAIN_TEXT];
    if (!(c->node_y = memory_array(d->count, sizeof *c->node_y)))
        return false;
    for (size_t i = 0; i < POINTS; i++) {
        c->x[i] = i + 1 == POINTS ? low + range : low + range * (double)i / (POINTS - 1);
        c->y[i] = relative(policy, d, c->x[i]);
        at = c->y[i] > peak ? c->x[i] : at;
        peak = fmax(peak, c->y[i]);
    }
    for (size_t i = 0; i < d->count; i++)
        c->node_y[i] = fmin(relative(policy, d, d->magnitudes[i]), peak);
    double low_half = low, high_half = low + range;
    for (int i = 0; i < 50; i++) { /* the median */
        double half = (low_half + high_half) / 2;
        *(gbv_density_below(d, policy->inverse_tau, half) < 0.5 ? &low_half : &high_half) = half;
    }
    snprintf(c->note, sizeof c->note, "%s%s", plain_share(d->probability, share), d->coin ? ", either sign" : "");
    snprintf(c->tip, sizeof c->tip,
             "%s: %s of all draws, half of them up to %s; likeliest near %s, %.3g times as likely as on average",
             d->op->name, share, plain_number(low_half, middle), plain_number(at, number), peak);
    *shown = (panel){.title = d->op->name,
                     .note = c->note,
                     .tip = c->tip,
                     .x = c->x,
                     .y = c->y,
                     .points = POINTS,
                     .node_x = d->magnitudes,
                     .node_y = c->node_y,
                     .nodes = d->count};
    return true;
}

static void fill_operator(const void *context, size_t row, size_t column, page_cell *cell)
{
    const gbv_policy *policy = context;
    const gbv_density *d = &policy->densities[row];
    const gbv_density_check *checks[] = {&policy->denser, &policy->chain, &policy->variational};
    if (column == 0)
        cell->text = d->op->name;
    else if (column == 1)
        cell->value = d->prior;
    else if (column == 2)
        cell->value = d->probability;
    else if (checks[column - 3]->done) {
        const gbv_density_check *check = checks[column - 3];
        cell->value = check->operator_probabilities[row];
        if (check->errors) {
            cell->low = cell->value - 2 * check->errors[row];
            cell->high = cell->value + 2 * check->errors[row];
        }
    }
}

static void add_curves(page *p, const gbv_policy *policy, const page_table *table)
{
    curve *curves = memory_zeroed(policy->density_count, sizeof *curves);
    panel *panels = memory_array(policy->density_count, sizeof *panels);
    size_t count = 0;
    bool made = curves && panels;
    for (size_t i = 0; made && i < policy->density_count; i++)
        if (policy->densities[i].count > 1) {
            made = curve_make(policy, &policy->densities[i], &curves[count], &panels[count]);
            count++;
        }
    if (!made)
        page_fail(p);
    else if (count)
        page_figure(
            p, &(page_chart){
                   .id = "figure-densities",
                   .caption = "How likely each magnitude is within its operator; the dashed line is what it would be "
                              "if all were equally likely, the dots are the magnitudes that were scored. Each panel "
                              "has its own scale.",
                   .draw = panels_draw,
                   .chart = &(panels_chart){.label = "Small curves: density over magnitudes, one for each operator",
                                            .panels = panels,
                                            .count = count,
                                            .mark = 1},
                   .table = table});
    for (size_t i = 0; curves && i < count; i++)
        free(curves[i].node_y);
    free(curves);
    free(panels);
}

enum { CHECK, DIFFERENCE, DIVERGENCE, EVALUATIONS, MEANING, CHECK_COLUMNS };

static void fill_check(const void *context, size_t row, size_t column, page_cell *cell)
{
    static const char *const names[] = {"More magnitudes", "Metropolis-Hastings", "Beta forms"};
    static const char *const what[] = {
        "the density through magnitudes half-way between those scored, and any other that was evaluated",
        "a chain over operators and magnitudes, compared with the denser density",
        "a Beta distribution for each operator, with the largest lower bound of the evidence"};
    const gbv_policy *policy = context;
    const gbv_density_check *checks[] = {&policy->denser, &policy->chain, &policy->variational}, *check = checks[row];
    char number[PLAIN_TEXT], share[PLAIN_TEXT], time[PLAIN_TEXT];
    if (column == CHECK)
        cell->text = names[row];
    else if (column == MEANING) {
        cell->text = what[row];
        if (check->steps) {
            cell->detail = cell->scratch;
            snprintf(cell->scratch, sizeof cell->scratch, "%s steps, %s accepted, autocorrelation time %s steps",
                     plain_count(check->steps, number), plain_share(check->acceptance, share),
                     plain_number(check->autocorrelation, time));
        }
    } else if (column == DIFFERENCE) {
        cell->text = cell->scratch;
        if (check->errors)
            snprintf(cell->scratch, sizeof cell->scratch, "%s Monte-Carlo errors", plain_number(check->worst, number));
        else
            snprintf(cell->scratch, sizeof cell->scratch, "%s points", plain_number(100 * check->worst, number));
    } else
        cell->value = column == DIVERGENCE ? check->divergence : (double)check->evaluations;
}

static void add_checks(page *p, const gbv_policy *policy)
{
    static const page_column columns[CHECK_COLUMNS] = {
        [CHECK] = {.name = "Check"},
        [DIFFERENCE] = {.name = "Largest difference",
                        .help = "of an operator's probability, in percentage points; of the chain, within 3 errors is "
                                "what chance does"},
        [DIVERGENCE] = {.name = "Divergence",
                        .kind = PAGE_NUMBER,
                        .help = "Kullback-Leibler, in nats: 0 is the same distribution"},
        [EVALUATIONS] = {.name = "New evaluations", .kind = PAGE_COUNT, .help = "passes over the images that it took"},
        [MEANING] = {.name = "What it is", .detail = true, .detail_name = "how"}};
    if (!policy->denser.done || !policy->chain.done || !policy->variational.done)
        return;
    page_section(p, "checks", "Is the density right?",
                 "Three other ways of finding it, from new evaluations. The first says what the interpolation between "
                 "the magnitudes costs, the others whether the arithmetic is right.");
    if (policy->chain.worst > 3)
        page_warning(p,
                     "The chain differs from the density by more than three of its errors: run it with another seed, "
                     "and take the density with care if it does so again.");
    page_table_add(p, &(page_table){.id = "density-checks",
                                    .caption = "Checks of the density",
                                    .columns = columns,
                                    .column_count = CHECK_COLUMNS,
                                    .row_count = 3,
                                    .cell = fill_check,
                                    .context = policy});
}

void policy_section_density(page *p, const policy_view *v)
{
    static const page_column columns[] = {
        {.name = "Operator"},
        {.name = "Prior", .kind = PAGE_PERCENT},
        {.name = "Probability", .kind = PAGE_SHARE, .help = "of all its magnitudes together"},
        {.name = "By more magnitudes", .kind = PAGE_PERCENT},
        {.name = "By Metropolis-Hastings",
         .kind = PAGE_PERCENT,
         .interval = true,
         .help = "with two Monte-Carlo errors either way"},
        {.name = "By Beta forms", .kind = PAGE_PERCENT}};
    const gbv_policy *policy = v->policy;
    if (!policy->density_count)
        return;
    page_section(
        p, "density", "All magnitudes",
        "Training draws an operator, then any magnitude of its range: the score is linear between those that were "
        "evaluated, and draws from what follows are exact.");
    page_table table = {.id = "operators-density",
                        .caption = "Operators by the density",
                        .columns = columns,
                        .column_count = policy->chain.done ? 6 : 3,
                        .row_count = policy->density_count,
                        .cell = fill_operator,
                        .context = policy};
    add_curves(p, policy, &table);
    add_checks(p, policy);
}
