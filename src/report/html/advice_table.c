#include "report/html/advice_table.h"

#include <string.h>

#include "report/plain.h"

enum { OF_EACH = 3 };

const page_badge advice_badges[] = {
    [GBV_ACTION_BUY] = {"buy", TONE_GOOD},
    [GBV_ACTION_KEEP] = {"keep", TONE_FINE},
    [GBV_ACTION_QUESTION] = {"question", TONE_ASK},
    [GBV_ACTION_STOP] = {"stop", TONE_BAD},
    [GBV_ACTION_UNKNOWN] = {"can't tell", TONE_OPEN},
};

enum { NAMED = 3, SHORT_NAME = 40 };

static void add_name(sentence *s, const char *name)
{
    if (strlen(name) <= SHORT_NAME)
        sentence_add(s, "%s", name);
    else
        sentence_quote(s, name);
}

/* "anna", "anna and ben", "anna, ben and 7 others"; of many sources "9 sources". */
static void add_names(sentence *s, const advised *sources, size_t count, gbv_action action, size_t having)
{
    char number[PLAIN_TEXT];
    size_t named = having <= NAMED ? having : NAMED - 1;
    if (having > NAMED && count > ADVICE_ON_ONE_PAGE) {
        sentence_add(s, "%s sources", plain_count(having, number));
        return;
    }
    for (size_t i = 0, found = 0; i < count && found < named; i++)
        if (sources[i].advice->action == action) {
            sentence_add(s, "%s", found == 0 ? "" : found + 1 == having ? " and " : ", ");
            add_name(s, sources[i].name);
            found++;
        }
    if (named < having)
        sentence_add(s, " and %s others", plain_count(having - named, number));
}

void advice_headline(const advised *sources, size_t count, sentence *headline)
{
    static const struct {
        gbv_action action;
        const char *first, *later; /* words before the names */
    } clauses[] = {{GBV_ACTION_BUY, "Buy from ", "buy from "},
                   {GBV_ACTION_KEEP, "Keep ", "keep "},
                   {GBV_ACTION_QUESTION, "Question ", "question "},
                   {GBV_ACTION_STOP, "Stop ", "stop "},
                   {GBV_ACTION_UNKNOWN, "We can't tell about ", "we can't tell about "}};
    char number[PLAIN_TEXT];
    size_t counts[ADVICE_BADGES] = {0};
    for (size_t i = 0; i < count; i++)
        counts[sources[i].advice->action]++;
    if (count > 1 && counts[GBV_ACTION_UNKNOWN] == count) {
        sentence_add(headline, "We can't tell these %s sources apart yet.", plain_count(count, number));
        return;
    }
    for (size_t k = 0; k < ADVICE_BADGES; k++)
        if (counts[clauses[k].action]) {
            sentence_add(headline, "%s%s", headline->length ? "; " : "",
                         headline->length ? clauses[k].later : clauses[k].first);
            add_names(headline, sources, count, clauses[k].action, counts[clauses[k].action]);
        }
    sentence_add(headline, headline->length ? "." : "There are no sources.");
}

typedef struct chosen {
    const advised *sources;
    size_t shown[ADVICE_ON_ONE_PAGE], count;
} chosen;

static void fill(const void *context, size_t row, size_t column, page_cell *cell)
{
    const chosen *c = context;
    const advised *s = &c->sources[c->shown[row]];
    if (column == 0)
        cell->text = s->name;
    else if (column == 1)
        cell->value = s->advice->action;
    else if (column == 2) {
        cell->value = s->weight;
        cell->low = s->low;
        cell->high = s->high;
    } else {
        cell->text = s->advice->reason;
        cell->detail = s->advice->settles;
    }
}

/* Of many sources a few of each verdict, what costs or earns most first. */
static void choose(chosen *c, size_t count)
{
    static const gbv_action first[] = {GBV_ACTION_BUY, GBV_ACTION_QUESTION, GBV_ACTION_STOP, GBV_ACTION_UNKNOWN,
                                       GBV_ACTION_KEEP};
    for (size_t i = 0; count <= ADVICE_ON_ONE_PAGE && i < count; i++)
        c->shown[c->count++] = i;
    for (size_t k = 0; count > ADVICE_ON_ONE_PAGE && k < ADVICE_BADGES; k++)
        for (size_t i = 0, found = 0; i < count && found < OF_EACH && c->count < ADVICE_ON_ONE_PAGE; i++)
            if (c->sources[i].advice->action == first[k]) {
                c->shown[c->count++] = i;
                found++;
            }
}

void page_advice(page *p, const advised *sources, size_t count, const char *all_id)
{
    static const page_column columns[] = {
        {.name = "Source"},
        {.name = "Verdict", .kind = PAGE_BADGE, .badges = advice_badges, .badge_count = ADVICE_BADGES},
        {.name = "Weight",
         .kind = PAGE_SHARE,
         .interval = true,
         .help = "its share in the training loss, with interval"},
        {.name = "Why", .detail = true, .detail_name = "What would settle it"},
    };
    chosen c = {.sources = sources};
    size_t counts[ADVICE_BADGES] = {0};
    char all[PLAIN_TEXT];
    for (size_t i = 0; i < count; i++)
        counts[sources[i].advice->action]++;
    choose(&c, count);
    page_tally(p, advice_badges, counts, ADVICE_BADGES);
    page_table_add(p, &(page_table){.id = "verdicts",
                                    .caption = "What to do about each source",
                                    .columns = columns,
                                    .column_count = sizeof columns / sizeof *columns,
                                    .row_count = c.count,
                                    .cell = fill,
                                    .context = &c,
                                    .cards = true});
    if (c.count < count)
        page_link(p, all_id, "Up to %d of each verdict; all %s sources are in the table below.", OF_EACH,
                  plain_count(count, all));
}

void page_advice_rules(page *p)
{
    char rule[ADVICE_BADGES][400];
    const char *rules[ADVICE_BADGES];
    page_details_begin(p, "How verdicts are chosen");
    for (size_t i = 0; i < ADVICE_BADGES; i++) {
        snprintf(rule[i], sizeof rule[i], "%s: %s", advice_badges[i].word, gbv_action_rule((gbv_action)i));
        rules[i] = rule[i];
    }
    page_list(p, rules, ADVICE_BADGES);
    page_details_end(p);
}
