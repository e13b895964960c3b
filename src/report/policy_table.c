/* policy_table.c - a policy as a person reads it: what it is of, operator by operator, then the best and the worst. */
#include <math.h>
#include <stdlib.h>

#include <gbv/report.h>

#include "base/error.h"
#include "base/output.h"
#include "base/sentence.h"
#include "base/words.h"
#include "report/grid.h"

enum { BEST = 8, WORST = 3, BAR_CELLS = 10, MAGNITUDE_COLUMNS = GBV_GRID_MAGNITUDES };

/* One operator of the policy and its entries, in their order. */
typedef struct operator_share {
    const gbv_operator *op;
    double probability;
    size_t first;
} operator_share;

static int larger_first(const void *left, const void *right)
{
    const operator_share *a = left, *b = right;
    if (a->probability != b->probability)
        return a->probability < b->probability ? 1 : -1;
    return a->first < b->first ? -1 : 1;
}

static size_t share_out(const gbv_policy *p, operator_share *shares)
{
    size_t count = 0;
    for (size_t i = 0; i < p->count; i++) {
        size_t s = 0;
        while (s < count && shares[s].op != p->entries[i].augmentor.op)
            s++;
        if (s == count)
            shares[count++] = (operator_share){p->entries[i].augmentor.op, 0, i};
        shares[s].probability += p->entries[i].probability;
    }
    qsort(shares, count, sizeof *shares, larger_first);
    return count;
}

static void print_head(const gbv_policy *p, FILE *stream, const gbv_terminal *terminal)
{
    sentence s = {0};
    sentence_add(&s, "%zu augmentors", p->count);
    if (p->measure && p->model)
        sentence_add(&s, " by %s%s%s of %s", p->measure, p->variant && *p->variant ? ":" : "",
                     p->variant ? p->variant : "", p->model);
    if (p->images_scored && p->images) {
        sentence_add(&s, " on %zu", p->images_scored);
        if (p->images_scored < p->image_count)
            sentence_add(&s, " of %zu", p->image_count);
        sentence_add(&s, " images of %zu classes (%s)", p->class_count, p->images);
    }
    if (!isnan(p->inverse_tau))
        sentence_add(&s, "; tau %.4g (%s), seed %llu", p->inverse_tau > 0 ? 1 / p->inverse_tau : INFINITY,
                     tau_mode_words[p->tau_mode], (unsigned long long)p->seed);
    gbv_terminal_line(stream, terminal, GBV_STYLE_PLAIN, "", 0, s.text);
    s = (sentence){0};
    sentence_add(&s, "effective augmentors %.1f", p->effective_augmentors);
    if (p->evaluations)
        sentence_add(&s, "; %zu passes of the model over the images", p->evaluations);
    gbv_terminal_line(stream, terminal, GBV_STYLE_PLAIN, "", 0, s.text);
    fputc('\n', stream);
}

/* What stands before a magnitude whose sign is a coin's. */
static const char *sign_of(const gbv_augmentor *augmentor, const gbv_terminal *terminal)
{
    if (!augmentor->coin || augmentor->magnitude == 0)
        return "";
    return terminal && terminal->ascii ? "+-" : "\xc2\xb1";
}

/* A line for each operator; a policy written by hand may have more magnitudes than there are columns, which then go
 * behind. */
static bool print_operators(const gbv_policy *p, FILE *stream, const gbv_terminal *terminal)
{
    grid_column columns[2 + MAGNITUDE_COLUMNS] = {{.head = "operator", .usual = 14},
                                                  {.head = "%", .gap = 1, .usual = 5, .right = true}};
    for (size_t c = 0; c < MAGNITUDE_COLUMNS; c++)
        columns[2 + c] = (grid_column){.head = c ? "" : "magnitude:%", .gap = 1, .usual = 10};
    operator_share *shares = calloc(p->count, sizeof *shares);
    if (!shares)
        return false;
    grid g = grid_open(columns, sizeof columns / sizeof *columns, terminal);
    size_t count = share_out(p, shares);
    for (size_t s = 0; s < count; s++) {
        size_t shown = 0;
        grid_row(&g);
        grid_cell(&g, GBV_STYLE_PLAIN, "%s", shares[s].op->name);
        grid_cell(&g, GBV_STYLE_PLAIN, "%.1f", 100 * shares[s].probability);
        for (size_t i = 0; i < p->count && shares[s].op->has_magnitude; i++) {
            const gbv_policy_entry *e = &p->entries[i];
            const char *sign = sign_of(&e->augmentor, terminal);
            if (e->augmentor.op != shares[s].op)
                continue;
            if (shown++ < MAGNITUDE_COLUMNS)
                grid_cell(&g, e->probability > 0 ? GBV_STYLE_PLAIN : GBV_STYLE_DIM, "%s%.4g:%.1f", sign,
                          e->augmentor.magnitude, 100 * e->probability);
            else
                grid_behind(&g, GBV_STYLE_PLAIN, "%s%.4g:%.1f", sign, e->augmentor.magnitude, 100 * e->probability);
        }
    }
    free(shares);
    return grid_print(&g, stream);
}

static int more_probable(const void *left, const void *right)
{
    const gbv_policy_entry *a = *(const gbv_policy_entry *const *)left, *b = *(const gbv_policy_entry *const *)right;
    if (a->probability != b->probability)
        return a->probability < b->probability ? 1 : -1;
    return a < b ? -1 : 1;
}

static void add_entry(grid *g, const gbv_policy_entry *e, double largest, const gbv_terminal *terminal)
{
    grid_row(g);
    if (e->augmentor.op->has_magnitude)
        grid_cell(g, GBV_STYLE_PLAIN, "%s %s%.4g", e->augmentor.op->name, sign_of(&e->augmentor, terminal),
                  e->augmentor.magnitude);
    else
        grid_cell(g, GBV_STYLE_PLAIN, "%s", e->augmentor.op->name);
    if (isnan(e->score_low))
        grid_number(g, "%.4f", e->score);
    else
        grid_cell(g, GBV_STYLE_PLAIN, "%.4f (%.4f to %.4f)", e->score, e->score_low, e->score_high);
    if (isnan(e->probability_low))
        grid_cell(g, GBV_STYLE_PLAIN, "%.4f", e->probability);
    else
        grid_cell(g, GBV_STYLE_PLAIN, "%.4f (%.4f to %.4f)", e->probability, e->probability_low, e->probability_high);
    grid_bar(g, largest > 0 ? e->probability / largest : 0, BAR_CELLS);
}

static bool print_extremes(const gbv_policy *p, FILE *stream, const gbv_terminal *terminal)
{
    static const grid_column columns[] = {
        {.head = "augmentor", .usual = 20},
        {.head = "score", .gap = 2, .usual = 8, .right = true},
        {.head = "probability", .gap = 2, .usual = 11, .right = true},
        {.head = "", .gap = 2, .usual = BAR_CELLS, .leaves = 1},
    };
    const gbv_policy_entry **order = calloc(p->count, sizeof *order);
    if (!order)
        return false;
    grid g = grid_open(columns, sizeof columns / sizeof *columns, terminal);
    for (size_t i = 0; i < p->count; i++)
        order[i] = &p->entries[i];
    qsort(order, p->count, sizeof *order, more_probable);
    double largest = order[0]->probability;
    size_t best = p->count <= BEST + WORST ? p->count : BEST;
    for (size_t i = 0; i < best; i++)
        add_entry(&g, order[i], largest, terminal);
    if (best < p->count) {
        grid_note(&g, "...");
        for (size_t i = p->count - WORST; i < p->count; i++)
            add_entry(&g, order[i], largest, terminal);
    }
    free(order);
    fputc('\n', stream);
    return grid_print(&g, stream);
}

static void print_density(const gbv_policy *p, FILE *stream, const gbv_terminal *terminal)
{
    sentence s = {0};
    if (!p->density_count)
        return;
    sentence_add(&s, "a density over the magnitudes of %zu operators, log-linear between those scored",
                 p->density_count);
    if (p->denser.done)
        sentence_add(&s, "; between them it is off by %.2g nats", p->denser.divergence);
    if (p->chain.done)
        sentence_add(&s, "; Metropolis-Hastings agrees to %.1f of its errors", p->chain.worst);
    if (p->variational.done)
        sentence_add(&s, ", the Beta form to %.2g of an operator's probability", p->variational.worst);
    fputc('\n', stream);
    gbv_terminal_line(stream, terminal, GBV_STYLE_PLAIN, "continuous:", 0, s.text);
}

gbv_status gbv_policy_table(const gbv_policy *policy, FILE *stream, const gbv_terminal *terminal, gbv_error *error)
{
    print_head(policy, stream, terminal);
    if (!print_operators(policy, stream, terminal) || !print_extremes(policy, stream, terminal))
        return error_out_of_memory(error, "a table");
    print_density(policy, stream, terminal);
    for (size_t i = 0; i < policy->warning_count; i++) {
        if (i == 0)
            fputc('\n', stream);
        gbv_terminal_line(stream, terminal, GBV_STYLE_CAUTION, "warning:", 0, policy->warnings[i]);
    }
    return output_check(stream, "the table", error);
}
