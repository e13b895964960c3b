/* albumentations.h - one augmentor as transforms of albumentations 2.0.
 *
 * Each operator is said by the transform that does the same, where there is one; what only comes near is noted.
 */
#ifndef REPORT_EXPORT_ALBUMENTATIONS_H
#define REPORT_EXPORT_ALBUMENTATIONS_H

#include "report/export/export.h"

/* What cannot be said exactly. */
typedef enum albumentations_note {
    ALBUMENTATIONS_EXACT, /* to the pixel, but for rounding */
    ALBUMENTATIONS_SHEAR,
    ALBUMENTATIONS_ROTATE,
    ALBUMENTATIONS_COLOR,
    ALBUMENTATIONS_CONTRAST,
    ALBUMENTATIONS_SHARPER,
    ALBUMENTATIONS_SMOOTHER,
    ALBUMENTATIONS_BLURRED,
    ALBUMENTATIONS_EQUALIZE,
    ALBUMENTATIONS_NOISE,
    ALBUMENTATIONS_DENSITY,
    ALBUMENTATIONS_UNKNOWN, /* an operator that is not known here */
    ALBUMENTATIONS_NOTES,
} albumentations_note;

typedef struct albumentations_augmentor {
    const char *op;
    double magnitude; /* the sign decided */
    double probability;
    gbv_noise noise;
    size_t height, width; /* of the images that the policy was made for; 0: not known */
} albumentations_augmentor;

albumentations_note albumentations_note_of(const albumentations_augmentor *a);
/* The transform as an object of an array that is open. */
void albumentations_write(json_writer *json, const albumentations_augmentor *a);

#endif
