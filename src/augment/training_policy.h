/* training_policy.h - what is done to the images of a training, visit by visit: a policy of a file or one that has a
 * name. Paper: section 4.3 (training samples from P(s)) and its baselines.
 *
 *     training_policy *policy;                                  NULL for "none"
 *     training_policy_open(&(training_policy_options){.name = "randaugment", ...}, &policy, error);
 *     feed rows = {..., .choose = training_policy_choose, .choosing = policy, .noise = policy->noise};
 *     training_policy_free(policy);
 *
 * A draw depends on the seed, the subject, the number of the visit and, where a policy looks at how the network does,
 * on the score of the row: never on who draws it.
 */
#ifndef AUGMENT_TRAINING_POLICY_H
#define AUGMENT_TRAINING_POLICY_H

#include "augment/augment.h"
#include "augment/policy_space.h"
#include "base/random.h"

typedef struct training_policy training_policy;

/* A policy that has a name: one file here and one line in policies.def. */
typedef struct policy_kind {
    gbv_named_policy info;
    void (*open)(policy_space *space, bool paper); /* fills what the code's grid is not */
    void (*choose)(const training_policy *p, size_t row, random_stream *stream, augment_draw *draw);
    /* How well the network does on a row, 0 to 1, from what it made of it; NULL: the policy does not look. */
    double (*judge)(const float *logits, size_t outputs, size_t target);
    bool in_halves; /* batches are halved, and the rows of every second half are judged, unchanged, before it is trained
                       on; else rows are judged as they are trained on, for their next visit */
} policy_kind;

struct training_policy {
    const policy_kind *kind; /* NULL: a file's */
    gbv_policy *file;        /* NULL: one that has a name */
    char *name;              /* or path, as it was given */
    const char *variant;     /* "code", "paper" or "" */
    bool paper;
    char sha256[65]; /* of the file; "" */
    char *note;      /* what the user should know; NULL: nothing */
    policy_space space;
    gbv_noise noise; /* paper or code */
    uint64_t seed;
    const char *subject; /* borrowed */
    uint32_t draw;
    float *scores; /* by row, of those judged last; 0 before; NULL: the policy does not look */
    size_t rows;
    bool judged; /* the rows of this half have been */
};

typedef struct training_policy_options {
    const char *name;    /* of a policy, or a file; NULL: "none" */
    const char *variant; /* NULL: the first */
    size_t rows;
    gbv_image_shape shape;
    bool bytes; /* the images are */
    uint64_t seed;
    const char *subject; /* by these random numbers are keyed, beside the visit */
    uint32_t draw;
} training_policy_options;

/* GBV_USAGE when there is no such policy or variant; whatever gbv_policy_read says of a file. */
GBV_MUST_CHECK gbv_status training_policy_check(const char *name, const char *variant, gbv_error *error);
bool training_policy_is_none(const char *name);

/* *policy is NULL for "none". GBV_BAD_INPUT also when the images are not what the policy can change. */
GBV_MUST_CHECK gbv_status training_policy_open(const training_policy_options *how, training_policy **policy,
                                               gbv_error *error);
void training_policy_free(training_policy *policy);

/* An augment_chooser; the context is a training_policy. */
void training_policy_choose(const void *policy, size_t row, uint64_t visit, augment_draw *draw);

/* Whether batches are halved: see policy_kind. */
bool training_policy_halves(const training_policy *p);
/* Takes note of what the network made of a row, where the policy looks. */
void training_policy_judge(training_policy *p, size_t row, const float *logits, size_t outputs, size_t target);

#endif
