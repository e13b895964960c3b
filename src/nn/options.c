/* options.c - what may be asked of a model's training, and what is meant where nothing is said. */
#include <math.h>
#include <string.h>

#include "augment/training_policy.h"
#include "base/error.h"
#include "nn/kind.h"
#include "nn/schedule.h"

enum { MOST_HIDDEN = 1 << 20, MOST_BATCH = 1 << 24 };

static const size_t MOST_EPOCHS = (size_t)1 << 40;

gbv_model_options gbv_model_defaults(void)
{
    return (gbv_model_options){.model = "linear", .l2 = 0.1, .hidden = 128, .momentum = 0.9, .held_out = -1, .seed = 1};
}

static bool is_minimised(const gbv_model_options *options)
{
    return strcmp(options->model, "linear") == 0 && (!options->optimizer || strcmp(options->optimizer, "lbfgs") == 0);
}

static size_t or_default(size_t given, size_t otherwise)
{
    return given ? given : otherwise;
}

gbv_model_options gbv_model_resolve(const gbv_model_options *options, size_t rows)
{
    gbv_model_options o = *options;
    const training_defaults *own = &model_kind_find(options->model)->defaults;
    o.batch = or_default(o.batch, own->batch);
    if (o.learning_rate == 0)
        o.learning_rate = o.pretrained ? own->pretrained_rate : own->learning_rate;
    o.optimizer = o.optimizer ? o.optimizer : is_minimised(options) ? "lbfgs" : own->optimizer;
    o.schedule = o.schedule ? o.schedule : own->schedule;
    o.normalise = o.normalise ? o.normalise : own->normalise;
    if (o.held_out < 0)
        o.held_out = own->held_out * (double)rows >= FEWEST_HELD_OUT ? own->held_out : 0;
    if (o.epochs == 0) {
        double trained = ceil((1 - o.held_out) * (double)rows), batches = ceil(trained / (double)o.batch);
        double needed = ceil((double)own->steps / fmax(batches, 1));
        o.epochs = needed > (double)own->epochs ? (size_t)needed : own->epochs;
    }
    o.threads_per_model = or_default(o.threads_per_model, 1);
    return o;
}

void model_options_tell(const gbv_model_options *options, size_t rows, model_option_callback *hear, void *context)
{
    const model_kind *kind = model_kind_find(options->model);
    gbv_model_options o = gbv_model_resolve(options, rows);
    bool images = kind->of_images;
    if (!images)
        hear(context, "l2", NULL, o.l2);
    if (is_minimised(options))
        return;
    if (kind->has_hidden_layer)
        hear(context, "hidden", NULL, (double)o.hidden);
    hear(context, "epochs", rows || options->epochs ? NULL : "auto", (double)o.epochs);
    hear(context, "batch", NULL, (double)o.batch);
    hear(context, "learning_rate", NULL, o.learning_rate);
    if (images || options->optimizer)
        hear(context, "optimizer", o.optimizer, 0);
    if (images || options->schedule)
        hear(context, "schedule", o.schedule, 0);
    if (strcmp(o.optimizer, "sgd") == 0)
        hear(context, o.nesterov ? "nesterov_momentum" : "momentum", NULL, o.momentum);
    if (o.weight_decay > 0)
        hear(context, "weight_decay", NULL, o.weight_decay);
    if (o.label_smoothing > 0)
        hear(context, "label_smoothing", NULL, o.label_smoothing);
    if (o.dropout > 0)
        hear(context, "dropout", NULL, o.dropout);
    if (images || o.held_out > 0)
        hear(context, "held_out", rows || options->held_out >= 0 ? NULL : "auto", o.held_out);
    if (o.patience)
        hear(context, "patience", NULL, (double)o.patience);
    if (o.use == GBV_SAMPLING)
        hear(context, "use", "sampling", 0);
    if (images)
        hear(context, "normalise", o.normalise, 0);
    if (!training_policy_is_none(o.policy))
        hear(context, "policy", o.policy, 0);
    if (o.pretrained)
        hear(context, "pretrained", o.pretrained, 0);
    if (images)
        hear(context, "backend", backend_find(o.backend)->name, 0);
    if (options->threads_per_model)
        hear(context, "threads_per_model", NULL, (double)o.threads_per_model);
}

/* Options of gradient descent, by any model that is trained so. */
static gbv_status check_descent(const gbv_model_options *o, const char *optimizer, gbv_error *error)
{
    schedule_kind schedule;
    if (o->batch > MOST_BATCH)
        return error_set(error, GBV_USAGE, "batch is %zu: a step takes at most %d rows", o->batch, MOST_BATCH);
    if (o->epochs > MOST_EPOCHS)
        return error_set(error, GBV_USAGE, "epochs is %zu: at most %zu are possible", o->epochs, MOST_EPOCHS);
    if (!(o->learning_rate >= 0 && o->learning_rate <= 1e3))
        return error_set(error, GBV_USAGE,
                         "learning_rate is %g: it must be greater than 0 and at most 1000 (or 0, for the default)",
                         o->learning_rate);
    if (o->schedule && !schedule_find(o->schedule, &schedule))
        return error_set(
            error, GBV_USAGE,
            "schedule \"%s\" is not known: choose one of constant, linear, step, paper, paper-late, cosine",
            o->schedule);
    if (!(o->momentum >= 0 && o->momentum < 1))
        return error_set(error, GBV_USAGE, "momentum is %g: it must be at least 0 and below 1", o->momentum);
    if (o->nesterov && (strcmp(optimizer, "sgd") != 0 || o->momentum == 0))
        return error_set(error, GBV_USAGE, "nesterov is a form of momentum, which %s has not: use optimizer sgd%s",
                         o->momentum == 0 ? "this" : optimizer, o->momentum == 0 ? " and a momentum" : "");
    if (!(o->label_smoothing >= 0 && o->label_smoothing < 1))
        return error_set(error, GBV_USAGE, "label_smoothing is %g: it must be at least 0 and below 1",
                         o->label_smoothing);
    if (!(o->held_out < 1))
        return error_set(error, GBV_USAGE, "held_out is %g: a share of the rows below 1 can be held out", o->held_out);
    if (o->patience && o->held_out == 0)
        return error_set(error, GBV_USAGE,
                         "patience is %zu, but no rows are held out to judge epochs by: set held_out, such as 0.1",
                         o->patience);
    if (o->use != GBV_WEIGHTING && o->use != GBV_SAMPLING)
        return error_set(error, GBV_USAGE, "use is %d: choose weighting or sampling", (int)o->use);
    if (o->resume && !o->checkpoint)
        return error_set(error, GBV_USAGE, "resume needs the checkpoint to go on from: name it");
    return GBV_OK;
}

/* A model that is fitted to its minimum has no steps for these to shape. */
static gbv_status check_minimised(const gbv_model_options *o, gbv_error *error)
{
    const char *given = o->schedule              ? "a schedule"
                        : o->nesterov            ? "nesterov"
                        : o->label_smoothing > 0 ? "label_smoothing"
                        : o->held_out > 0        ? "held_out"
                        : o->patience            ? "patience"
                        : o->use != 0            ? "sampling"
                        : o->checkpoint          ? "a checkpoint"
                        : o->resume              ? "resume"
                                                 : NULL;
    return !given ? GBV_OK
                  : error_set(error, GBV_USAGE,
                              "the linear model is fitted to its minimum, for which %s makes no sense: name an "
                              "optimizer (sgd, adam, adamw) to train it by steps, or leave it out",
                              given);
}

static gbv_status check_images(const gbv_model_options *o, const model_kind *kind, gbv_error *error)
{
    if (!(o->weight_decay >= 0 && o->weight_decay <= 1e6))
        return error_set(error, GBV_USAGE, "weight_decay is %g: it must be between 0 and 1e6", o->weight_decay);
    if (!(o->dropout >= 0 && o->dropout < 1))
        return error_set(error, GBV_USAGE, "dropout is %g: it must be at least 0 and below 1", o->dropout);
    if (o->normalise && !normalisation_find(o->normalise))
        return error_set(error, GBV_USAGE, "normalise \"%s\" is not known: choose one of imagenet, half, none",
                         o->normalise);
    const char *given = o->pretrained                         ? "pretrained"
                        : o->normalise                        ? "normalise"
                        : !training_policy_is_none(o->policy) ? "a policy"
                        : o->dropout > 0                      ? "dropout"
                        : o->weight_decay > 0                 ? "weight_decay"
                                                              : NULL;
    if (given && !kind->of_images)
        return error_set(error, GBV_USAGE, "%s is for networks of images, not for the model %s: %s", given, kind->name,
                         o->weight_decay > 0 ? "use l2, or leave it out" : "leave it out, or choose another model");
    return GBV_OK;
}

static gbv_status check_backend(const char *name, gbv_error *error)
{
    char names[100] = "auto";
    if (!name || backend_find(name))
        return GBV_OK;
    for (size_t i = 0; backend_at(i); i++) {
        strncat(names, ", ", sizeof names - strlen(names) - 1);
        strncat(names, backend_at(i)->name, sizeof names - strlen(names) - 1);
    }
    return error_set(error, GBV_USAGE, "backend \"%s\" is not there: choose one of %s", name, names);
}

gbv_status model_options_check(const gbv_model_options *options, gbv_error *error)
{
    const model_kind *kind = options->model ? model_kind_find(options->model) : NULL;
    optimizer_kind optimizer;
    if (!kind)
        return error_set(error, GBV_USAGE, "model \"%s\" is not known: choose one of %s",
                         options->model ? options->model : "", model_kind_names());
    if (!(options->l2 >= 0 && options->l2 <= 1e6))
        return error_set(error, GBV_USAGE, "l2 is %g: the weight of the penalty must be between 0 and 1e6",
                         options->l2);
    if (options->seed > INT64_MAX)
        return error_set(error, GBV_USAGE, "seed is %llu: it must be below 2^63, which every JSON reader keeps",
                         (unsigned long long)options->seed);
    if (kind->has_hidden_layer && (options->hidden < 1 || options->hidden > MOST_HIDDEN))
        return error_set(error, GBV_USAGE, "hidden is %zu: the width of the hidden layer must be between 1 and %d",
                         options->hidden, MOST_HIDDEN);
    if (options->threads_per_model > MOST_THREADS)
        return error_set(error, GBV_USAGE, "threads_per_model is %zu: at most %d are possible",
                         options->threads_per_model, MOST_THREADS);
    gbv_status status = check_images(options, kind, error);
    if (status == GBV_OK)
        status = training_policy_check(options->policy, options->policy_variant, error);
    if (status == GBV_OK)
        status = check_backend(options->backend, error);
    if (status != GBV_OK)
        return status;
    if (is_minimised(options))
        return check_minimised(options, error);
    if (options->optimizer && !optimizer_find(options->optimizer, &optimizer))
        return error_set(error, GBV_USAGE, "optimizer \"%s\" is not known%s: choose one of sgd, adam, adamw",
                         options->optimizer,
                         strcmp(options->optimizer, "lbfgs") == 0 ? " but to the linear model" : "");
    return check_descent(options, options->optimizer ? options->optimizer : kind->defaults.optimizer, error);
}
