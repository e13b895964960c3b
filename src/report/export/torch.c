/* torch.c - the weight of each source's rows for WeightedRandomSampler of PyTorch. One number stands for all rows of a
 * source, so that the file is small however many rows there are, and exact. */
#include "report/export/export.h"

static const char *const about[] = {
    "How often training should take which row, for WeightedRandomSampler of PyTorch over the ConcatDataset of the "
    "sources in the order of names.",
    "row_weight is P(s) / rows of a source by gbv, for each of its rows: rows times row_weight add up to 1 over all "
    "sources.",
    "rows are those that were valued, in the order of the file. Where rows of a file were left out, or one file holds "
    "several sources, gbv weights RESULT -o weights.npy gives a weight to each row of the files instead.",
    "torch.multinomial, which the sampler draws by, takes up to 2^24 rows; of more, draw the source first, by rows "
    "times row_weight.",
};

static void write(const gbv_result *result, FILE *stream)
{
    json_writer json = json_open(stream);
    json_begin_object(&json, NULL);
    export_head(&json, "torch", about, sizeof about / sizeof *about);
    json_text(
        &json, "use",
        "w = json.load(open(\"weights.json\")); weights = torch.repeat_interleave(torch.tensor(w[\"row_weight\"], "
        "dtype=torch.float64), torch.tensor(w[\"rows\"])); sampler = WeightedRandomSampler(weights, "
        "num_samples=len(weights))");
    json_begin_array(&json, "names");
    for (size_t i = 0; i < result->source_count; i++)
        json_text(&json, NULL, result->sources[i].name);
    json_end(&json);
    json_begin_array(&json, "rows");
    for (size_t i = 0; i < result->source_count; i++)
        json_count(&json, NULL, result->sources[i].rows);
    json_end(&json);
    json_begin_array(&json, "row_weight");
    for (size_t i = 0; i < result->source_count; i++)
        json_number(&json, NULL, result->sources[i].posterior / (double)result->sources[i].rows);
    json_end(&json);
    json_count(&json, "seed", result->seed);
    json_end(&json);
}

const export_target export_torch = {
    .info = {.name = "torch", .summary = "a weight per row of each source for WeightedRandomSampler of PyTorch (JSON)"},
    .result = write,
    .needs_rows = true,
};
