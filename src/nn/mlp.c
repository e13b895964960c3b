/* mlp.c - the network with one hidden layer: where its fit begins, and its fit by steps with an L2 penalty in the loss.
 * Nothing but the rows to be fitted is looked at. */
#include <math.h>

#include "base/random.h"
#include "nn/rows_net.h"

/* He et al. 2015: activations keep their variance through a layer of rectifiers. In single precision, as the trainer
 * takes them. */
static void start(gbv_model *model, uint64_t seed, const char *subject, uint32_t draw)
{
    random_stream stream = random_stream_open_draw(seed, subject, RANDOM_WEIGHTS, draw);
    double into_hidden = sqrt(2.0 / (double)model->inputs), into_output = sqrt(1.0 / (double)model->hidden);
    for (size_t i = 0; i < model->inputs * model->hidden; i++)
        model->hidden_weights[i] = (float)(into_hidden * random_normal(&stream));
    for (size_t i = 0; i < model->hidden * model->outputs; i++)
        model->weights[i] = (float)(into_output * random_normal(&stream));
}

static gbv_status fit(const fit_task *task, gbv_model *model, gbv_error *error)
{
    scaling scale;
    gbv_status status = scaling_fit(task, &scale, error);
    if (status != GBV_OK)
        return status;
    start(model, task->options->seed, task->subject, task->how->draw);
    return rows_net_fit(task, &scale, model, error);
}

extern const model_kind model_mlp;
const model_kind model_mlp = {
    .name = "mlp",
    .summary = "a network with one hidden layer of rectifiers, fitted by Adam",
    .feature_space = "hidden activations of the model",
    .has_hidden_layer = true,
    /* The steps are from runs on 20 to 1000 rows (images, Gaussians). */
    .defaults =
        {.epochs = 20, .steps = 600, .batch = 32, .learning_rate = 1e-3, .optimizer = "adam", .schedule = "linear"},
    .start = start,
    .fit = fit,
};
