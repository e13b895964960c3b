/* gbv augment apply - one operator on one image file. */
#include "augment.h"

#include <math.h>
#include <string.h>

#include <gbv/gbv.h>

#include "page.h"

static int check(const command *self, const char *name, double magnitude, const text_list *files)
{
    if (!name)
        return complain(self, GBV_USAGE, "which operator? Name it with --op; `gbv list operators` names them all");
    if (files->count != 2)
        return complain(self, GBV_USAGE,
                        "expected two files after the options, an image and where to write the "
                        "other, but found %zu",
                        files->count);
    const gbv_operator *op = gbv_operator_find(name);
    if (op && op->has_magnitude && isnan(magnitude))
        return complain(self, GBV_USAGE, "%s needs --magnitude M, from %g to %g%s", op->name, op->least, op->most,
                        op->of_side ? " times that side of the image, in pixels" : "");
    return PARSED;
}

int augment_apply_run(const command *self, int count, char **arguments)
{
    const char *name = NULL;
    double magnitude = NAN;
    uint64_t seed = 0;
    text_list files = {0};
    gbv_error error = {0};
    const option own[] = {
        UNDER("apply"),
        {"op", OPTION_TEXT, &name, "NAME", "the operator; `gbv list operators` names them all", 0},
        {"magnitude", OPTION_NUMBER, &magnitude, "M", "how much of it, where it has a magnitude", 0},
        {"seed", OPTION_SEED, &seed, "N", "decides the noise of gaussian_noise", 0},
        {0},
    };
    int code = options_parse(self, (const option *const[]){own, NULL}, count, arguments, &files);
    if (code == PARSED)
        code = page_refuse(self, "an image is all that apply makes: leave it out");
    if (code == PARSED)
        code = check(self, name, magnitude, &files);
    if (code == PARSED) {
        gbv_status status = gbv_augment_apply_file(name, isnan(magnitude) ? 0 : magnitude, seed, files.items[0],
                                                   files.items[1], &error);
        code = status == GBV_OK ? GBV_OK : complain(self, (int)status, "%s", error.message);
    }
    text_list_free(&files);
    return code;
}
