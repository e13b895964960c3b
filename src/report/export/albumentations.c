/* albumentations.c - a policy as a pipeline of albumentations 2.0, which its load() reads: one of many, by probability.
 * A sign by a coin is two transforms with half the probability each; a density is cut into bins. */
#include <math.h>

#include "report/export/albumentations.h"

enum { BINS = 32 }; /* of each operator's magnitudes, where there is a density; the note says so */

static const char *const about[] = {
    "How often to change an image by which augmentor: a policy that gbv wrote for albumentations 2.0.",
    "policy = albumentations.load(\"policy.json\"); policy(image=image)[\"image\"] changes one uint8 image, height x "
    "width x 3. In a pipeline it stands before Normalize: "
    "A.Compose([A.SmallestMaxSize(256), A.CenterCrop(224, 224), policy, A.Normalize(), ToTensorV2()])",
    "notes say what albumentations cannot do just as gbv does; all else has gbv's pixels, or is a level off by "
    "rounding.",
};

static const char *const notes[ALBUMENTATIONS_NOTES] = {
    [ALBUMENTATIONS_SHEAR] =
        "approximate: shear_x and shear_y are moved by whole pixels, so that they are up to half a "
        "pixel off (a whole one, and for square images only, where the policy does not say how "
        "large its images are)",
    [ALBUMENTATIONS_ROTATE] = "approximate: rotate picks another neighbour for about one pixel in a hundred, because "
                              "OpenCV rounds otherwise",
    [ALBUMENTATIONS_COLOR] = "approximate: color with a negative factor turns the hue by half a circle in HSV, which "
                             "keeps the largest channel instead of the brightness: pixels differ much",
    [ALBUMENTATIONS_CONTRAST] =
        "approximate: contrast with a negative factor is about the mean of all channels instead "
        "of that of the brightness: a few levels off",
    [ALBUMENTATIONS_SHARPER] = "approximate: sharpness above 1 changes the outermost pixels, too, which gbv leaves",
    [ALBUMENTATIONS_SMOOTHER] =
        "approximate: sharpness between 0 and 1 is a Gaussian blur of 3 x 3 pixels in which the "
        "middle weighs the same: a few levels off",
    [ALBUMENTATIONS_BLURRED] = "approximate: sharpness with a negative factor is a plain blur of 3 x 3 pixels: pixels "
                               "differ much",
    [ALBUMENTATIONS_EQUALIZE] = "approximate: equalize, which counts the histogram otherwise, is a few levels off",
    [ALBUMENTATIONS_NOISE] =
        "approximate: gaussian_noise belongs after normalisation by ImageNet's mean and deviation, "
        "and is rounded to levels of the image here; it takes images of three channels",
    [ALBUMENTATIONS_DENSITY] = "approximate: the density over magnitudes is cut into 32 bins for each operator, each "
                               "with its own probability and the magnitude of its middle",
    [ALBUMENTATIONS_UNKNOWN] = "left out: an operator that has no transform here; the image stays as it is instead",
};

typedef void take_augmentor(void *context, const albumentations_augmentor *augmentor);

/* One that the sign is decided of, or two. */
static void take_signs(albumentations_augmentor a, bool coin, take_augmentor *take, void *context)
{
    if (!(a.probability > 0))
        return;
    if (coin && a.magnitude != 0) {
        a.probability /= 2;
        take(context, &a);
        a.magnitude = -a.magnitude;
    }
    take(context, &a);
}

static void take_density(const gbv_density *d, double inverse_tau, albumentations_augmentor a, take_augmentor *take,
                         void *context)
{
    double low = d->magnitudes[0], high = d->magnitudes[d->count - 1], before = 0;
    a.op = d->op->name;
    size_t bins = high > low ? BINS : 1;
    for (size_t b = 0; b < bins; b++) {
        double end = low + (high - low) * (double)(b + 1) / (double)bins;
        double below = b + 1 < bins ? gbv_density_below(d, inverse_tau, end) : 1;
        a.magnitude = bins > 1 ? low + (high - low) * ((double)b + 0.5) / (double)bins : low;
        a.probability = d->probability * (below - before);
        take_signs(a, d->coin, take, context);
        before = below;
    }
}

static void walk(const gbv_policy *p, take_augmentor *take, void *context)
{
    albumentations_augmentor a = {.noise = p->noise, .height = p->height, .width = p->width};
    for (size_t i = 0; i < p->density_count; i++)
        take_density(&p->densities[i], p->inverse_tau, a, take, context);
    for (size_t i = 0; p->density_count == 0 && i < p->count; i++) {
        const gbv_policy_entry *e = &p->entries[i];
        a.op = e->augmentor.op->name;
        a.magnitude = e->augmentor.magnitude;
        a.probability = e->probability;
        take_signs(a, e->augmentor.coin, take, context);
    }
}

static void take_note(void *context, const albumentations_augmentor *a)
{
    bool *holds = context;
    holds[albumentations_note_of(a)] = true;
}

static const char *note(const gbv_policy *policy, size_t index)
{
    bool holds[ALBUMENTATIONS_NOTES] = {false};
    walk(policy, take_note, holds);
    holds[ALBUMENTATIONS_DENSITY] = policy->density_count > 0;
    for (size_t i = ALBUMENTATIONS_EXACT + 1; i < ALBUMENTATIONS_NOTES; i++)
        if (holds[i] && index-- == 0)
            return notes[i];
    return NULL;
}

static void take_transform(void *context, const albumentations_augmentor *a)
{
    json_writer *json = context;
    albumentations_write(json, a);
    json->compact = false;
}

static void write(const gbv_policy *policy, FILE *stream)
{
    json_writer json = json_open(stream);
    const char *text;
    json_begin_object(&json, NULL);
    json_text(&json, "__version__", "2.0.8");
    export_head(&json, "albumentations", about, sizeof about / sizeof *about);
    json_begin_array(&json, "notes");
    for (size_t i = 0; (text = note(policy, i)); i++)
        json_text(&json, NULL, text);
    json_end(&json);
    json_begin_object(&json, "transform");
    json_text(&json, "__class_fullname__", "Compose");
    json_number(&json, "p", 1);
    json_begin_array(&json, "transforms");
    json_begin_object(&json, NULL);
    json_text(&json, "__class_fullname__", "OneOf");
    json_number(&json, "p", 1);
    json_begin_array(&json, "transforms");
    walk(policy, take_transform, &json);
    while (json.depth)
        json_end(&json);
}

const export_target export_albumentations = {
    .info = {.name = "albumentations",
             .summary = "a pipeline that albumentations.load() reads (JSON), with notes of what only comes near",
             .of_policy = true},
    .policy = write,
    .note = note,
};
