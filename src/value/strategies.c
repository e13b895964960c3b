#include "value/strategies.h"

#include <math.h>
#include <string.h>

static double or_zero(double weight)
{
    return isnan(weight) ? 0 : weight;
}

static void copy(const strategy_input *input, const double *of, double *weights)
{
    for (size_t i = 0; i < input->batch_count * input->source_count; i++)
        weights[i] = or_zero(of[i]);
}

static void mean_so_far(const strategy_input *input, const double *of, double *weights)
{
    for (size_t s = 0; s < input->source_count; s++) {
        double sum = 0;
        for (size_t t = 0; t < input->batch_count; t++) {
            size_t i = t * input->source_count + s;
            sum += or_zero(of[i]);
            weights[i] = sum / (double)(t + 1);
        }
    }
}

static void continual(const strategy_input *input, double *weights)
{
    copy(input, input->posterior, weights);
}

static void no_update(const strategy_input *input, double *weights)
{
    for (size_t i = 0; i < input->batch_count * input->source_count; i++)
        weights[i] = or_zero(input->posterior[i % input->source_count]);
}

static void average(const strategy_input *input, double *weights)
{
    mean_so_far(input, input->batch_posterior, weights);
}

static void average_posterior(const strategy_input *input, double *weights)
{
    mean_so_far(input, input->posterior, weights);
}

static void last(const strategy_input *input, double *weights)
{
    copy(input, input->batch_posterior, weights);
}

static const strategy strategies[] = {
#define STRATEGY(function, name, summary) {name, summary, function},
#include "value/strategies.def"
#undef STRATEGY
};

const strategy *strategy_at(size_t index)
{
    return index < sizeof strategies / sizeof *strategies ? &strategies[index] : NULL;
}

const strategy *strategy_find(const char *name)
{
    for (size_t i = 0; strategy_at(i); i++)
        if (strcmp(strategy_at(i)->name, name) == 0)
            return strategy_at(i);
    return NULL;
}
