#include "nn/loop.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "nn/checkpoint.h"
#include "nn/held_out.h"
#include "nn/schedule.h"

enum { JUDGE_BATCH = 64, CHECKPOINT_SECONDS = 300 };

typedef struct loop {
    loop_task *task;
    const gbv_model_options *options;
    program *train, *judge; /* judge: runs the held-out rows; NULL without any */
    size_t *rows;           /* to train on, then held out */
    size_t row_count, held_count;
    size_t batch, batches, judge_batch;
    size_t places;       /* in a batch of the program; batch norm can do nothing with a single one */
    double *row_weights; /* of every row of the task; those trained on have mean one, and so have the others */
    double *cumulative;  /* sampling: sums of the weights of rows[0..] */
    size_t *order;       /* rows of this epoch */
    size_t *taken;       /* of this batch, or of one to judge */
    int32_t *targets;
    float *weights;
    optimizer_kind optimizer;
    schedule_kind schedule;
    loop_state state;
    net_values best;
    checkpoint file;
    double saved; /* when */
} loop;

static const char *trained(const loop *l)
{
    return strcmp(l->task->fit->subject, "final") == 0 ? " of the final model" : "";
}

static gbv_status diverged(const loop *l, const char *what, double found, gbv_error *error)
{
    return error_set(error, GBV_FAILED,
                     "the training%s diverged in epoch %zu of %zu, where %s became %s: lower --learning-rate (it is "
                     "%g), and check the data for values out of range",
                     trained(l), l->state.epoch + 1, l->options->epochs, what,
                     isnan(found) ? "not a number" : "infinite", l->options->learning_rate);
}

/* Weights as means: w_i = P(s_i) N / n_s of Eq. 1, so that the mean over a batch is fair whatever its size. */
static gbv_status weigh_rows(loop *l, gbv_error *error)
{
    const fit_task *fit = l->task->fit;
    size_t first = 0, counts[] = {l->row_count, l->held_count};
    for (int part = 0; part < 2; part++) {
        double sum = 0;
        for (size_t k = first; k < first + counts[part]; k++)
            sum += fit->weights[l->rows[k]];
        if (part == 0 && !(sum > 0))
            return error_set(error, GBV_BAD_INPUT,
                             "all rows that weigh anything would be held out of training: use --held-out 0");
        for (size_t k = first; k < first + counts[part]; k++)
            l->row_weights[l->rows[k]] = sum > 0 ? fit->weights[l->rows[k]] / sum * (double)counts[part] : 0;
        first += counts[part];
    }
    double sum = 0;
    for (size_t k = 0; l->cumulative && k < l->row_count; k++)
        l->cumulative[k] = sum += l->row_weights[l->rows[k]];
    return GBV_OK;
}

/* The rows trained on are changed by the policy, those that judge an epoch never. */
static void change_images(loop *l, bool changed)
{
    const training_policy *policy = l->task->policy;
    l->task->rows.choose = changed && policy ? training_policy_choose : NULL;
    l->task->rows.choosing = policy;
    l->task->rows.noise = policy ? policy->noise : GBV_NOISE_PAPER;
}

static gbv_status divide_rows(loop *l, gbv_error *error)
{
    const fit_task *fit = l->task->fit;
    const gbv_model_options *o = l->options;
    size_t rows = fit->data->rows;
    bool sampled = fit->how->use == GBV_SAMPLING;
    random_stream stream = random_stream_open_draw(o->seed, fit->subject, RANDOM_HELD_OUT, fit->how->draw);
    l->rows = arena_array(fit->scratch, rows, sizeof *l->rows);
    l->row_weights = arena_array(fit->scratch, rows, sizeof *l->row_weights);
    if (!l->rows || !l->row_weights ||
        !held_out_split(fit->targets, rows, fit->outputs, o->held_out, stream, fit->scratch, l->rows, &l->row_count))
        return error_out_of_memory(error, "fitting a network");
    l->held_count = rows - l->row_count;
    l->batch = o->batch < l->row_count ? o->batch : l->row_count;
    if (l->task->policy && training_policy_halves(l->task->policy))
        l->batch = (l->batch + 1) / 2;
    l->batches = (l->row_count + l->batch - 1) / l->batch;
    l->places = l->batch > 1 ? l->batch : 2;
    l->judge_batch = l->held_count < JUDGE_BATCH ? l->held_count : JUDGE_BATCH;
    size_t largest = l->places > l->judge_batch ? l->places : l->judge_batch;
    if (sampled)
        l->cumulative = arena_array(fit->scratch, l->row_count, sizeof *l->cumulative);
    l->order = arena_array(fit->scratch, l->row_count, sizeof *l->order);
    l->taken = arena_array(fit->scratch, largest, sizeof *l->taken);
    l->targets = arena_array(fit->scratch, largest, sizeof *l->targets);
    l->weights = arena_array(fit->scratch, largest, sizeof *l->weights);
    change_images(l, true);
    if ((sampled && !l->cumulative) || !l->order || !l->taken || !l->targets || !l->weights ||
        !feed_open(&l->task->rows, largest, fit->scratch))
        return error_out_of_memory(error, "fitting a network");
    return weigh_rows(l, error);
}

/* Where the training stands: at its beginning, or where a checkpoint left it. */
static gbv_status open_state(loop *l, gbv_error *error)
{
    const net *n = l->task->net;
    arena *scratch = l->task->fit->scratch;
    l->state = (loop_state){.best_loss = DBL_MAX, .threads = l->options->threads_per_model};
    if (l->held_count) {
        l->best.parameters = arena_zeroed(scratch, n->parameter_count, sizeof(float));
        l->best.statistics = arena_zeroed(scratch, n->statistic_count, sizeof(float));
        if (!l->best.parameters || !l->best.statistics)
            return error_out_of_memory(error, "fitting a network");
    }
    if (!l->options->checkpoint)
        return GBV_OK;
    l->file = (checkpoint){.path = l->options->checkpoint,
                           .resume = l->options->resume,
                           .net = n,
                           .state = &l->state,
                           .values = l->task->values,
                           .best = l->held_count ? &l->best : NULL,
                           .first = arena_zeroed(scratch, n->parameter_count, sizeof(float)),
                           .second = arena_zeroed(scratch, n->parameter_count, sizeof(float)),
                           .policy_scores = l->task->policy ? l->task->policy->scores : NULL,
                           .policy_score_count = l->task->fit->data->rows,
                           .curve = &l->task->curve,
                           .curve_capacity = &l->task->curve_capacity};
    if (!l->file.first || !l->file.second)
        return error_out_of_memory(error, "fitting a network");
    l->saved = clock_seconds();
    gbv_status status = checkpoint_identify(&l->file, l->task, error);
    return status == GBV_OK ? checkpoint_read(&l->file, l->options->epochs, error) : status;
}

static gbv_status compile(loop *l, gbv_error *error)
{
    const loop_task *task = l->task;
    program_options how = {.backend = backend_find(l->options->backend),
                           .batch = l->places,
                           .in = task->rows.in,
                           .train = true,
                           .decays = task->decay > 0,
                           .moments = l->optimizer == OPTIMIZER_SGD ? 1 : 2,
                           .threads = l->state.threads};
    gbv_status status = program_compile(task->net, &how, &l->train, error);
    if (status == GBV_OK && l->held_count) {
        how.train = how.decays = false;
        how.batch = l->judge_batch;
        status = program_compile(task->net, &how, &l->judge, error);
    }
    if (status != GBV_OK)
        return status;
    program_load(l->train, task->values);
    if (l->state.step)
        program_load_moments(l->train, l->file.first, l->file.second);
    return GBV_OK;
}

/* The first row whose cumulative weight is above a share of the whole. */
static size_t row_at(const loop *l, double share)
{
    size_t low = 0, high = l->row_count - 1;
    double wanted = share * l->cumulative[l->row_count - 1];
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (l->cumulative[middle] > wanted)
            high = middle;
        else
            low = middle + 1;
    }
    return l->rows[low];
}

static void order_epoch(loop *l)
{
    const fit_task *fit = l->task->fit;
    random_stream stream =
        random_stream_open_step(l->options->seed, fit->subject, RANDOM_ORDER, fit->how->draw, l->state.epoch);
    if (l->cumulative) {
        for (size_t k = 0; k < l->row_count; k++)
            l->order[k] = row_at(l, random_uniform(&stream));
        return;
    }
    memcpy(l->order, l->rows, l->row_count * sizeof *l->order);
    random_shuffle(&stream, l->order, l->row_count);
}

/* A batch that the rows do not fill has others of the epoch in the empty places, which weigh nothing: batch norm sees
 * real images, and no second program is needed. */
static size_t take_batch(loop *l, size_t first)
{
    size_t count = l->row_count - first < l->batch ? l->row_count - first : l->batch;
    for (size_t i = 0; i < l->places; i++) {
        size_t row = l->order[i < count ? first + i : i - count];
        l->taken[i] = row;
        l->targets[i] = l->task->fit->targets[row];
        l->weights[i] = i < count ? l->cumulative ? 1 : (float)l->row_weights[row] : 0;
    }
    return count;
}

static double learning_rate(const loop *l, uint64_t step)
{
    schedule_place at = {.epoch = l->state.epoch,
                         .epochs = l->options->epochs,
                         .step = step,
                         .steps = (uint64_t)l->batches * l->options->epochs};
    return l->options->learning_rate * schedule_factor(l->schedule, &at);
}

/* What the network, in training, just made of the first rows of the batch is what the policy thinks of them. */
static void judge_rows(loop *l, size_t count)
{
    const float *logits = program_logits(l->train);
    size_t outputs = l->task->fit->outputs;
    for (size_t i = 0; i < count; i++)
        training_policy_judge(l->task->policy, l->taken[i], logits + i * outputs, outputs, (size_t)l->targets[i]);
}

/* A policy that goes by halves looks, in every second, at the images as they are before it changes them. */
static gbv_status look_first(loop *l, uint64_t dropout_key, gbv_error *error)
{
    feed *rows = &l->task->rows;
    const normalisation *own = rows->normalise;
    change_images(l, false);
    if (!l->task->policy->paper)
        rows->normalise = normalisation_find("none");
    gbv_status status = feed_batch(rows, l->train, l->taken, l->places, error);
    rows->normalise = own;
    if (status != GBV_OK)
        return status;
    program_forward(l->train, dropout_key);
    judge_rows(l, l->places);
    return GBV_OK;
}

/* One forward pass over the batch, its images changed as the policy says. */
static gbv_status run_forward(loop *l, size_t count, gbv_error *error)
{
    const fit_task *fit = l->task->fit;
    training_policy *policy = l->task->policy;
    random_stream dropped =
        random_stream_open_step(l->options->seed, fit->subject, RANDOM_DROPOUT, fit->how->draw, l->state.step);
    uint64_t key = random_u64(&dropped);
    bool halves = policy && training_policy_halves(policy);
    gbv_status status = GBV_OK;
    if (halves && (policy->judged = l->state.batch % 2))
        status = look_first(l, random_u64(&dropped), error);
    change_images(l, true);
    l->task->rows.visit = l->state.step * l->places;
    if (status == GBV_OK)
        status = feed_batch(&l->task->rows, l->train, l->taken, l->places, error);
    if (status != GBV_OK)
        return status;
    program_forward(l->train, key);
    if (policy && policy->scores && !halves)
        judge_rows(l, count);
    return GBV_OK;
}

static gbv_status take_step(loop *l, gbv_error *error)
{
    const gbv_model_options *o = l->options;
    size_t count = take_batch(l, l->state.batch * l->batch);
    gbv_status status = run_forward(l, count, error);
    if (status != GBV_OK)
        return status;
    double loss = program_loss(l->train, (cross_entropy_task){.rows = (double)count,
                                                              .targets = l->targets,
                                                              .weights = l->weights,
                                                              .smoothing = (float)o->label_smoothing});
    if (!isfinite(loss))
        return diverged(l, "the loss", loss, error);
    program_backward(l->train);
    optimizer_step step = {.kind = l->optimizer,
                           .rate = (float)learning_rate(l, l->state.step),
                           .decay = (float)l->task->decay,
                           .momentum = (float)o->momentum,
                           .nesterov = o->nesterov,
                           .first_decay = 0.9f,
                           .second_decay = 0.999f,
                           .epsilon = 1e-8f,
                           .step = l->state.step + 1};
    program_update(l->train, &step, l->task->decay_all);
    l->state.step++;
    l->state.batch++;
    l->state.loss += loss * (double)count;
    return GBV_OK;
}

static gbv_status save(loop *l, gbv_error *error)
{
    if (!l->options->checkpoint)
        return GBV_OK;
    program_store(l->train, l->task->values);
    program_store_moments(l->train, l->file.first, l->file.second);
    l->saved = clock_seconds();
    return checkpoint_write(&l->file, error);
}

/* Asked before every step and every batch of judging; what was done so far is kept where there is a checkpoint. */
static bool asked_to_stop(const loop *l)
{
    const gbv_model_options *o = l->options;
    return o->progress && o->progress(o->context, "fit", l->state.epoch, o->epochs);
}

static gbv_status stopped(loop *l, gbv_error *error)
{
    gbv_status status = save(l, error);
    return status != GBV_OK ? status
                            : error_set(error, GBV_INTERRUPTED,
                                        "interrupted in epoch %zu of %zu of fitting a network%s", l->state.epoch + 1,
                                        l->options->epochs, l->options->checkpoint ? ": go on with --resume" : "");
}

/* -log of the probability of the target, and whether it is the largest. */
static double row_loss(const float *logits, size_t count, size_t target, bool *right)
{
    double largest = -INFINITY, sum = 0;
    size_t best = 0;
    for (size_t k = 0; k < count; k++)
        if ((double)logits[k] > largest) {
            largest = (double)logits[k];
            best = k;
        }
    for (size_t k = 0; k < count; k++)
        sum += exp((double)logits[k] - largest);
    *right = best == target;
    return log(sum) + largest - (double)logits[target];
}

/* Mean loss and accuracy of the held-out rows, weighted as they are in the training. */
static gbv_status judge_epoch(loop *l, epoch_record *made, gbv_error *error)
{
    const fit_task *fit = l->task->fit;
    double loss = 0, correct = 0, sum = 0;
    made->held_out_loss = made->held_out_accuracy = NAN;
    if (!l->held_count)
        return GBV_OK;
    program_load(l->judge, l->task->values);
    change_images(l, false);
    for (size_t first = 0; first < l->held_count; first += l->judge_batch) {
        size_t count = l->held_count - first < l->judge_batch ? l->held_count - first : l->judge_batch;
        if (asked_to_stop(l))
            return stopped(l, error);
        for (size_t i = 0; i < l->judge_batch; i++)
            l->taken[i] = l->rows[l->row_count + (i < count ? first + i : i - count)];
        gbv_status status = feed_batch(&l->task->rows, l->judge, l->taken, l->judge_batch, error);
        if (status != GBV_OK)
            return status;
        program_forward(l->judge, 0);
        const float *logits = program_logits(l->judge);
        for (size_t i = 0; i < count; i++) {
            bool right;
            double weight = l->row_weights[l->taken[i]];
            loss +=
                weight * row_loss(logits + i * fit->outputs, fit->outputs, (size_t)fit->targets[l->taken[i]], &right);
            correct += weight * right;
            sum += weight;
        }
    }
    made->held_out_loss = sum > 0 ? loss / sum : NAN;
    made->held_out_accuracy = sum > 0 ? correct / sum : NAN;
    return GBV_OK;
}

static void copy_values(const net *n, const net_values *from, net_values *to)
{
    memcpy(to->parameters, from->parameters, n->parameter_count * sizeof(float));
    memcpy(to->statistics, from->statistics, n->statistic_count * sizeof(float));
}

static gbv_status check_values(const loop *l, gbv_error *error)
{
    const net *n = l->task->net;
    for (size_t i = 0; i < n->parameter_count; i++)
        if (!isfinite(l->task->values->parameters[i]))
            return diverged(l, "a weight", (double)l->task->values->parameters[i], error);
    for (size_t i = 0; i < n->statistic_count; i++)
        if (!isfinite(l->task->values->statistics[i]))
            return diverged(l, "a running mean or variance", (double)l->task->values->statistics[i], error);
    return GBV_OK;
}

static void tell(const loop *l, const epoch_record *made, bool best, double rate, double seconds)
{
    const gbv_model_options *o = l->options;
    if (!o->on_epoch)
        return;
    gbv_epoch epoch = {.subject = l->task->fit->subject,
                       .epoch = l->state.epoch,
                       .epochs = o->epochs,
                       .loss = made->loss,
                       .held_out_loss = made->held_out_loss,
                       .held_out_accuracy = made->held_out_accuracy,
                       .best = best,
                       .learning_rate = rate,
                       .seconds = seconds,
                       .rows = l->row_count,
                       .model = l->task->model};
    if (l->task->settle)
        l->task->settle(l->task);
#pragma omp critical(gbv_on_epoch)
    o->on_epoch(o->context, &epoch);
}

static gbv_status run_epoch(loop *l, gbv_error *error)
{
    double begun = clock_seconds(), rate = learning_rate(l, (uint64_t)l->state.epoch * l->batches);
    gbv_status status = GBV_OK;
    order_epoch(l);
    while (l->state.batch < l->batches && status == GBV_OK) {
        if (asked_to_stop(l))
            return stopped(l, error);
        status = take_step(l, error);
        if (status == GBV_OK && l->options->checkpoint && clock_seconds() - l->saved > CHECKPOINT_SECONDS)
            status = save(l, error);
    }
    if (status != GBV_OK)
        return status;
    epoch_record made = {.loss = l->state.loss / (double)l->row_count};
    program_store(l->train, l->task->values);
    if ((status = check_values(l, error)) != GBV_OK || (status = judge_epoch(l, &made, error)) != GBV_OK)
        return status;
    if (!memory_grow(&l->task->curve, &l->task->curve_capacity, l->state.epoch + 1, sizeof *l->task->curve))
        return error_out_of_memory(error, "fitting a network");
    bool best = l->held_count ? made.held_out_loss < l->state.best_loss : true;
    l->task->curve[l->state.epoch++] = made;
    l->state.batch = 0;
    l->state.loss = 0;
    if (best)
        l->state.best_epoch = l->state.epoch;
    if (best && l->held_count) {
        l->state.best_loss = made.held_out_loss;
        copy_values(l->task->net, l->task->values, &l->best);
    }
    tell(l, &made, best, rate, clock_seconds() - begun);
    return save(l, error);
}

gbv_status loop_train(loop_task *task, gbv_error *error)
{
    loop l = {.task = task, .options = task->options};
    optimizer_find(l.options->optimizer, &l.optimizer);
    schedule_find(l.options->schedule, &l.schedule);
    gbv_status status = divide_rows(&l, error);
    if (status == GBV_OK)
        status = open_state(&l, error);
    if (status == GBV_OK)
        status = compile(&l, error);
    while (status == GBV_OK && l.state.epoch < l.options->epochs &&
           !(l.options->patience && l.state.epoch >= l.state.best_epoch + l.options->patience))
        status = run_epoch(&l, error);
    if (status == GBV_OK && l.held_count && l.state.best_epoch)
        copy_values(task->net, &l.best, task->values);
    if (status == GBV_OK && task->settle)
        task->settle(task);
    task->threads = l.state.threads;
    task->epochs_done = l.state.epoch;
    task->best_epoch = l.state.best_epoch ? l.state.best_epoch : l.state.epoch;
    program_free(l.train);
    program_free(l.judge);
    return status;
}
