/* mlp.c - fitting a network with one hidden layer by Adam (Kingma and Ba 2015), with an L2 penalty in the loss and a
 * step that falls linearly to zero. Nothing but the rows to be fitted is looked at. */
#include "nn/mlp.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "compute/dense.h"
#include "nn/scaling.h"

static const float FIRST_DECAY = 0.9f, SECOND_DECAY = 0.999f, SMALLEST_DIVISOR = 1e-8f;

/* Without a number of epochs: as many as are needed for these, from runs on 20 to 1000 rows (images, Gaussians). */
enum { FEWEST_EPOCHS = 20, FEWEST_STEPS = 600 };

typedef struct trainer {
    const fit_task *task;
    scaling scale;
    mlp_network net;
    float *first, *second; /* Adam's moments */
    size_t *order;         /* of the rows in this epoch */
    double *row;           /* one row as it comes */
    int32_t *targets;      /* of the batch */
    float *weights;
    size_t batch, epochs, step, steps;
} trainer;

static gbv_status open_trainer(trainer *t, gbv_error *error)
{
    const fit_task *task = t->task;
    const sample *data = task->data;
    arena *scratch = task->scratch;
    gbv_status status = scaling_fit(task, &t->scale, error);
    if (status != GBV_OK)
        return status;
    t->batch = task->options->batch < data->rows ? task->options->batch : data->rows;
    size_t batches = (data->rows + t->batch - 1) / t->batch, needed = (FEWEST_STEPS + batches - 1) / batches;
    t->epochs = task->options->epochs ? task->options->epochs : needed > FEWEST_EPOCHS ? needed : FEWEST_EPOCHS;
    t->steps = batches * t->epochs;
    bool opened = mlp_open(&t->net, data->columns, task->options->hidden, task->outputs, t->batch, scratch);
    t->first = arena_zeroed(scratch, t->net.count, sizeof *t->first);
    t->second = arena_zeroed(scratch, t->net.count, sizeof *t->second);
    t->order = arena_array(scratch, data->rows, sizeof *t->order);
    t->row = arena_array(scratch, data->columns, sizeof *t->row);
    t->targets = arena_array(scratch, t->batch, sizeof *t->targets);
    t->weights = arena_array(scratch, t->batch, sizeof *t->weights);
    if (!opened || !t->first || !t->second || !t->order || !t->row || !t->targets || !t->weights)
        return error_out_of_memory(error, "fitting a network");
    for (size_t i = 0; i < data->rows; i++)
        t->order[i] = i;
    return GBV_OK;
}

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

/* One row, standardised. */
static void take_row(trainer *t, size_t row, float *out)
{
    scaling_block(&t->scale, t->task->data, row, 1, t->row);
    for (size_t j = 0; j < t->task->data->columns; j++)
        out[j] = (float)t->row[j];
}

static void take_batch(trainer *t, const size_t *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        take_row(t, rows[i], t->net.rows + i * t->net.inputs);
        t->targets[i] = t->task->targets[rows[i]];
        t->weights[i] = (float)(t->task->weights[rows[i]] * (double)t->task->data->rows);
    }
}

/* One step for `count` parameters whose squares weigh penalty / 2 in the loss. */
CLONED static void adam(float *restrict parameters, const float *restrict gradient, float *restrict first,
                        float *restrict second, size_t count, float step, float second_correction, float penalty)
{
#pragma omp simd
    for (size_t i = 0; i < count; i++) {
        float g = gradient[i] + penalty * parameters[i];
        first[i] = FIRST_DECAY * first[i] + (1 - FIRST_DECAY) * g;
        second[i] = SECOND_DECAY * second[i] + (1 - SECOND_DECAY) * g * g;
        parameters[i] -= step * first[i] / (sqrtf(second[i] * second_correction) + SMALLEST_DIVISOR);
    }
}

static void update(trainer *t)
{
    const gbv_model_options *options = t->task->options;
    mlp_network *net = &t->net;
    double rate = options->learning_rate * (1 - (double)t->step / (double)t->steps);
    double taken = (double)++t->step;
    float step = (float)(rate / (1 - pow(FIRST_DECAY, taken)));
    float correction = (float)(1 / (1 - pow(SECOND_DECAY, taken)));
    size_t starts[] = {0, net->hidden_bias, net->weights, net->bias, net->count};
    for (int i = 0; i < 4; i++) /* the biases are not penalised */
        adam(net->parameters + starts[i], net->gradient + starts[i], t->first + starts[i], t->second + starts[i],
             starts[i + 1] - starts[i], step, correction, i % 2 ? 0 : (float)options->l2);
}

static gbv_status train(trainer *t, gbv_error *error)
{
    const gbv_model_options *options = t->task->options;
    size_t rows = t->task->data->rows;
    random_stream stream = random_stream_open_draw(options->seed, t->task->subject, RANDOM_ORDER, t->task->how->draw);
    for (size_t epoch = 0; epoch < t->epochs; epoch++) {
        random_shuffle(&stream, t->order, rows);
        for (size_t first = 0; first < rows; first += t->batch) {
            if (options->progress && options->progress(options->context, "fit", epoch, t->epochs))
                return error_set(error, GBV_INTERRUPTED, "interrupted while fitting a network");
            size_t count = rows - first < t->batch ? rows - first : t->batch;
            take_batch(t, t->order + first, count);
            mlp_loss(&t->net, count, t->targets, t->weights);
            update(t);
        }
    }
    return GBV_OK;
}

static gbv_status fit(const fit_task *task, gbv_model *model, gbv_error *error)
{
    trainer t = {.task = task};
    gbv_status status = open_trainer(&t, error);
    if (status != GBV_OK)
        return status;
    /* The model's block has the same order as the network's. */
    start(model, task->options->seed, task->subject, task->how->draw);
    for (size_t i = 0; i < t.net.count; i++)
        t.net.parameters[i] = (float)model->parameters[i];
    if ((status = train(&t, error)) != GBV_OK)
        return status;
    for (size_t i = 0; i < t.net.count; i++)
        model->parameters[i] = t.net.parameters[i];
    scaling_fold(&t.scale, model->inputs, model->hidden, model->hidden_weights, model->hidden_bias);
    return GBV_OK;
}

extern const model_kind model_mlp;
const model_kind model_mlp = {
    .name = "mlp",
    .summary = "a network with one hidden layer of rectifiers, fitted by Adam",
    .feature_space = "hidden activations of the model",
    .has_hidden_layer = true,
    .start = start,
    .fit = fit,
};
