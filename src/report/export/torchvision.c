/* torchvision.c - a policy as a Python file for torchvision: its numbers, between the two halves of torchvision.py. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "report/assets.h"
#include "report/export/export.h"

static const char mark[] = "# @policy@\n";

static void write_number(double value, FILE *stream)
{
    char number[NUMBER_TEXT];
    fputs(isfinite(value) ? number_format(value, number) : "float(\"-inf\")", stream);
}

static void write_numbers(const double *values, size_t count, FILE *stream)
{
    fputc('[', stream);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ", " : "", stream);
        write_number(values[i], stream);
    }
    fputc(']', stream);
}

/* Names of operators are our own; no other text of the policy goes into the program. */
static void write_policy(const gbv_policy *p, FILE *stream)
{
    fprintf(stream,
            "GBV = \"" GBV_VERSION "\"\nNOISE = \"%s\"\nINVERSE_TAU = ", p->noise == GBV_NOISE_CODE ? "code" : "paper");
    write_number(isfinite(p->inverse_tau) ? p->inverse_tau : 0, stream);
    fputs("\n# Operator, magnitude, whether its sign is drawn for each image, probability.\nAUGMENTORS = [\n", stream);
    for (size_t i = 0; i < p->count; i++) {
        const gbv_policy_entry *e = &p->entries[i];
        fprintf(stream, "    (\"%s\", ", e->augmentor.op->name);
        write_number(e->augmentor.magnitude, stream);
        fprintf(stream, ", %s, ", e->augmentor.coin ? "True" : "False");
        write_number(e->probability, stream);
        fputs("),\n", stream);
    }
    fputs(
        "]\n# Operator, sign as above, probability, magnitudes and their scores: between two of them the logarithm of "
        "the\n# density is linear. Where there are any, magnitudes are drawn from them.\nDENSITIES = [\n",
        stream);
    for (size_t i = 0; i < p->density_count; i++) {
        const gbv_density *d = &p->densities[i];
        fprintf(stream, "    (\"%s\", %s, ", d->op->name, d->coin ? "True" : "False");
        write_number(d->probability, stream);
        fputs(", ", stream);
        write_numbers(d->magnitudes, d->count, stream);
        fputs(", ", stream);
        write_numbers(d->scores, d->count, stream);
        fputs("),\n", stream);
    }
    fputs("]\n\n", stream);
}

static void write(const gbv_policy *policy, FILE *stream)
{
    const char *at = strstr(asset_torchvision_py, mark);
    fwrite(asset_torchvision_py, 1, (size_t)(at - asset_torchvision_py), stream);
    write_policy(policy, stream);
    fputs(at + strlen(mark), stream);
}

const export_target export_torchvision = {
    .info = {.name = "torchvision",
             .summary = "a Python file with a transform for torchvision's Compose",
             .of_policy = true},
    .policy = write,
};
