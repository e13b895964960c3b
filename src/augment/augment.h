/* augment.h - what an operator is inside the room, and how the images of a batch are changed on their way to a network.
 *
 * A new operator is one file that defines `const augment_operator augment_<name>` and one line in augmentors.def. Each
 * is a pure function of (image, magnitude, key), so that any backend may run it.
 */
#ifndef AUGMENT_AUGMENT_H
#define AUGMENT_AUGMENT_H

#include <gbv/augment.h>

/* One image on its way through an operator: bytes by channel, row, column. */
typedef struct augment_image {
    size_t height, width, channels; /* 1 or 3 channels */
    const unsigned char *in;
    unsigned char *out; /* not `in` */
    void *scratch;      /* augment_scratch_bytes() of it, aligned for anything */
} augment_image;

typedef struct augment_operator {
    gbv_operator info;
    /* First and last magnitude of each grid; with info.of_side those of the code's are shares of the side. */
    struct augment_range {
        double first, last;
    } grid[2];
    bool coin[2];      /* the sign is drawn, by grid */
    bool whole_number; /* magnitudes are cut to integers (posterize, translate) */
    bool colours_only; /* grey images are left as they are (color) */
    bool along_width;  /* with info.of_side: the side is the width, else the height */
    /* Whether the magnitude leaves every image as it is: such augmentors are scored once. NULL: never. */
    bool (*is_identity)(double magnitude);
    /* The magnitude is in range. */
    void (*apply)(const augment_image *image, double magnitude, uint64_t key);
} augment_operator;

const augment_operator *augment_operator_at(size_t index);           /* NULL past the last */
const augment_operator *augment_operator_of(const gbv_operator *op); /* the entry that `op` is part of */
const char *augment_operator_name(size_t index);                     /* NULL past the last */
size_t augment_scratch_bytes(size_t height, size_t width, size_t channels);
/* Fails as gbv_augment_apply does. */
GBV_MUST_CHECK gbv_status augment_check(const gbv_operator *op, double magnitude, size_t height, size_t width,
                                        gbv_error *error);

enum { AUGMENT_STEPS = 2 };

/* What is done to one image in one visit: nothing, one operator or two after each other, signs decided. */
typedef struct augment_draw {
    size_t count;
    gbv_augmentor steps[AUGMENT_STEPS];
    uint64_t key; /* of what the operators draw themselves */
} augment_draw;

/* Says what is done to row `row` of a sample when it is fed the visit-th time; a pure function of what it is given. */
typedef void augment_chooser(const void *context, size_t row, uint64_t visit, augment_draw *draw);

/* The images of a batch, changed in place side by side by up to `threads` threads. Noise of GBV_NOISE_CODE cannot be
 * said in bytes: where a draw has it, the whole batch goes to `floats` (pixels from 0 to 1, before normalisation, such
 * that normalising gives what the noise made of the normalised ones). */
typedef struct augment_batch {
    size_t height, width, channels, count;
    const augment_draw *draws; /* count */
    gbv_noise noise;
    const float *mean, *deviation; /* of normalisation, 3 each; channel c takes number c */
    size_t threads;
    unsigned char *bytes; /* count x channels x height x width */
    unsigned char *spare; /* as much again for each thread: threads x one image */
    float *floats;        /* room for the batch; NULL: no draw has noise of the code */
    void *scratch;        /* threads x augment_scratch_bytes() */
} augment_batch;

/* True when the images are now in `floats`, false when they are in `bytes`. */
bool augment_images(const augment_batch *batch);

#endif
