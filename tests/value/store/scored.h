/* scored.h - a result that nobody had to compute: names and scores as given. */
#ifndef TESTS_VALUE_STORE_SCORED_H
#define TESTS_VALUE_STORE_SCORED_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "value/result.h"

/* A file's hash without a file. */
static inline void set_hash(gbv_input_record *input, const char *path, const char *content)
{
    input->path = strdup(path);
    hash_sha256(content, strlen(content), input->sha256);
}

/* Uniform prior, tau 1; the standard error of every score is `deviation`, NaN for no intervals. */
static inline gbv_result *scored(const char *const *names, const double *scores, size_t count, double deviation)
{
    gbv_result *r = result_create(count);
    r->version = strdup(gbv_version());
    r->method = strdup("gbv");
    r->problem = strdup("vendor");
    r->measure = strdup("leep");
    r->variant = strdup("");
    r->model = strdup("linear");
    r->feature_space = strdup("probabilities");
    r->instruction_set = strdup("avx2");
    r->tau_mode = GBV_TAU_FIXED;
    r->tau = r->tau_inverse = 1;
    r->reference_rows = 100;
    result_add_option(r, "tau", "1");
    result_add_option(r, "reference", "labelled");
    result_add_option(r, "intervals", isnan(deviation) ? "off" : "200");
    result_add_option(r, "l2", "0.1");
    r->inputs = calloc(count + 1, sizeof *r->inputs);
    r->input_count = count + 1;
    set_hash(&r->inputs[0], "reference.npz", "the reference");
    for (size_t i = 0; i < count; i++) {
        gbv_source_result *s = &r->sources[i];
        char content[300];
        snprintf(content, sizeof content, "%s %.17g", names[i], scores[i]);
        set_hash(&r->inputs[i + 1], names[i], content);
        s->name = strdup(names[i]);
        s->rows = 10 + i;
        s->score = scores[i];
        s->prior = 1 / (double)count;
        s->input = i + 1;
        s->score_interval[0] = scores[i] - 1.6448536269514722 * deviation;
        s->score_interval[1] = scores[i] + 1.6448536269514722 * deviation;
    }
    return r;
}

#endif
