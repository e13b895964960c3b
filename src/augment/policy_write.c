/* policy_write.c - a policy as one JSON document that says what it is. What differs between two equal runs (times, what
 * the cache had) is not in it. */
#include <math.h>

#include "augment/policy.h"
#include "base/json.h"
#include "base/output.h"
#include "base/words.h"

static const char *const about[] = {
    "This file is a policy of gbv: how often training should change an image by which augmentor.",
    "An augmentor is an operator (op) with a magnitude; \"sign\": \"coin\" draws the sign for every image, fairly.",
    "score is T, by the measure, of the universal model on the images as the augmentor changes them; larger is better.",
    "probability is P ~ prior * exp(score / tau): each visit of an image draws one augmentor by it.",
    "To train with it: gbv train --policy FILE. To write it by hand: kind, schema, and for each augmentor op, "
    "magnitude and probability are enough.",
};

static void write_interval(json_writer *json, const char *key, double low, double high)
{
    if (isnan(low) && isnan(high))
        return;
    json_begin_array(json, key);
    json_number(json, NULL, low);
    json_number(json, NULL, high);
    json_end(json);
}

static void write_entry(json_writer *json, const gbv_policy_entry *e)
{
    gbv_score_status status = e->score == -INFINITY ? GBV_SCORE_MINUS_INFINITY
                              : isfinite(e->score)  ? GBV_SCORE_OK
                                                    : GBV_SCORE_UNDEFINED;
    json_begin_object(json, NULL);
    json_text(json, "op", e->augmentor.op->name);
    json_number(json, "magnitude", e->augmentor.magnitude);
    json_text(json, "sign", policy_sign_words[e->augmentor.coin]);
    json_number(json, "score", e->score);
    json_text(json, "score_status", score_status_words[status]);
    write_interval(json, "score_interval", e->score_low, e->score_high);
    json_number(json, "prior", e->prior);
    json_number(json, "probability", e->probability);
    write_interval(json, "probability_interval", e->probability_low, e->probability_high);
    json_end(json);
}

static void write_numbers(json_writer *json, const char *key, const double *numbers, size_t count)
{
    json_begin_array(json, key);
    for (size_t i = 0; numbers && i < count; i++)
        json_number(json, NULL, numbers[i]);
    json_end(json);
}

static void write_check(json_writer *json, const char *key, const gbv_density_check *check, size_t count)
{
    if (!check->done)
        return;
    json_begin_object(json, key);
    write_numbers(json, "probabilities", check->operator_probabilities, count);
    if (check->errors)
        write_numbers(json, "errors", check->errors, count);
    json_number(json, "worst", check->worst);
    if (!isnan(check->divergence))
        json_number(json, "divergence", check->divergence);
    if (!isnan(check->acceptance)) {
        json_number(json, "acceptance", check->acceptance);
        json_number(json, "autocorrelation", check->autocorrelation);
    }
    json_count(json, "steps", check->steps);
    json_count(json, "evaluations", check->evaluations);
    json_end(json);
}

static void write_density(json_writer *json, const gbv_policy *p)
{
    json_begin_object(json, "density");
    json_begin_array(json, "operators");
    for (size_t i = 0; i < p->density_count; i++) {
        const gbv_density *d = &p->densities[i];
        json_begin_object(json, NULL);
        json_text(json, "op", d->op->name);
        json_text(json, "sign", policy_sign_words[d->coin]);
        json_number(json, "prior", d->prior);
        json_number(json, "probability", d->probability);
        write_numbers(json, "magnitudes", d->magnitudes, d->count);
        write_numbers(json, "scores", d->scores, d->count);
        json_end(json);
    }
    json_end(json);
    json_begin_object(json, "checks");
    write_check(json, "denser", &p->denser, p->density_count);
    write_check(json, "metropolis_hastings", &p->chain, p->density_count);
    write_check(json, "variational", &p->variational, p->density_count);
    json_end(json);
    json_end(json);
}

static void write_origin(json_writer *json, const gbv_policy *p)
{
    json_begin_object(json, "images");
    json_text(json, "path", p->images);
    json_text(json, "sha256", p->images_sha256);
    json_count(json, "count", p->image_count);
    json_count(json, "scored", p->images_scored);
    json_count(json, "classes", p->class_count);
    json_count(json, "height", p->height);
    json_count(json, "width", p->width);
    json_end(json);
    json_begin_object(json, "universal_model");
    json_text(json, "path", p->pretrained);
    json_text(json, "sha256", p->pretrained_sha256);
    json_end(json);
    if (p->replicates) {
        json_begin_object(json, "intervals");
        json_number(json, "level", 0.9);
        json_count(json, "replicates", p->replicates);
        json_text(json, "of", "the score of all images, of which a subset was scored");
        json_end(json);
    }
    json_begin_object(json, "run");
    json_text(json, "backend", p->backend);
    json_text(json, "instruction_set", p->instruction_set);
    json_end(json);
}

static void write_head(json_writer *json, const gbv_policy *p)
{
    json_text(json, "measure", p->measure);
    json_text(json, "variant", p->variant);
    json_text(json, "model", p->model);
    json_text(json, "grid", policy_grid_words[p->grid]);
    json_text(json, "noise", policy_noise_words[policy_noise(p->grid, p->noise)]);
    json_text(json, "prior", policy_prior_words[p->prior]);
    json_count(json, "top_k", p->top_k);
    if (p->tau_mode != GBV_TAU_OWN && !isnan(p->inverse_tau)) {
        json_begin_object(json, "tau");
        json_text(json, "mode", tau_mode_words[p->tau_mode]);
        json_number(json, "value", p->tau);
        json_number(json, "inverse", p->inverse_tau);
        json_end(json);
    }
    json_count(json, "seed", p->seed);
    json_number(json, "entropy", p->entropy);
    json_number(json, "effective_augmentors", p->effective_augmentors);
    json_count(json, "evaluations", p->evaluations);
}

static void write_document(json_writer *json, const gbv_policy *p)
{
    json_begin_object(json, NULL);
    json_text(json, "gbv", GBV_VERSION);
    json_count(json, "schema", POLICY_SCHEMA);
    json_text(json, "kind", POLICY_KIND);
    json_text(json, "command", "augment");
    json_begin_array(json, "about");
    for (size_t i = 0; i < sizeof about / sizeof *about; i++)
        json_text(json, NULL, about[i]);
    json_end(json);
    write_head(json, p);
    write_origin(json, p);
    json_begin_array(json, "warnings");
    for (size_t i = 0; i < p->warning_count; i++)
        json_text(json, NULL, p->warnings[i]);
    json_end(json);
    json_begin_array(json, "augmentors");
    for (size_t i = 0; i < p->count; i++)
        write_entry(json, &p->entries[i]);
    json_end(json);
    if (p->density_count)
        write_density(json, p);
    json_end(json);
}

gbv_status gbv_policy_write(const gbv_policy *policy, const char *path, gbv_error *error)
{
    output_file output;
    gbv_status status = output_open(path, &output, error);
    if (status != GBV_OK)
        return status;
    json_writer json = json_open(output.stream);
    write_document(&json, policy);
    return output_commit(&output, error);
}
