/* policy_page.c - the page of a policy: what training is to draw, as a map of operators and magnitudes, then every
 * augmentor with its score, then where it all comes from. */
#include <gbv/report.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/words.h"
#include "report/command.h"
#include "report/html/body.h"
#include "report/html/policy_view.h"
#include "report/plain.h"
#include "report/svg/bars.h"
#include "report/svg/heatmap.h"

enum { MAP_COLUMNS = 12, TIP = 300, NAME = 80 };

static size_t row_find(policy_view *v, const gbv_augmentor *augmentor)
{
    size_t row = 0;
    while (row < v->row_count && (v->rows[row].op != augmentor->op || v->rows[row].coin != augmentor->coin))
        row++;
    if (row == v->row_count)
        v->rows[v->row_count++] = (policy_row){.op = augmentor->op, .coin = augmentor->coin};
    return row;
}

static void view_close(policy_view *v)
{
    free(v->rows);
    free(v->places);
    free(v->row_of);
    free(v->order);
}

/* Equally likely ones stay in the order of the file. */
static void sort_entries(policy_view *v)
{
    for (size_t i = 0; i < v->policy->count; i++) {
        size_t at = i;
        double p = v->policy->entries[i].probability;
        for (; at > 0 && v->policy->entries[v->order[at - 1]].probability < p; at--)
            v->order[at] = v->order[at - 1];
        v->order[at] = i;
    }
}

static bool view_open(policy_view *v, const gbv_policy *policy)
{
    *v = (policy_view){.policy = policy,
                       .rows = memory_zeroed(policy->count, sizeof *v->rows),
                       .places = memory_array(policy->count, sizeof *v->places),
                       .row_of = memory_array(policy->count, sizeof *v->row_of),
                       .order = memory_array(policy->count, sizeof *v->order)};
    size_t *counts = memory_zeroed(policy->count, sizeof *counts);
    bool made = v->rows && v->places && v->row_of && v->order && counts;
    for (size_t i = 0; made && i < policy->count; i++) {
        const gbv_policy_entry *e = &policy->entries[i];
        policy_row *row = &v->rows[v->row_of[i] = row_find(v, &e->augmentor)];
        v->places[i] = counts[v->row_of[i]]++;
        v->columns = counts[v->row_of[i]] > v->columns ? counts[v->row_of[i]] : v->columns;
        row->probability += e->probability;
        row->prior += e->prior;
        if (!row->best || e->probability > row->best->probability)
            row->best = e;
    }
    for (size_t i = 0; made && i < v->row_count; i++)
        for (size_t d = 0; d < policy->density_count; d++)
            if (policy->densities[d].op == v->rows[i].op && policy->densities[d].coin == v->rows[i].coin)
                v->rows[i].density = &policy->densities[d];
    if (made)
        sort_entries(v);
    free(counts);
    return made;
}

/* What training draws from: the density where there is one. */
static double drawn(const policy_row *row)
{
    return row->density ? row->density->probability : row->probability;
}

static const char *augmentor_name(const gbv_augmentor *augmentor, char text[NAME])
{
    char number[PLAIN_TEXT];
    if (!augmentor->op->has_magnitude)
        snprintf(text, NAME, "%s", augmentor->op->name);
    else
        snprintf(text, NAME, "%s %s%s", augmentor->op->name,
                 augmentor->coin && augmentor->magnitude != 0 ? "\xC2\xB1" : "",
                 plain_set(augmentor->magnitude, number));
    return text;
}

static void entry_tip(const gbv_policy_entry *e, char tip[TIP])
{
    char name[NAME], share[PLAIN_TEXT], prior[PLAIN_TEXT], score[PLAIN_TEXT], low[PLAIN_TEXT], high[PLAIN_TEXT];
    int length = snprintf(tip, TIP, "%s: %s", augmentor_name(&e->augmentor, name), plain_share(e->probability, share));
    if (isfinite(e->probability_low))
        length += snprintf(tip + length, TIP - (size_t)length, " (%s to %s)", plain_share(e->probability_low, low),
                           plain_share(e->probability_high, high));
    if (isfinite(e->prior))
        length += snprintf(tip + length, TIP - (size_t)length, ", prior %s", plain_share(e->prior, prior));
    if (!isnan(e->score))
        length += snprintf(tip + length, TIP - (size_t)length, ", score %s", plain_number(e->score, score));
    if (isfinite(e->score_low))
        snprintf(tip + length, TIP - (size_t)length, " (%s to %s)", plain_number(e->score_low, low),
                 plain_number(e->score_high, high));
}

typedef struct map_cell {
    char text[PLAIN_TEXT], tip[TIP];
} map_cell;

static void add_map(page *p, const policy_view *v)
{
    static const char *const places[MAP_COLUMNS] = {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"};
    size_t columns = v->columns < MAP_COLUMNS ? v->columns : MAP_COLUMNS, cells = v->row_count * columns;
    double *values = memory_array(cells, sizeof *values);
    map_cell *made = memory_zeroed(cells, sizeof *made);
    const char **texts = memory_array(cells, 2 * sizeof *texts), **names = memory_array(v->row_count, sizeof *names);
    if (!values || !made || !texts || !names) {
        page_fail(p);
        goto done;
    }
    for (size_t i = 0; i < cells; i++) {
        values[i] = NAN;
        texts[i] = made[i].text;
        texts[cells + i] = made[i].tip;
    }
    for (size_t i = 0; i < v->row_count; i++)
        names[i] = v->rows[i].op->name;
    for (size_t i = 0; i < v->policy->count; i++) {
        const gbv_policy_entry *e = &v->policy->entries[i];
        if (v->places[i] >= columns)
            continue;
        size_t cell = v->row_of[i] * columns + v->places[i];
        char number[PLAIN_TEXT];
        values[cell] = e->probability;
        entry_tip(e, made[cell].tip);
        if (e->augmentor.op->has_magnitude)
            snprintf(made[cell].text, sizeof made[cell].text, "%s%s",
                     e->augmentor.coin && e->augmentor.magnitude != 0 ? "\xC2\xB1" : "",
                     plain_set(e->augmentor.magnitude, number));
    }
    page_figure(p,
                &(page_chart){
                    .id = "figure-map",
                    .caption = "Each cell is an augmentor: its magnitude, and under it how likely it is drawn.",
                    .draw = heatmap_draw,
                    .chart = &(heatmap_chart){.label = "Tinted cells: probability of every operator at every magnitude",
                                              .row_axis = "operator",
                                              .column_axis = "magnitudes, in the order of the grid",
                                              .row_names = names,
                                              .column_names = places,
                                              .rows = v->row_count,
                                              .columns = columns,
                                              .values = values,
                                              .share = true,
                                              .texts = texts,
                                              .tips = texts + cells},
                    .table_id = "augmentors"});
    if (columns < v->columns)
        page_note(p, "The first %zu of up to %zu magnitudes of an operator.", columns, v->columns);
done:
    free(values);
    free(made);
    free(texts);
    free(names);
}

enum { OPERATOR, MAGNITUDE, SCORE, PROBABILITY, PRIOR, TIMES, COLUMNS };

static void fill_entry(const void *context, size_t row, size_t column, page_cell *cell)
{
    const policy_view *v = context;
    const gbv_policy_entry *e = &v->policy->entries[v->order[row]];
    if (column == OPERATOR)
        cell->text = e->augmentor.op->name;
    else if (column == MAGNITUDE) {
        cell->value = e->augmentor.op->has_magnitude ? e->augmentor.magnitude : NAN;
        cell->detail = e->augmentor.coin ? "either sign" : NULL;
    } else if (column == SCORE) {
        cell->value = e->score;
        cell->low = e->score_low;
        cell->high = e->score_high;
    } else if (column == PROBABILITY) {
        cell->value = e->probability;
        cell->low = e->probability_low;
        cell->high = e->probability_high;
    } else
        cell->value = column == PRIOR ? e->prior : e->prior > 0 ? e->probability / e->prior : NAN;
}

static void add_entries(page *p, const policy_view *v)
{
    bool intervals = false, coins = false, priors = false;
    for (size_t i = 0; i < v->policy->count; i++) {
        intervals |= isfinite(v->policy->entries[i].score_low);
        coins |= v->policy->entries[i].augmentor.coin;
        priors |= isfinite(v->policy->entries[i].prior);
    }
    const page_column columns[COLUMNS] = {
        [OPERATOR] = {.name = "Operator"},
        [MAGNITUDE] = {.name = "Magnitude", .kind = PAGE_NUMBER, .detail = coins, .detail_name = "sign"},
        [SCORE] = {.name = "Score",
                   .kind = PAGE_NUMBER,
                   .interval = intervals,
                   .help = "T of the universal model on the images so changed; larger is better"},
        [PROBABILITY] = {.name = "Probability", .kind = PAGE_SHARE, .interval = intervals},
        [PRIOR] = {.name = "Prior", .kind = PAGE_PERCENT},
        [TIMES] = {.name = "Times its prior", .kind = PAGE_NUMBER}};
    page_section(p, "augmentors-list", "Every augmentor",
                 intervals ? "The likeliest first. Intervals (90 %) are of what scoring all images would give."
                           : "The likeliest first.");
    page_table_add(p, &(page_table){.id = "augmentors",
                                    .caption = "Augmentors with score and probability",
                                    .columns = columns,
                                    .column_count = priors ? COLUMNS : PRIOR,
                                    .row_count = v->policy->count,
                                    .cell = fill_entry,
                                    .context = v});
}

static void fill_row(const void *context, size_t row, size_t column, page_cell *cell)
{
    const policy_row *r = &((const policy_view *)context)->rows[row];
    if (column == 0)
        cell->text = r->op->name;
    else if (column == 1)
        cell->value = drawn(r);
    else if (column == 2)
        cell->value = r->prior;
    else if (column == 3)
        cell->text = augmentor_name(&r->best->augmentor, cell->scratch);
    else
        cell->text = r->op->summary;
}

static void add_operators(page *p, const policy_view *v)
{
    static const page_column columns[] = {{.name = "Operator"},
                                          {.name = "Probability", .kind = PAGE_SHARE},
                                          {.name = "Prior", .kind = PAGE_PERCENT},
                                          {.name = "Likeliest augmentor"},
                                          {.name = "What it does"}};
    bar bars[PAGE_FIGURE_ROWS];
    char notes[PAGE_FIGURE_ROWS][PLAIN_TEXT];
    size_t count = v->row_count < PAGE_FIGURE_ROWS ? v->row_count : PAGE_FIGURE_ROWS;
    bool priors = false;
    for (size_t i = 0; i < count; i++) {
        priors |= isfinite(v->rows[i].prior);
        bars[i] = (bar){.label = v->rows[i].op->name,
                        .value = drawn(&v->rows[i]),
                        .low = NAN,
                        .high = NAN,
                        .note = plain_share(v->rows[i].prior, notes[i])};
    }
    for (size_t i = 0; !priors && i < count; i++)
        bars[i].note = NULL;
    page_section(p, "operators", "Operators", "All magnitudes of an operator together, beside what the prior gave it.");
    page_table table = {.id = "operators-list",
                        .caption = "Operators",
                        .columns = columns,
                        .column_count = 5,
                        .row_count = v->row_count,
                        .cell = fill_row,
                        .context = v};
    page_figure(p, &(page_chart){.id = "figure-operators",
                                 .draw = bars_draw,
                                 .chart = &(bars_chart){.label = "Bars: probability of each operator",
                                                        .axis = "share of all draws",
                                                        .bars = bars,
                                                        .count = count,
                                                        .share = true,
                                                        .note_name = priors ? "prior" : NULL,
                                                        .mark = NAN},
                                 .table = &table});
}

static void add_limits(page *p, const gbv_policy *policy)
{
    const char *items[] = {
        "A probability says how often training draws an augmentor. It is no forecast of accuracy: train with the "
        "policy "
        "and without, and judge both on images that neither has seen.",
        "Scores are those of one universal model by one measure on these images. Another model may rank augmentors "
        "differently.",
        "Each augmentor is scored alone, on the images as they are; one is drawn for each visit of an image, so that "
        "what two of them do together does not matter, and is not known.",
        "How far likely and unlikely ones are apart is set by tau. What leaves the images as they are often scores "
        "best: "
        "a policy that only draws such augmentors changes little.",
        policy->images_scored && policy->images_scored < policy->image_count
            ? policy->replicates ? "Not all images were scored. The intervals say what that costs in certainty."
                                 : "Not all images were scored, and what that costs in certainty is not known."
            : NULL};
    page_section(p, "limits", "What this does not say", NULL);
    page_list(p, items, items[4] ? 5 : 4);
}

static void add_settings(page *p, const gbv_policy *policy)
{
    char tau[80] = "", number[32], seed[24], scored[80] = "", size[60] = "", top_k[24] = "", evaluations[24] = "";
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)policy->seed);
    if (isfinite(policy->inverse_tau) && (size_t)policy->tau_mode < TAU_MODES)
        snprintf(tau, sizeof tau, "%s (%s)", page_full_number(policy->tau, number), tau_mode_words[policy->tau_mode]);
    if (policy->image_count)
        snprintf(scored, sizeof scored, "%zu of %zu", policy->images_scored, policy->image_count);
    if (policy->height)
        snprintf(size, sizeof size, "%zu x %zu", policy->height, policy->width);
    if (policy->top_k)
        snprintf(top_k, sizeof top_k, "%zu", policy->top_k);
    if (policy->evaluations)
        snprintf(evaluations, sizeof evaluations, "%zu", policy->evaluations);
    const page_setting all[] = {
        {"measure", policy->measure},
        {"variant", policy->variant},
        {"model", policy->model},
        {"grid", policy->measure ? policy->grid == GBV_GRID_CODE ? "code" : "paper" : NULL},
        {"noise", policy->noise == GBV_NOISE_CODE ? "code" : "paper"},
        {"prior", policy->measure ? policy->prior == GBV_PRIOR_EACH_OPERATOR ? "operator" : "uniform" : NULL},
        {"tau", tau},
        {"magnitudes weighed of each operator", top_k},
        {"images scored", scored},
        {"size of the images", size},
        {"evaluations of T", evaluations},
        {"seed", seed},
        {"backend", policy->backend},
        {"instruction set", policy->instruction_set}};
    page_settings(p, all, sizeof all / sizeof *all);
}

static void fill_input(const void *context, size_t row, size_t column, page_cell *cell)
{
    const gbv_policy *policy = context;
    const char *const texts[2][3] = {{policy->images, "images", policy->images_sha256},
                                     {policy->pretrained, "universal model", policy->pretrained_sha256}};
    cell->text = texts[row][column] ? texts[row][column] : "not known";
}

static void add_record(page *p, const gbv_policy *policy, const gbv_page_options *options)
{
    static const page_column inputs[] = {
        {.name = "File", .kind = PAGE_CODE}, {.name = "Role"}, {.name = "SHA-256", .kind = PAGE_CODE}};
    bool redact = options && options->redact;
    page_section(p, "record", "Record", "With the same version, inputs and options the numbers come out the same.");
    if (!redact && options && options->command && *options->command) {
        page_heading(p, "Command");
        page_code(p, options->command);
    }
    add_settings(p, policy);
    if (!redact && policy->images)
        page_table_add(p, &(page_table){.id = "inputs",
                                        .caption = "Inputs",
                                        .columns = inputs,
                                        .column_count = 3,
                                        .row_count = policy->pretrained ? 2 : 1,
                                        .cell = fill_input,
                                        .context = policy});
}

/* The three operators that are drawn most. */
static void write_headline(const policy_view *v, char *text, size_t size)
{
    enum { NAMED = 3 };
    size_t best[NAMED], count = 0;
    char share[PLAIN_TEXT];
    for (size_t i = 0; i < v->row_count; i++) {
        size_t at = count < NAMED ? count++ : NAMED - 1;
        if (at == NAMED - 1 && count == NAMED && i >= NAMED && drawn(&v->rows[i]) <= drawn(&v->rows[best[at]]))
            continue;
        for (; at > 0 && drawn(&v->rows[best[at - 1]]) < drawn(&v->rows[i]); at--)
            best[at] = best[at - 1];
        best[at] = i;
    }
    int length = snprintf(text, size, "Training draws ");
    for (size_t k = 0; k < count && (size_t)length < size; k++)
        length += snprintf(text + length, size - (size_t)length, "%s%s (%s)",
                           k == 0           ? ""
                           : k + 1 == count ? " and "
                                            : ", ",
                           v->rows[best[k]].op->name, plain_share(drawn(&v->rows[best[k]]), share));
    if ((size_t)length < size)
        snprintf(text + length, size - (size_t)length, "%s.", v->row_count > NAMED ? " most often" : "");
}

static void write_subject(const gbv_policy *policy, char *text, size_t size)
{
    char images[PLAIN_TEXT];
    if (policy->measure && policy->images_scored)
        snprintf(text, size, "%zu augmentors by %s of %s on %s images", policy->count, policy->measure,
                 policy->model ? policy->model : "a universal model", plain_count(policy->images_scored, images));
    else
        snprintf(text, size, "%zu augmentors", policy->count);
}

static void write_lead(const gbv_policy *policy, char *text, size_t size)
{
    char number[PLAIN_TEXT];
    snprintf(text, size,
             "One of %zu augmentors is drawn for each visit of an image; they are as many as %s equally likely "
             "ones.%s",
             policy->count, plain_number(policy->effective_augmentors, number),
             policy->density_count ? " Magnitudes in between are drawn, too: see the density." : "");
}

gbv_status gbv_policy_page(const gbv_policy *policy, const gbv_page_options *options, const char *path,
                           gbv_error *error)
{
    char headline[400], subject[240], lead[300];
    policy_view v;
    if (!view_open(&v, policy)) {
        view_close(&v);
        return error_out_of_memory(error, "a page");
    }
    write_headline(&v, headline, sizeof headline);
    write_subject(policy, subject, sizeof subject);
    write_lead(policy, lead, sizeof lead);
    page *p = page_open(&(page_head){.title = "gbv: what training does to images",
                                     .kind = "Policy",
                                     .subject = subject,
                                     .headline = headline,
                                     .lead = lead});
    add_map(p, &v);
    for (size_t i = 0; i < policy->warning_count; i++)
        page_warning(p, policy->warnings[i]);
    add_operators(p, &v);
    policy_section_density(p, &v);
    add_entries(p, &v);
    add_limits(p, policy);
    add_record(p, policy, options);
    gbv_status status = page_close(p, path, error);
    view_close(&v);
    return status;
}
