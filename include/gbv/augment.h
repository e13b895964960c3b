/* augment.h - augmentors as sources: apply them, say what each is worth for a training set, and keep the answer as a
 * policy that training samples from. Paper: section 4.3 (data augmentation), Eq. 4, appendix (augmentation space).
 *
 *     gbv_augment_options options = gbv_augment_defaults();
 *     options.pretrained = "resnet50.safetensors";
 *     gbv_policy *policy;
 *     gbv_augment(images, &options, &policy, &error);
 *     gbv_policy_write(policy, "policy.json", &error);
 *
 * An augmentor is an operator (rotate) and a magnitude (45). T(m, s(D)), by a universal pretrained model m on the
 * images D as the augmentor s changes them, scores it; P(s) ~ p(s) exp(T/tau) is how often training draws it.
 */
#ifndef GBV_AUGMENT_H
#define GBV_AUGMENT_H

#include <gbv/plan.h>
#include <gbv/train.h>
#include <gbv/value.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What can be done to an image. */
typedef struct gbv_operator {
    const char *name;    /* "rotate" */
    const char *summary; /* one line for people, with what the magnitude is */
    bool has_magnitude;  /* else the magnitude is 0 */
    bool is_signed;      /* -m does the opposite of m, or what a factor of -m does */
    bool of_side;        /* least and most count sides of the image (its width or height) instead of pixels */
    double least, most;  /* what magnitudes may be applied, both included */
} gbv_operator;

/* The operators in the order of `gbv list operators`; NULL past the last. */
GBV_API const gbv_operator *gbv_operator_at(size_t index);
GBV_API const gbv_operator *gbv_operator_find(const char *name);

typedef struct gbv_augmentor {
    const gbv_operator *op;
    double magnitude;
    bool coin; /* its sign is drawn, fairly, for every image */
} gbv_augmentor;

/* The magnitudes that stand for an operator's range. */
typedef enum gbv_grid {
    GBV_GRID_PAPER, /* 68 augmentors: rotate from -90 to 90, nothing else below zero */
    GBV_GRID_CODE,  /* the authors' program: wider translations, the sign of most operators by a coin */
} gbv_grid;

enum { GBV_GRID_MAGNITUDES = 5 };

/* Where Gaussian noise is added. */
typedef enum gbv_noise {
    GBV_NOISE_OWN,   /* as the grid's authors: paper with the paper's grid, code with the code's */
    GBV_NOISE_PAPER, /* to pixels from 0 to 1, before they are normalised */
    GBV_NOISE_CODE,  /* to normalised pixels, which are then cut to 0..1 */
} gbv_noise;

/* The augmentors of a grid for images of that size, operators in their order and magnitudes as the grid has them (the
 * mildest first); *augmentors is the caller's to free. */
GBV_API GBV_MUST_CHECK gbv_status gbv_grid_create(gbv_grid grid, size_t height, size_t width,
                                                  gbv_augmentor **augmentors, size_t *count, gbv_error *error);

/* Applies one operator to an image of channels x height x width bytes (1 or 3 channels); `key` decides what is random
 * (the noise, by GBV_NOISE_PAPER) and nothing else. `out` is another array of the same size. GBV_USAGE for an unknown
 * operator or a magnitude out of its range, GBV_BAD_INPUT for an image that the operator cannot take. */
GBV_API GBV_MUST_CHECK gbv_status gbv_augment_apply(const char *op, double magnitude, uint64_t key, size_t channels,
                                                    size_t height, size_t width, const unsigned char *in,
                                                    unsigned char *out, gbv_error *error);
/* The same from one file (PNG, JPEG) to another, whose ending says which it is. */
GBV_API GBV_MUST_CHECK gbv_status gbv_augment_apply_file(const char *op, double magnitude, uint64_t seed,
                                                         const char *in, const char *out, gbv_error *error);

/* The prior over augmentors. */
typedef enum gbv_augment_prior {
    GBV_PRIOR_EACH_AUGMENTOR, /* uniform: an operator with five magnitudes has five shares */
    GBV_PRIOR_EACH_OPERATOR,  /* every operator one share, divided among its magnitudes */
} gbv_augment_prior;

/* A zeroed struct is not a default: start from gbv_augment_defaults(). */
typedef struct gbv_augment_options {
    const char *model;             /* what the weights must be ("resnet50"); NULL: whatever they are */
    const char *pretrained;        /* the universal model: a file of weights, with its head where the measure needs
                                      probabilities */
    const char *measure, *variant; /* NULL: leep, and the measure's default */
    gbv_grid grid;
    gbv_noise noise;
    gbv_tau_mode tau_mode; /* quick by default: 1 / log2 of the number of augmentors */
    double tau;            /* with GBV_TAU_FIXED */
    gbv_augment_prior prior;
    size_t top_k;  /* of each operator only the k best magnitudes are weighed, as the authors' program does; 0: all */
    size_t subset; /* so many images, classes in proportion, stand for all; 0: all */
    size_t replicates;  /* resampled image sets that the intervals are made of; 0: none. They say what the subset costs:
                           of all images there is nothing to be unsure of */
    bool continuous;    /* a density over (operator, magnitude) from the same scores, too */
    bool check_density; /* and Metropolis-Hastings and a variational form beside it, from new evaluations */
    uint64_t seed;
    const char *backend; /* as in gbv_model_options, like those below */
    const char *cache;   /* where scores are kept and found again; NULL: nowhere */
    size_t cache_bytes;
    size_t threads;
    size_t memory; /* bytes of readouts held at once when the decoded images do not fit; 0: 1 GiB */
    gbv_progress_callback *progress;
    void *context;
} gbv_augment_options;

GBV_API gbv_augment_options gbv_augment_defaults(void);

/* One augmentor of a policy. */
typedef struct gbv_policy_entry {
    gbv_augmentor augmentor;
    double score;                             /* T; NaN where the policy does not say */
    double score_low, score_high;             /* of the score of all images, where a subset was scored; NaN: none */
    double prior, probability;                /* p(s), P(s); each adds up to 1. P(s) is 0 for what top_k left out */
    double probability_low, probability_high; /* NaN: none */
} gbv_policy_entry;

/* One operator of a density over magnitudes: log-linear between its nodes. */
typedef struct gbv_density {
    const gbv_operator *op;
    bool coin;
    size_t count;              /* nodes; 1 without a magnitude */
    double *magnitudes;        /* increasing */
    double *scores;            /* T at each */
    double prior, probability; /* p and P of the operator */
} gbv_density;

/* How another way of finding the density agrees with it. */
typedef struct gbv_density_check {
    bool done;
    double *operator_probabilities;     /* one per density */
    double *errors;                     /* Monte-Carlo errors of them; NULL: none */
    double worst;                       /* the largest difference of an operator's P: see gbv_policy */
    double divergence;                  /* Kullback-Leibler, in nats: see gbv_policy; NaN: none */
    double acceptance, autocorrelation; /* of a chain, the latter in steps; NaN: it is none */
    size_t steps, evaluations;          /* new evaluations of T that it took */
} gbv_density_check;

/* A distribution over augmentors and how it was found. Everything but the entries may be missing from a file. */
typedef struct gbv_policy {
    size_t count;
    gbv_policy_entry *entries;
    size_t density_count; /* 0: only the entries are drawn from */
    gbv_density *densities;
    /* Of the densities. `denser` goes through the magnitudes half-way between the nodes, and all others that were
     * evaluated, too: its `worst` is the difference from the densities and its divergence that from them to it, which
     * is what the interpolation costs. `chain` is Metropolis-Hastings over the same scores, `worst` its difference from
     * the denser one in Monte-Carlo errors. `variational` is a Beta form for each operator, `worst` its difference from
     * the denser one, its divergence that from it to the denser one. */
    gbv_density_check denser, chain, variational;
    gbv_noise noise; /* paper or code */
    gbv_grid grid;
    gbv_augment_prior prior;
    size_t top_k;
    char *measure, *variant, *model, *pretrained, *pretrained_sha256;
    char *images, *images_sha256; /* the folder */
    size_t image_count, images_scored, class_count;
    size_t height, width; /* of the images it was made for */
    gbv_tau_mode tau_mode;
    double tau, inverse_tau; /* tau: NaN when infinite */
    double entropy, effective_augmentors;
    size_t evaluations;       /* of T: passes of the universal model over the images */
    size_t evaluations_found; /* in the cache, among them */
    size_t replicates;
    uint64_t seed;
    char *backend, *instruction_set;
    size_t threads;
    char **warnings;
    size_t warning_count;
    /* What scoring took; not part of what is written. */
    double seconds, forward_seconds; /* of the evaluations, and of the network within them */
} gbv_policy;

/* Scores the augmentors of the grid on the images of a labelled dataset and weighs them. The images must be what the
 * model takes: see gbv_model_prepare_images. Runs interrupted go on where they were when there is a cache. */
GBV_API GBV_MUST_CHECK gbv_status gbv_augment(const gbv_dataset *images, const gbv_augment_options *options,
                                              gbv_policy **policy, gbv_error *error);
GBV_API void gbv_policy_free(gbv_policy *policy);
/* What gbv_augment would do, and about how long it would take by a trial with one batch of images. Fails as gbv_augment
 * would; gbv_plan_free frees the plan. */
GBV_API GBV_MUST_CHECK gbv_status gbv_augment_plan(const gbv_dataset *images, const gbv_augment_options *options,
                                                   gbv_plan **plan, gbv_error *error);

/* A file of JSON that explains itself (docs/formats.md). Reading checks all of it: an operator that is not known, a
 * magnitude out of range, probabilities that do not add up to 1, a later version are GBV_BAD_INPUT. `path` NULL writes
 * to standard output. */
GBV_API GBV_MUST_CHECK gbv_status gbv_policy_write(const gbv_policy *policy, const char *path, gbv_error *error);
GBV_API GBV_MUST_CHECK gbv_status gbv_policy_read(const char *path, gbv_policy **policy, gbv_error *error);

/* The augmentor of the draw-th visit of image `row` of a training: from the density where there is one, else from the
 * entries; the sign is decided (coin false). */
GBV_API gbv_augmentor gbv_policy_draw(const gbv_policy *policy, uint64_t seed, size_t row, uint64_t draw);

/* Probability density of a magnitude within its operator, and the share of its probability at or below it: of
 * gbv_density, in closed form. `inverse_tau` is the policy's. An operator without magnitudes has all of it at its node,
 * where 1 is returned for the density. */
GBV_API double gbv_density_at(const gbv_density *density, double inverse_tau, double magnitude);
GBV_API double gbv_density_below(const gbv_density *density, double inverse_tau, double magnitude);

/* Every operator at every magnitude of the policy on `image_count` images (1 to 8) from all over the dataset, with its
 * probability under each, as one picture: a PNG, or a JPEG where the path ends so. */
GBV_API GBV_MUST_CHECK gbv_status gbv_contact_sheet_write(const gbv_policy *policy, const gbv_dataset *images,
                                                          size_t image_count, const char *path, gbv_error *error);

/* Whether gbv_contact_sheet_write takes that many images and that path; for callers with much to do before. */
GBV_API GBV_MUST_CHECK gbv_status gbv_contact_sheet_check(size_t image_count, const char *path, gbv_error *error);

/* The policies that training knows by name, without a file: "none", "trivialaugment", "randaugment",
 * "autoaugment", "entaugment", "sra"; NULL past the last. */
typedef struct gbv_named_policy {
    const char *name, *summary;
    const char *variants; /* as of a measure: "code|paper", the first is the default; "" when there is one form only */
} gbv_named_policy;
GBV_API const gbv_named_policy *gbv_named_policy_at(size_t index);

#ifdef __cplusplus
}
#endif
#endif
