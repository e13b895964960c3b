/* policy_read.c - a policy back from its file, which anyone may have written: everything is checked. Only kind, schema
 * and the augmentors must be there. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "augment/augment.h"
#include "augment/policy.h"
#include "base/error.h"
#include "base/json_fields.h"
#include "base/nearest.h"
#include "base/number.h"
#include "base/sentence.h"
#include "base/words.h"

enum { MOST_AUGMENTORS = 10000, MOST_NODES = 10000 };
static const long most_bytes = 64L << 20;
static const double sum_tolerance = 1e-6;

/* Keeps the first failure: what the place has, and what to do. */
static void refuse(json_fields *f, const sentence *found)
{
    if (f->status == GBV_OK)
        f->status = error_set(f->error, GBV_BAD_INPUT, "%s: %s %s", f->path, f->place, found->text);
}

static const gbv_operator *read_operator(json_fields *f, const json_t *object)
{
    const char *name = json_string_value(json_object_get(object, "op"));
    const gbv_operator *op = name ? gbv_operator_find(name) : NULL;
    if (!name)
        field_fail(f, "op", "the name of an operator");
    if (op || !name || f->status != GBV_OK)
        return op;
    sentence s = {0};
    sentence_add(&s, "has the operator ");
    sentence_quote(&s, name);
    sentence_add(&s, ", which this version (%s) does not know: ", GBV_VERSION);
    const char *nearest = nearest_name(name, augment_operator_name);
    if (nearest)
        sentence_add(&s, "did you mean %s? ", nearest);
    sentence_add(&s, "gbv list operators names them all");
    refuse(f, &s);
    return NULL;
}

/* A finite number that the operator takes; of images whose size the file says where it counts sides. */
static void check_magnitude(json_fields *f, const gbv_policy *p, const gbv_operator *op, double magnitude)
{
    char least[NUMBER_TEXT], most[NUMBER_TEXT], given[NUMBER_TEXT];
    gbv_error why;
    sentence s = {0};
    if (f->status != GBV_OK)
        return;
    number_format(magnitude, given);
    if (!op->has_magnitude && magnitude != 0) {
        sentence_add(&s, "gives %s the magnitude %s; it has none: write 0 or leave it out", op->name, given);
        refuse(f, &s);
    } else if (!op->of_side && !(magnitude >= op->least && magnitude <= op->most)) {
        sentence_add(&s, "has the magnitude %s; %s takes %s to %s: mend it", given, op->name,
                     number_format(op->least, least), number_format(op->most, most));
        refuse(f, &s);
    } else if (op->of_side && p->height && p->width &&
               augment_check(op, magnitude, p->height, p->width, &why) != GBV_OK) {
        sentence_add(&s, "does not fit images of %zu x %zu: %s", p->height, p->width, why.message);
        refuse(f, &s);
    }
}

static bool read_coin(json_fields *f, const json_t *object, const gbv_operator *op)
{
    bool coin = json_object_get(object, "sign") && field_word(f, object, "sign", policy_sign_words, 2);
    sentence s = {0};
    if (coin && op && !op->is_signed && f->status == GBV_OK) {
        sentence_add(&s, "draws the sign of %s by a coin, which has none: write \"given\"", op->name);
        refuse(f, &s);
    }
    return coin;
}

static double read_probability(json_fields *f, const json_t *object, const char *key)
{
    double p = field_number(f, object, key, 0);
    char text[NUMBER_TEXT];
    sentence s = {0};
    if (f->status == GBV_OK && !(p >= 0 && p <= 1 + sum_tolerance)) {
        sentence_add(&s, "has the %s %s; it must lie from 0 to 1: mend it", key, number_format(p, text));
        refuse(f, &s);
    }
    return p;
}

static double read_prior(json_fields *f, const json_t *object)
{
    const json_t *prior = json_object_get(object, "prior");
    return !prior || json_is_null(prior) ? NAN : read_probability(f, object, "prior");
}

static void read_interval(json_fields *f, const json_t *object, const char *key, double *low, double *high)
{
    double interval[2] = {NAN, NAN};
    if (json_object_get(object, key))
        field_interval(f, object, key, interval);
    *low = interval[0];
    *high = interval[1];
}

static void read_entry(json_fields *f, const json_t *object, const gbv_policy *p, gbv_policy_entry *e)
{
    const gbv_operator *op = read_operator(f, object);
    e->augmentor.op = op;
    e->augmentor.coin = read_coin(f, object, op);
    if (op && (op->has_magnitude || json_object_get(object, "magnitude")))
        e->augmentor.magnitude = field_number(f, object, "magnitude", 0);
    if (op)
        check_magnitude(f, p, op, e->augmentor.magnitude);
    if (op && e->augmentor.coin)
        check_magnitude(f, p, op, -e->augmentor.magnitude);
    e->score = field_optional_number(f, object, "score");
    if (json_object_get(object, "score_status") &&
        field_word(f, object, "score_status", score_status_words, 3) == GBV_SCORE_MINUS_INFINITY)
        e->score = -INFINITY;
    e->prior = read_prior(f, object);
    e->probability = read_probability(f, object, "probability");
    read_interval(f, object, "score_interval", &e->score_low, &e->score_high);
    read_interval(f, object, "probability_interval", &e->probability_low, &e->probability_high);
}

static void check_duplicates(json_fields *f, const gbv_policy *p)
{
    for (size_t i = 1; i < p->count && f->status == GBV_OK; i++)
        for (size_t j = 0; j < i; j++) {
            const gbv_augmentor *a = &p->entries[i].augmentor, *b = &p->entries[j].augmentor;
            char text[NUMBER_TEXT];
            if (a->op != b->op || a->magnitude != b->magnitude || a->coin != b->coin)
                continue;
            f->status = error_set(f->error, GBV_BAD_INPUT,
                                  "%s: augmentors %zu and %zu are both %s at %s: keep one, with both probabilities",
                                  f->path, j + 1, i + 1, a->op->name, number_format(a->magnitude, text));
            return;
        }
}

static void check_sum(json_fields *f, const double *first, size_t stride, size_t count, const char *of)
{
    double sum = 0;
    char text[NUMBER_TEXT];
    for (size_t i = 0; i < count; i++)
        sum += *(const double *)((const char *)first + i * stride);
    if (f->status == GBV_OK && !(fabs(sum - 1) <= sum_tolerance))
        f->status = error_set(f->error, GBV_BAD_INPUT,
                              "%s: the probabilities of its %zu %s add up to %s, not to 1: divide each by their sum",
                              f->path, count, of, number_format(sum, text));
}

static void read_entries(json_fields *f, const json_t *root, gbv_policy *p)
{
    const json_t *array = field_array(f, root, "augmentors");
    size_t count = json_array_size(array);
    if (f->status == GBV_OK && (count == 0 || count > MOST_AUGMENTORS))
        f->status = error_set(f->error, GBV_BAD_INPUT,
                              "%s: lists %zu augmentors; a policy has from 1 to %d: mend \"augmentors\"", f->path,
                              count, MOST_AUGMENTORS);
    if (!(p->entries = field_room(f, count, sizeof *p->entries)))
        return;
    p->count = count;
    for (size_t i = 0; i < count && f->status == GBV_OK; i++) {
        char place[64];
        snprintf(place, sizeof place, "augmentor %zu", i + 1);
        f->place = place;
        if (json_is_object(json_array_get(array, i)))
            read_entry(f, json_array_get(array, i), p, &p->entries[i]);
        else
            field_fail(f, "op", "an object with op, magnitude and probability");
        f->place = "the document";
    }
    check_duplicates(f, p);
    check_sum(f, &p->entries->probability, sizeof *p->entries, count, "augmentors");
}

/* null stands for `when_null`, where that is not NaN. */
static double *read_numbers(json_fields *f, const json_t *object, const char *key, size_t count, double when_null)
{
    const json_t *array = field_array(f, object, key);
    if (f->status == GBV_OK && json_array_size(array) != count)
        field_fail(f, key, "as many numbers as there are magnitudes or operators");
    double *numbers = field_room(f, count, sizeof *numbers);
    for (size_t i = 0; numbers && i < count; i++) {
        const json_t *number = json_array_get(array, i);
        bool absent = json_is_null(number) && !isnan(when_null);
        if (!absent && !json_is_number(number))
            field_fail(f, key, "numbers");
        numbers[i] = absent ? when_null : json_number_value(number);
    }
    return numbers;
}

static void read_density_operator(json_fields *f, const json_t *object, const gbv_policy *p, gbv_density *d)
{
    d->op = read_operator(f, object);
    d->coin = read_coin(f, object, d->op);
    d->prior = read_prior(f, object);
    d->probability = read_probability(f, object, "probability");
    d->count = json_array_size(field_array(f, object, "magnitudes"));
    if (f->status == GBV_OK && (d->count == 0 || d->count > MOST_NODES || (!d->op->has_magnitude && d->count > 1)))
        field_fail(f, "magnitudes", "at least one, and only one of an operator without a magnitude");
    d->magnitudes = read_numbers(f, object, "magnitudes", d->count, NAN);
    d->scores = read_numbers(f, object, "scores", d->count, -INFINITY);
    for (size_t i = 0; i < d->count && f->status == GBV_OK; i++) {
        check_magnitude(f, p, d->op, d->magnitudes[i]);
        if (d->coin)
            check_magnitude(f, p, d->op, -d->magnitudes[i]);
        if (i && !(d->magnitudes[i] > d->magnitudes[i - 1]))
            field_fail(f, "magnitudes", "increasing numbers");
    }
}

static void read_check(json_fields *f, const json_t *checks, const char *key, size_t count, gbv_density_check *check)
{
    const json_t *object = json_object_get(checks, key);
    if (!object)
        return;
    check->done = true;
    check->operator_probabilities = read_numbers(f, object, "probabilities", count, NAN);
    if (json_object_get(object, "errors"))
        check->errors = read_numbers(f, object, "errors", count, NAN);
    check->worst = field_optional_number(f, object, "worst");
    check->divergence = field_optional_number(f, object, "divergence");
    check->acceptance = field_optional_number(f, object, "acceptance");
    check->autocorrelation = field_optional_number(f, object, "autocorrelation");
    check->steps = field_optional_count(f, object, "steps");
    check->evaluations = field_optional_count(f, object, "evaluations");
}

static void read_density(json_fields *f, const json_t *object, gbv_policy *p)
{
    const json_t *array = field_array(f, object, "operators"), *checks = json_object_get(object, "checks");
    size_t count = json_array_size(array);
    if (f->status == GBV_OK && (count == 0 || count > MOST_AUGMENTORS))
        field_fail(f, "operators", "at least one operator");
    if (f->status == GBV_OK && !(p->inverse_tau >= 0 && isfinite(p->inverse_tau)))
        field_fail(f, "tau", "the inverse temperature that the density is of");
    if (!(p->densities = field_room(f, count, sizeof *p->densities)))
        return;
    p->density_count = count;
    for (size_t i = 0; i < count && f->status == GBV_OK; i++) {
        char place[64];
        snprintf(place, sizeof place, "operator %zu of \"density\"", i + 1);
        f->place = place;
        read_density_operator(f, json_array_get(array, i), p, &p->densities[i]);
        f->place = "the document";
    }
    check_sum(f, &p->densities->probability, sizeof *p->densities, count, "operators of \"density\"");
    read_check(f, checks, "denser", count, &p->denser);
    read_check(f, checks, "metropolis_hastings", count, &p->chain);
    read_check(f, checks, "variational", count, &p->variational);
}

static void read_origin(json_fields *f, const json_t *root, gbv_policy *p)
{
    const json_t *images = json_object_get(root, "images"), *model = json_object_get(root, "universal_model"),
                 *run = json_object_get(root, "run"), *intervals = json_object_get(root, "intervals");
    p->image_count = field_optional_count(f, images, "count");
    p->images_scored = field_optional_count(f, images, "scored");
    p->class_count = field_optional_count(f, images, "classes");
    p->height = field_optional_count(f, images, "height");
    p->width = field_optional_count(f, images, "width");
    p->replicates = field_optional_count(f, intervals, "replicates");
    struct {
        const json_t *object;
        const char *key;
        char **text;
    } texts[] = {{images, "path", &p->images},    {images, "sha256", &p->images_sha256},
                 {model, "path", &p->pretrained}, {model, "sha256", &p->pretrained_sha256},
                 {run, "backend", &p->backend},   {run, "instruction_set", &p->instruction_set},
                 {root, "measure", &p->measure},  {root, "variant", &p->variant},
                 {root, "model", &p->model}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!json_is_null(json_object_get(texts[i].object, texts[i].key)))
            *texts[i].text = field_optional_text(f, texts[i].object, texts[i].key);
}

static void read_head(json_fields *f, const json_t *root, gbv_policy *p)
{
    const json_t *tau = json_object_get(root, "tau");
    if (json_object_get(root, "grid"))
        p->grid = (gbv_grid)field_word(f, root, "grid", policy_grid_words, 2);
    p->noise = policy_noise(p->grid, GBV_NOISE_OWN);
    if (json_object_get(root, "noise"))
        p->noise = (gbv_noise)(1 + field_word(f, root, "noise", policy_noise_words + 1, 2));
    if (json_object_get(root, "prior"))
        p->prior = (gbv_augment_prior)field_word(f, root, "prior", policy_prior_words, 2);
    p->top_k = field_optional_count(f, root, "top_k");
    if (tau) {
        p->tau_mode = (gbv_tau_mode)field_word(f, tau, "mode", tau_mode_words, TAU_MODES);
        p->tau = field_number(f, tau, "value", NAN);
        p->inverse_tau = field_number(f, tau, "inverse", 0);
    }
    p->seed = field_optional_count(f, root, "seed");
    p->evaluations = field_optional_count(f, root, "evaluations");
    read_origin(f, root, p);
    if (json_object_get(root, "warnings"))
        p->warnings = field_texts(f, root, "warnings", &p->warning_count);
}

/* Whether the document is a policy that this version can read. */
static void check_kind(json_fields *f, const json_t *root)
{
    const char *kind = json_string_value(json_object_get(root, "kind")),
               *version = json_string_value(json_object_get(root, "gbv"));
    if (!kind || strcmp(kind, POLICY_KIND) != 0) {
        f->status = error_set(
            f->error, GBV_BAD_INPUT, "%s: is %s, not a policy of augmentors: make one with gbv augment", f->path,
            json_object_get(root, "sources")      ? "a result of gbv value"
            : json_object_get(root, "augmentors") ? "a list of augmentors without \"kind\": \"policy\""
                                                  : "some other JSON");
        return;
    }
    const json_t *schema = json_object_get(root, "schema");
    if (json_is_integer(schema) && json_integer_value(schema) > POLICY_SCHEMA) {
        sentence s = {0};
        sentence_add(&s, "was written by a later version of gbv");
        if (version) {
            sentence_add(&s, ", ");
            sentence_quote(&s, version);
        }
        f->status = error_set(f->error, GBV_BAD_INPUT,
                              "%s: %s (schema %lld; this one, %s, reads schema %d): bring gbv up to date", f->path,
                              s.text, (long long)json_integer_value(schema), GBV_VERSION, POLICY_SCHEMA);
    } else if (!json_is_integer(schema) || json_integer_value(schema) != POLICY_SCHEMA) {
        field_fail(f, "schema", "the number 1");
    }
}

static gbv_status read_document(const json_t *root, const char *path, gbv_policy **policy, gbv_error *error)
{
    json_fields f = {.path = path, .place = "the document", .what = "policy", .command = "augment", .error = error};
    gbv_policy *p = policy_create();
    if (!p)
        return error_out_of_memory(error, "a policy");
    check_kind(&f, root);
    if (f.status == GBV_OK)
        read_head(&f, root, p);
    if (f.status == GBV_OK)
        read_entries(&f, root, p);
    if (f.status == GBV_OK && json_object_get(root, "density"))
        read_density(&f, json_object_get(root, "density"), p);
    if (f.status == GBV_OK) {
        policy_weigh(p);
        *policy = p;
    } else {
        gbv_policy_free(p);
    }
    return f.status;
}

gbv_status gbv_policy_read(const char *path, gbv_policy **policy, gbv_error *error)
{
    struct stat about;
    json_t *root;
    *policy = NULL;
    if (stat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > most_bytes)
        return error_set(error, GBV_BAD_INPUT, "%s: has %lld bytes; no policy has more than %ld: name another file",
                         path, (long long)about.st_size, most_bytes);
    gbv_status status = json_file_read(path, "a policy of gbv augment", &root, error);
    if (status != GBV_OK)
        return status;
    status = read_document(root, path, policy, error);
    json_decref(root);
    return status;
}
