#include "report/command.h"

#include <gbv/report.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

typedef struct command_line {
    FILE *stream;
    const gbv_result *result;
} command_line;

void command_write_word(FILE *stream, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
    if (*word && strspn(word, plain) == strlen(word)) {
        fputs(word, stream);
        return;
    }
    fputc('\'', stream);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", stream);
        else
            fputc(*word, stream);
    fputc('\'', stream);
}

/* --name, and its value unless it is NULL. */
static void add(const command_line *line, const char *name, const char *value)
{
    fprintf(line->stream, " --%s", name);
    if (value) {
        fputc(' ', line->stream);
        command_write_word(line->stream, value);
    }
}

static void add_named(const command_line *line, const char *name, const char *source_name, const char *dataset)
{
    size_t length = strlen(source_name) + strlen(dataset) + 2;
    char *value = malloc(length);
    if (value)
        snprintf(value, length, "%s=%s", source_name, dataset);
    add(line, name, value ? value : dataset);
    free(value);
}

static const char *option_of(const command_line *line, const char *name)
{
    for (size_t i = 0; i < line->result->option_count; i++)
        if (strcmp(line->result->options[i].name, name) == 0)
            return line->result->options[i].value;
    return NULL;
}

static bool is(const char *text, const char *word)
{
    return text && strcmp(text, word) == 0;
}

static const char *dataset_of(const gbv_input_record *input)
{
    return input->dataset ? input->dataset : input->path;
}

static const gbv_input_record *input_of_role(const gbv_result *r, const char *role)
{
    for (size_t i = 0; i < r->input_count; i++)
        if (is(r->inputs[i].role, role))
            return &r->inputs[i];
    return NULL;
}

static void add_reference(const command_line *line)
{
    const gbv_result *r = line->result;
    const char *kind = option_of(line, "reference");
    const gbv_input_record *gold = input_of_role(r, "gold");
    if (kind && strncmp(kind, "none", 4) == 0)
        add(line, "no-reference", NULL);
    else if (r->input_count && !is(r->inputs[0].role, "gold"))
        add(line, is(kind, "unlabelled") ? "reference-unlabeled" : "reference", dataset_of(&r->inputs[0]));
    if (gold)
        add(line, "gold", gold->path);
    if (is(kind, "none: union"))
        add(line, "variant", "paper");
}

/* Each dataset once: a table of many sources is one. */
static void add_sources(const command_line *line)
{
    const gbv_result *r = line->result;
    const gbv_input_record *annotations = input_of_role(r, "annotations"), *items = input_of_role(r, "items"),
                           *table = NULL;
    if (annotations) {
        add(line, "annotations", annotations->path);
        if (items)
            add(line, "items", dataset_of(items));
        return;
    }
    for (size_t i = 0; i < r->source_count; i++) {
        const gbv_source_result *s = &r->sources[i];
        const gbv_input_record *input = &r->inputs[s->input];
        bool again = i && r->sources[i - 1].input == s->input;
        if (!input->source_column)
            add_named(line, s->rows ? "source" : "probabilities", s->name, dataset_of(input));
        else if (!again) {
            if (!table)
                add(line, "source-column", input->source_column);
            add(line, table ? "source" : "sources", dataset_of(input));
            table = input;
        }
    }
}

/* How the files were read, which is said once for all of them. */
static void add_reading(const command_line *line)
{
    static const char *const colors[] = {"auto", "gray", "rgb"};
    const gbv_result *r = line->result;
    gbv_input_record how = {0};
    for (size_t i = 0; i < r->input_count; i++) {
        const gbv_input_record *input = &r->inputs[i];
        how.label_column = how.label_column ? how.label_column : input->label_column;
        how.item_column = how.item_column ? how.item_column : input->item_column;
        how.resize = how.resize ? how.resize : input->resize;
        how.crop = how.crop ? how.crop : input->crop;
        how.color = how.color ? how.color : input->color;
        how.skip_bad_rows |= input->skip_bad_rows;
    }
    if (how.label_column)
        add(line, "label-column", how.label_column);
    if (how.item_column)
        add(line, "item-column", how.item_column);
    if (how.resize) {
        char sizes[64];
        snprintf(sizes, sizeof sizes, "%zu/%zu", how.resize, how.crop ? how.crop : how.resize);
        add(line, "preprocess", sizes);
    } else if (strncmp(r->model, "resnet", 6) == 0)
        add(line, "preprocess", "none");
    if (how.color != GBV_COLOR_AUTO)
        add(line, "color", colors[how.color]);
    if (how.skip_bad_rows)
        add(line, "skip-bad-rows", NULL);
}

/* NAME:FORM of one way of scoring, as --method takes it. */
static void write_method(FILE *stream, const gbv_measure_result *by)
{
    bool own = is(by->method, "gbv");
    const char *form = own ? by->measure : by->variant;
    fprintf(stream, "%s%s%s", by->method, *form ? ":" : "", form);
}

static void add_methods(const command_line *line)
{
    const gbv_result *r = line->result;
    char *list = NULL;
    size_t length = 0, count = 0;
    FILE *stream = open_memstream(&list, &length);
    if (!stream)
        return;
    for (size_t m = 0; m < r->measure_count; m++)
        if (!r->measures[m].beside) {
            fputs(count++ ? "," : "", stream);
            write_method(stream, &r->measures[m]);
        }
    fclose(stream);
    if (count > 1)
        add(line, "method", list);
    else {
        bool own = is(r->method, "gbv");
        if (!own)
            add(line, "method", r->method);
        else if (!is(r->measure, "leep"))
            add(line, "measure", r->measure);
        const char *reference = option_of(line, "reference");
        if (*r->variant && !(reference && strncmp(reference, "none", 4) == 0))
            add(line, "variant", r->variant);
    }
    free(list);
}

static bool has_own_tau(const char *method, gbv_tau_mode mode, double tau)
{
    return is(method, "gbv") ? mode == GBV_TAU_QUICK : mode == GBV_TAU_FIXED && tau == 1;
}

static void add_tau(const command_line *line)
{
    const gbv_result *r = line->result;
    bool own = has_own_tau(r->method, r->tau_mode, r->tau);
    for (size_t m = 0; m < r->measure_count; m++)
        own &= r->measures[m].beside || has_own_tau(r->measures[m].method, r->measures[m].tau_mode, r->measures[m].tau);
    if (!own && option_of(line, "tau"))
        add(line, "tau", option_of(line, "tau"));
    if (r->tau_curve)
        add(line, "tau-curve", NULL);
}

/* A recorded option that has a number and is not the model's own default. */
static void add_number(const command_line *line, const char *recorded, const char *name, double usual)
{
    const char *value = option_of(line, recorded);
    char text[NUMBER_TEXT];
    if (value && !is(value, "auto") && !is(value, number_format(usual, text)))
        add(line, name, value);
}

static void add_word(const command_line *line, const char *recorded, const char *name, const char *usual)
{
    const char *value = option_of(line, recorded);
    if (value && !(usual && is(value, usual)))
        add(line, name, value);
}

static void add_model(const command_line *line)
{
    enum { MANY_ROWS = 1 << 24 };
    const gbv_result *r = line->result;
    gbv_model_options usual = gbv_model_defaults();
    const char *name, *summary;
    for (size_t i = 0; gbv_list("models", i, &name, &summary); i++) /* a later version may know others */
        if (is(r->model, name))
            usual.model = name;
    usual.pretrained = option_of(line, "pretrained");
    usual = gbv_model_resolve(&usual, MANY_ROWS);
    if (!is(r->model, "linear"))
        add(line, "model", r->model);
    add_word(line, "pretrained", "pretrained", NULL);
    add_number(line, "l2", "l2", usual.l2);
    add_number(line, "hidden", "hidden", (double)usual.hidden);
    add_number(line, "epochs", "epochs", NAN);
    add_number(line, "batch", "batch-size", (double)usual.batch);
    add_number(line, "learning_rate", "learning-rate", usual.learning_rate);
    add_word(line, "optimizer", "optimizer", is(r->model, "linear") || is(r->model, "mlp") ? NULL : usual.optimizer);
    add_word(line, "schedule", "schedule", is(r->model, "linear") || is(r->model, "mlp") ? NULL : usual.schedule);
    if (option_of(line, "nesterov_momentum"))
        add(line, "nesterov", NULL);
    add_number(line, "nesterov_momentum", "momentum", usual.momentum);
    add_number(line, "momentum", "momentum", usual.momentum);
    add_number(line, "weight_decay", "weight-decay", 0);
    add_number(line, "label_smoothing", "label-smoothing", 0);
    add_number(line, "dropout", "dropout", 0);
    add_number(line, "held_out", "held-out", NAN);
    add_number(line, "patience", "patience", 0);
    add_word(line, "use", "use", "weighting");
    add_word(line, "normalise", "normalise", usual.normalise);
    add_word(line, "backend", "backend", "cpu");
    add_word(line, "threads_per_model", "threads-per-model", NULL);
}

static void add_options(const command_line *line, const gbv_comparison *comparison)
{
    const gbv_result *r = line->result;
    const gbv_input_record *test = input_of_role(r, "test");
    bool of_rows = is(r->model, "linear") || is(r->model, "mlp");
    char seed[32];
    if (comparison) {
        add_word(line, "methods", "methods", NULL);
        if (test)
            add(line, "test", dataset_of(test));
        add_word(line, "seeds", "seeds", "5");
    } else
        add_methods(line);
    add_tau(line);
    add_word(line, "intervals", "intervals", comparison ? "off" : "200");
    add_word(line, "refits", "refits", of_rows ? "20" : "0");
    if (is(option_of(line, "prior"), "given"))
        add(line, "prior", "prior.csv");
    else if (is(option_of(line, "prior"), "ledger"))
        add(line, "prior-ledger", "ledger.db");
    else
        add_word(line, "prior", "prior", "uniform");
    add_model(line);
    if (option_of(line, "fast"))
        add(line, "fast", NULL);
    add_word(line, "undefined", "undefined", NULL);
    add_word(line, "join", "join", "auto");
    add_word(line, "control", "control", NULL);
    if (option_of(line, "show_emails"))
        add(line, "show-emails", NULL);
    if (option_of(line, "allow_overlap"))
        add(line, "allow-overlap", NULL);
    add_word(line, "class_map", "class-map", NULL);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)r->seed);
    if (r->seed != gbv_model_defaults().seed)
        add(line, "seed", seed);
}

char *command_of_result(const gbv_result *result, const gbv_comparison *comparison)
{
    char *text = NULL;
    size_t length = 0;
    command_line line = {.stream = open_memstream(&text, &length), .result = result};
    bool of_files = result->input_count;
    if (!line.stream)
        return NULL;
    for (size_t i = 0; i < result->input_count; i++)
        of_files &= *result->inputs[i].sha256 != '\0';
    if (of_files) {
        fprintf(line.stream, "gbv %s", comparison ? "compare" : "value");
        add_reference(&line);
        add_sources(&line);
        add_reading(&line);
        add_options(&line, comparison);
    }
    if (fclose(line.stream) == 0)
        return text;
    free(text);
    return NULL;
}

char *gbv_command_line(const char *const *words, size_t count)
{
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        fputs(i ? " " : "", stream);
        command_write_word(stream, words[i]);
    }
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}
