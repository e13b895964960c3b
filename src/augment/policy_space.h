/* policy_space.h - the operators that a named policy draws from, and what magnitudes stand for a strength from 0 to 1.
 *
 *     policy_space space;
 *     policy_space_common(&space, &(space_ranges){.degrees = 30, ...});
 *     policy_space_fit(&space, height, width, error);
 *     policy_space_step(&space, 5, 0.5, &stream, &draw);       rotate 15 or -15
 */
#ifndef AUGMENT_POLICY_SPACE_H
#define AUGMENT_POLICY_SPACE_H

#include "augment/augment.h"
#include "base/random.h"

enum { SPACE_OPERATORS = 16, SPACE_MAGNITUDES = GBV_GRID_MAGNITUDES };

typedef struct space_item {
    const gbv_operator *op; /* NULL: the image stays as it is */
    double first, last;     /* magnitudes at strength 0 and 1 */
    bool coin;              /* the sign is drawn */
    bool around_one;        /* the magnitude is one more: of factors */
    bool of_side;           /* first and last are shares of the image's side */
    bool rounded_up;        /* bits are, else to the nearest */
    double least, most;     /* magnitudes beyond are these, of a range; policy_space_fit says them */
    size_t count;           /* of a grid; 0: any strength is its own magnitude */
    double grid[SPACE_MAGNITUDES];
} space_item;

typedef struct policy_space {
    size_t count;
    space_item items[SPACE_OPERATORS];
    size_t strengths; /* 0, 1 / (strengths - 1), ... 1 are drawn from */
} policy_space;

/* The authors' program: 16 operators at 5 magnitudes each. */
GBV_MUST_CHECK gbv_status policy_space_code(policy_space *space, size_t height, size_t width, gbv_error *error);
/* The 14 operators of RandAugment, doing nothing among them, at 31 strengths; others took them over with ranges of
 * their own. All but the last two begin with what changes nothing. */
typedef struct space_ranges {
    double shear;
    double translate; /* pixels, or up to 1 shares of the side */
    double degrees;
    double factor;    /* of enhancements: 1 + factor or, by the coin, 1 - factor */
    double bits;      /* from 8 */
    double threshold; /* of solarize, down to 0 */
} space_ranges;
void policy_space_common(policy_space *space, const space_ranges *ranges);

double policy_space_magnitude(const space_item *item, double strength);
/* Adds the item at that strength to what is done to an image, its sign drawn where it has one. */
void policy_space_step(const policy_space *space, size_t item, double strength, random_stream *stream,
                       augment_draw *draw);
/* One of the space's strengths, all alike. */
double policy_space_strength(const policy_space *space, random_stream *stream);
/* Two items, any or different ones. */
void policy_space_pair(const policy_space *space, bool different, random_stream *stream, size_t items[2]);
/* Noise works on what the network sees, so that nothing can follow it. */
void policy_space_noise_last(augment_draw *draw);

/* Makes shares of sides pixels, and fails where the operators cannot take such images. */
GBV_MUST_CHECK gbv_status policy_space_fit(policy_space *space, size_t height, size_t width, gbv_error *error);

#endif
