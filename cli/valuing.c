#include "valuing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void valuing_options(valuing *chosen, inputs *in, option table[VALUING_OPTIONS])
{
    gbv_value_options *options = &chosen->options;
    *options = gbv_value_defaults();
    const option all[VALUING_OPTIONS] = {
        UNDER(HEADING_INPUTS),
        {"probabilities", OPTION_LIST, &in->probabilities, "NAME=FILE",
         "a source as its model's probabilities of the reference's rows; once per source", 0},
        {"reference-unlabeled", OPTION_TEXT, &in->unlabelled_path, "DATASET",
         "a reference without labels, or whose labels are not to be used", 0},
        {"no-reference", OPTION_FLAG, &in->no_reference, NULL, "the sources are judged by each other", 0},
        UNDER(HEADING_VALUATION),
        {"measure", OPTION_TEXT, &chosen->measure, "NAME[,NAME...]|all",
         "what gbv scores by; the first gives the weights (default: leep; see gbv list measures)", 0},
        {"tau", OPTION_TEXT, &chosen->tau, "quick|auto|code|VALUE",
         "temperature (default: quick, 1/log2 of the sources, for gbv, and 1 for other methods)", 0},
        {"prior", OPTION_TEXT, &chosen->prior, "uniform|rows|FILE",
         "prior weights (default: uniform; FILE: CSV source,prior)", 0},
        {"undefined", OPTION_TEXT, &chosen->undefined, "error|zero",
         "a source without a score stops the run (default) or gets no weight", 0},
        {"intervals", OPTION_TEXT, &chosen->intervals, "N|off",
         "resamplings of the reference rows for the intervals (default: 200)", 0},
        {"refits", OPTION_COUNT, &options->refits, "R",
         "fits of each model on resampled rows of its source, for the intervals (default: 20; networks of images: 0)",
         0},
        {"fast", OPTION_FLAG, &options->fast, NULL, "single precision where a measure offers it (1e-6)", 0},
        {"seed", OPTION_SEED, &options->model.seed, "N", "random numbers of networks and of the intervals", 0},
        UNDER(HEADING_RUN),
        {"memory", OPTION_SIZE, &options->memory, "SIZE",
         "what lava's cost matrix may take, such as 500M or 4G (default: a quarter of the machine's)", 0},
        {"cache", OPTION_TEXT, &chosen->cache, "DIR|off",
         "where trained networks of sources are kept (default: $GBV_CACHE, else ~/.cache/gbv/models; see gbv cache)",
         0},
        {"cache-size", OPTION_SIZE, &options->model.cache_bytes, "SIZE", "what it may hold (default: 4G)", 0},
        {0},
    };
    memcpy(table, all, sizeof all);
}

int valuing_tau(const command *self, const char *tau, gbv_tau_mode *mode, double *value)
{
    char *end;
    if (!tau)
        return PARSED;
    *mode = strcmp(tau, "quick") == 0  ? GBV_TAU_QUICK
            : strcmp(tau, "code") == 0 ? GBV_TAU_CODE
            : strcmp(tau, "auto") == 0 ? GBV_TAU_AUTO
                                       : GBV_TAU_FIXED;
    if (*mode != GBV_TAU_FIXED)
        return PARSED;
    *value = strtod(tau, &end);
    if (*end || end == tau || !(*value > 0) || !isfinite(*value))
        return complain(self, GBV_USAGE, "--tau is '%s'; expected quick, auto, code or a number above zero", tau);
    return PARSED;
}

int valuing_intervals(const command *self, const char *text, size_t *replicates)
{
    char *end;
    if (!text)
        return PARSED;
    if (strcmp(text, "off") == 0) {
        *replicates = 0;
        return PARSED;
    }
    unsigned long count = strtoul(text, &end, 10);
    if (*end || *text < '0' || *text > '9' || (count > 0 && count < 4) || count > 1000000)
        return complain(self, GBV_USAGE,
                        "--intervals is '%s'; expected off, or a number of resamplings from 4 to "
                        "1000000 (200 serve most uses)",
                        text);
    *replicates = count; /* 0 is off */
    return PARSED;
}

const char *valuing_cache(const char *cache)
{
    return !cache ? gbv_cache_folder() : strcmp(cache, "off") == 0 ? NULL : cache;
}

int valuing_check(const command *self, valuing *chosen, const inputs *in)
{
    gbv_value_options *options = &chosen->options;
    options->measure = chosen->measure;
    options->model.cache = valuing_cache(chosen->cache);
    options->variant = chosen->variant;
    options->unlabelled = in->unlabelled_path;
    if (chosen->prior && chosen->prior_ledger)
        return complain(self, GBV_USAGE, "--prior and --prior-ledger exclude each other");
    if (chosen->prior && strcmp(chosen->prior, "rows") == 0)
        options->prior_mode = GBV_PRIOR_ROWS;
    else if (chosen->prior_ledger)
        options->prior_mode = GBV_PRIOR_LEDGER;
    else if (chosen->prior && strcmp(chosen->prior, "uniform") != 0)
        options->prior_mode = GBV_PRIOR_GIVEN;
    if (chosen->undefined && strcmp(chosen->undefined, "zero") == 0)
        options->undefined_as_zero = true;
    else if (chosen->undefined && strcmp(chosen->undefined, "error") != 0)
        return complain(self, GBV_USAGE, "--undefined is '%s'; expected error or zero", chosen->undefined);
    int code = valuing_tau(self, chosen->tau, &options->tau_mode, &options->tau);
    return code == PARSED ? valuing_intervals(self, chosen->intervals, &options->replicates) : code;
}

/* What the ledger's sources are worth by now, and its tau unless another was asked for. */
static gbv_status read_ledger(valuing *chosen, const gbv_sources *sources, gbv_error *error)
{
    size_t count = gbv_sources_count(sources);
    const char **names = calloc(count ? count : 1, sizeof *names);
    gbv_ledger *ledger = NULL;
    double tau;
    for (size_t i = 0; names && i < count; i++)
        names[i] = gbv_sources_name(sources, i);
    snprintf(error->message, sizeof error->message, "not enough memory");
    gbv_status status = names ? gbv_ledger_open(chosen->prior_ledger, GBV_LEDGER_READ, &ledger, error) : GBV_FAILED;
    if (status == GBV_OK)
        status = gbv_ledger_prior(ledger, names, count, chosen->prior_numbers, &tau, error);
    if (status == GBV_OK && !chosen->tau) {
        chosen->options.tau_mode = GBV_TAU_FIXED;
        chosen->options.tau = tau;
    }
    gbv_ledger_close(ledger);
    free(names);
    return status;
}

int valuing_read(const command *self, valuing *chosen, const inputs *in)
{
    gbv_error error;
    if (chosen->options.prior_mode != GBV_PRIOR_GIVEN && chosen->options.prior_mode != GBV_PRIOR_LEDGER)
        return PARSED;
    if (!(chosen->prior_numbers = calloc(gbv_sources_count(in->sources), sizeof *chosen->prior_numbers)))
        return complain(self, GBV_FAILED, "not enough memory");
    gbv_status status = chosen->prior_ledger
                            ? read_ledger(chosen, in->sources, &error)
                            : gbv_sources_read_numbers(in->sources, chosen->prior, chosen->prior_numbers, &error);
    chosen->options.prior = chosen->prior_numbers;
    if (status != GBV_OK)
        return complain(self, (int)status, "%s", error.message);
    for (size_t i = 0; i < gbv_sources_count(in->sources); i++)
        if (chosen->prior_numbers[i] > 0)
            return PARSED;
    return complain(self, GBV_BAD_INPUT, "%s: every prior is zero: give at least one source a positive one",
                    chosen->prior_ledger ? chosen->prior_ledger : chosen->prior);
}

static void hear_epoch(void *context, const gbv_epoch *epoch)
{
    run_tell_epoch(context, epoch, NAN);
}

void valuing_watch(valuing *chosen, const inputs *in)
{
    gbv_model_options *model = &chosen->options.model;
    bool of_rows = strcmp(model->model, "linear") == 0 || strcmp(model->model, "mlp") == 0;
    if (in->verbose && !of_rows)
        model->on_epoch = hear_epoch;
}

void valuing_tell(const command *self, const gbv_result *result)
{
    if (result->models_lost)
        complain(self, GBV_OK,
                 "%zu trained network%s could not be kept for later runs: check the disk and the folder of --cache "
                 "(gbv cache names it)",
                 result->models_lost, result->models_lost == 1 ? "" : "s");
}

void valuing_free(valuing *chosen)
{
    free(chosen->prior_numbers);
}
