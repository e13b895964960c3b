/* mlp_network.c - loss and gradient of the network with one hidden layer. */
#include "nn/mlp.h"

#include <math.h>
#include <string.h>

#include "compute/dense.h"

bool mlp_open(mlp_network *net, size_t inputs, size_t hidden, size_t outputs, size_t batch, arena *scratch)
{
    *net = (mlp_network){.inputs = inputs, .hidden = hidden, .outputs = outputs};
    net->hidden_bias = inputs * hidden;
    net->weights = net->hidden_bias + hidden;
    net->bias = net->weights + hidden * outputs;
    net->count = net->bias + outputs;
    net->parameters = arena_zeroed(scratch, net->count, sizeof(float));
    net->gradient = arena_zeroed(scratch, net->count, sizeof(float));
    net->rows = arena_array(scratch, inputs, batch * sizeof(float));
    net->activations = arena_array(scratch, hidden, batch * sizeof(float));
    net->back = arena_array(scratch, hidden, batch * sizeof(float));
    net->residuals = arena_array(scratch, outputs, batch * sizeof(float));
    return net->parameters && net->gradient && net->rows && net->activations && net->back && net->residuals;
}

/* C (m x n) = alpha * A B + C, with A or B taken transposed as asked; all dense row-major. */
static void multiply_add(CBLAS_TRANSPOSE transpose_a, CBLAS_TRANSPOSE transpose_b, size_t m, size_t n, size_t k,
                         const float *a, const float *b, float *c)
{
    cblas_sgemm(CblasRowMajor, transpose_a, transpose_b, (int)m, (int)n, (int)k, 1, a,
                (int)(transpose_a == CblasNoTrans ? k : m), b, (int)(transpose_b == CblasNoTrans ? n : k), 1, c,
                (int)n);
}

static void spread(const float *bias, size_t rows, size_t columns, float *out)
{
    for (size_t i = 0; i < rows; i++)
        memcpy(out + i * columns, bias, columns * sizeof *out);
}

static void add_columns(const float *in, size_t rows, size_t columns, float *sums)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            sums[j] += in[i * columns + j];
}

/* Logits become weight / count * (probability - indicator); returns the mean loss. */
static double to_residuals(float *logits, size_t count, size_t outputs, const int32_t *targets, const float *weights)
{
    double loss = 0;
    for (size_t i = 0; i < count; i++) {
        float *row = logits + i * outputs, largest = -INFINITY, sum = 0, weight = weights[i] / (float)count;
        for (size_t k = 0; k < outputs; k++)
            largest = row[k] > largest ? row[k] : largest;
        float of_target = row[targets[i]] - largest;
        for (size_t k = 0; k < outputs; k++)
            sum += row[k] = expf(row[k] - largest);
        loss += (double)weight * (log(sum) - of_target);
        for (size_t k = 0; k < outputs; k++)
            row[k] *= weight / sum;
        row[targets[i]] -= weight;
    }
    return loss;
}

double mlp_loss(mlp_network *net, size_t count, const int32_t *targets, const float *weights)
{
    const float *in = net->parameters, *out = net->parameters + net->weights;
    float *gradient = net->gradient;
    spread(net->parameters + net->hidden_bias, count, net->hidden, net->activations);
    multiply_add(CblasNoTrans, CblasNoTrans, count, net->hidden, net->inputs, net->rows, in, net->activations);
    for (size_t i = 0; i < count * net->hidden; i++)
        net->activations[i] = net->activations[i] > 0 ? net->activations[i] : 0;
    spread(net->parameters + net->bias, count, net->outputs, net->residuals);
    multiply_add(CblasNoTrans, CblasNoTrans, count, net->outputs, net->hidden, net->activations, out, net->residuals);
    double loss = to_residuals(net->residuals, count, net->outputs, targets, weights);

    memset(gradient, 0, net->count * sizeof *gradient);
    multiply_add(CblasTrans, CblasNoTrans, net->hidden, net->outputs, count, net->activations, net->residuals,
                 gradient + net->weights);
    add_columns(net->residuals, count, net->outputs, gradient + net->bias);
    memset(net->back, 0, count * net->hidden * sizeof *net->back);
    multiply_add(CblasNoTrans, CblasTrans, count, net->hidden, net->outputs, net->residuals, out, net->back);
    for (size_t i = 0; i < count * net->hidden; i++)
        net->back[i] = net->activations[i] > 0 ? net->back[i] : 0;
    multiply_add(CblasTrans, CblasNoTrans, net->inputs, net->hidden, count, net->rows, net->back, gradient);
    add_columns(net->back, count, net->hidden, gradient + net->hidden_bias);
    return loss;
}
