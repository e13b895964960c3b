/* hf.c - the weights of sources as probabilities for datasets.interleave_datasets of Hugging Face. */
#include "report/export/export.h"

static const char *const about[] = {
    "How often training should take its next row from which source, for interleave_datasets of Hugging Face datasets.",
    "probabilities are P(s) of a valuation by gbv, in the order of names; they add up to 1.",
    "Hand over your datasets in that order. first_exhausted ends with the first source that runs out of rows; with "
    "all_exhausted rows of small sources come again.",
};

static void write(const gbv_result *result, FILE *stream)
{
    json_writer json = json_open(stream);
    json_begin_object(&json, NULL);
    export_head(&json, "hf", about, sizeof about / sizeof *about);
    json_text(&json, "use",
              "mix = json.load(open(\"mixture.json\")); data = datasets.interleave_datasets([sources[name] for name in "
              "mix[\"names\"]], probabilities=mix[\"probabilities\"], seed=mix[\"seed\"], "
              "stopping_strategy=mix[\"stopping_strategy\"])");
    json_begin_array(&json, "names");
    for (size_t i = 0; i < result->source_count; i++)
        json_text(&json, NULL, result->sources[i].name);
    json_end(&json);
    json_begin_array(&json, "probabilities");
    for (size_t i = 0; i < result->source_count; i++)
        json_number(&json, NULL, result->sources[i].posterior);
    json_end(&json);
    json_count(&json, "seed", result->seed);
    json_text(&json, "stopping_strategy", "first_exhausted");
    json_end(&json);
}

const export_target export_hf = {
    .info = {.name = "hf", .summary = "probabilities for interleave_datasets of Hugging Face datasets (JSON)"},
    .result = write,
};
