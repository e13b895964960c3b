/* gbv simulate - annotators with known mistakes, from any labelled dataset. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inputs.h"
#include "run.h"

enum { MOST_ANNOTATORS = 1000000 };

/* "0,.2,.4" into numbers; the count of them, or 0 after saying what is wrong. */
static size_t parse_rates(const command *self, const char *text, double **rates)
{
    size_t count = 1;
    for (const char *c = text; *c; c++)
        count += *c == ',';
    if (!(*rates = calloc(count, sizeof **rates))) {
        complain(self, GBV_FAILED, "not enough memory");
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        char *end;
        (*rates)[i] = strtod(text, &end);
        if (end == text || *end != (i + 1 < count ? ',' : '\0')) {
            complain(self, GBV_USAGE, "--noise is wrong at '%s'; expected rates such as 0,.2,.4", text);
            return 0;
        }
        text = end + 1;
    }
    return count;
}

static int run(const command *self, int count, char **arguments)
{
    const char *input = NULL, *test_path = NULL, *noise = NULL, *folder = NULL, *preprocess = NULL;
    gbv_read_options read = {0};
    gbv_simulation simulation = {.seed = 1};
    run_options show = {.progress_name = "auto"};
    double *rates = NULL;
    gbv_dataset *train = NULL, *test = NULL;
    gbv_error error;
    option dataset_table[DATASET_OPTIONS];
    inputs_dataset_options(&read, &preprocess, dataset_table);
    const option own[] = {
        {"input", OPTION_TEXT, &input, "DATASET", "the labelled rows the annotators are given", 0},
        {"noise", OPTION_TEXT, &noise, "RATE,RATE,...", "share of wrong labels of each annotator", 0},
        {"annotators", OPTION_COUNT, &simulation.annotators, "N",
         "how many (default: one per rate; one rate serves all)", 0},
        {"per-class", OPTION_COUNT, &simulation.per_class, "N",
         "rows of each class per annotator (default: all, split equally)", 0},
        {"confusion", OPTION_TEXT, &simulation.confusion, "uniform|next|FILE",
         "which wrong label (default: uniform; FILE: CSV of shares)", 0},
        {"exact-count", OPTION_FLAG, &simulation.exact_count, NULL, "flip exactly that share instead of each by chance",
         0},
        {"test", OPTION_TEXT, &test_path, "DATASET", "where the reference and the test set come from", 0},
        {"reference-per-class", OPTION_COUNT, &simulation.reference_per_class, "N",
         "rows of each class of the reference", 0},
        {"seed", OPTION_SEED, &simulation.seed, "N", "which rows and mistakes", 0},
        UNDER(HEADING_OUTPUT),
        {"output", OPTION_TEXT, &folder, "FOLDER", "where the files go", 'o'},
        {0},
    };
    int code = options_parse(self, (const option *const[]){own, dataset_table, NULL}, count, arguments, NULL);
    if (code == PARSED && (!input || !noise || !folder))
        code = complain(self, GBV_USAGE,
                        "--input DATASET, --noise RATES and -o FOLDER are needed; see gbv simulate --help");
    if (code == PARSED && simulation.reference_per_class && !test_path)
        code = complain(self, GBV_USAGE, "--reference-per-class needs --test DATASET to take the reference from");
    if (code == PARSED && simulation.annotators > MOST_ANNOTATORS)
        code = complain(self, GBV_USAGE, "--annotators is %zu; expected at most %d", simulation.annotators,
                        MOST_ANNOTATORS);
    if (code == PARSED)
        code = inputs_prepare_images(self, &read, preprocess, NULL);
    if (code == PARSED)
        code = run_start(self, &show);
    if (code != PARSED)
        goto done;
    size_t given = parse_rates(self, noise, &rates);
    code = GBV_USAGE;
    if (!given)
        goto done;
    if (!simulation.annotators)
        simulation.annotators = given;
    if (given == 1 && simulation.annotators > 1) {
        double *all = realloc(rates, simulation.annotators * sizeof *rates);
        if (!all) {
            code = complain(self, GBV_FAILED, "not enough memory");
            goto done;
        }
        rates = all;
        for (size_t i = 1; i < simulation.annotators; i++)
            rates[i] = rates[0];
    } else if (given != simulation.annotators) {
        complain(self, GBV_USAGE, "--noise has %zu rates for %zu annotators; give one for each", given,
                 simulation.annotators);
        goto done;
    }
    simulation.noise = rates;
    run_watch(&show, &simulation.progress, &simulation.context);
    code = inputs_read_dataset(self, input, &read, &train);
    if (code == PARSED && test_path)
        code = inputs_read_dataset(self, test_path, &read, &test);
    if (code != PARSED) {
        run_end_progress(&show);
        goto done;
    }
    gbv_status status = gbv_simulate(train, test, &simulation, folder, &error);
    run_end_progress(&show);
    code = status == GBV_OK ? GBV_OK : complain(self, (int)status, "%s", error.message);
done:
    gbv_dataset_free(train);
    gbv_dataset_free(test);
    free(rates);
    return code;
}

extern const command command_simulate;
const command command_simulate = {
    .name = "simulate",
    .usage = "--input DATASET --noise RATES -o FOLDER [options]",
    .summary = "make annotators with known mistakes from a labelled dataset",
    .examples = "  gbv simulate --input train.npz --noise 0,.2,.4 --per-class 100 -o crowd\n"
                "  gbv simulate --input x.idx.gz,y.idx.gz --test tx.idx.gz,ty.idx.gz --reference-per-class 100 --noise "
                "0,.5 -o crowd\n"
                "  gbv simulate --input train.csv --annotators 20 --noise .3 --confusion next --seed 7 -o crowd\n",
    .run = run,
};
