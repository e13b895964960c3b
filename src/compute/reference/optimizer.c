/* optimizer.c - one step of SGD, Adam and AdamW as PyTorch has them. */
#include "compute/reference/reference.h"

#include <math.h>

#include "compute/dense.h"

CLONED static void sgd(const optimizer_step *s, float *restrict parameters, const float *restrict gradient,
                       float *restrict velocity, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float g = gradient[i] + s->decay * parameters[i];
        velocity[i] = s->momentum * velocity[i] + g;
        parameters[i] -= s->rate * (s->nesterov ? g + s->momentum * velocity[i] : velocity[i]);
    }
}

CLONED static void adam(const optimizer_step *s, float *restrict parameters, const float *restrict gradient,
                        float *restrict first, float *restrict second, size_t count)
{
    bool decoupled = s->kind == OPTIMIZER_ADAMW;
    float shrink = decoupled ? (float)(1 - (double)s->rate * s->decay) : 1, decay = decoupled ? 0 : s->decay;
    float first_share = (float)(1 - (double)s->first_decay), second_share = (float)(1 - (double)s->second_decay);
    float rate = (float)(s->rate / (1 - pow(s->first_decay, (double)s->step)));
    float second_scale = (float)(1 / sqrt(1 - pow(s->second_decay, (double)s->step)));
    for (size_t i = 0; i < count; i++) {
        float kept = parameters[i] * shrink, g = gradient[i] + decay * parameters[i];
        first[i] = s->first_decay * first[i] + first_share * g;
        second[i] = s->second_decay * second[i] + second_share * g * g;
        parameters[i] = kept - rate * first[i] / (sqrtf(second[i]) * second_scale + s->epsilon);
    }
}

void reference_update(const optimizer_step *step, float *parameters, const float *gradient, float *first, float *second,
                      size_t count, size_t threads)
{
    (void)threads;
    if (step->kind == OPTIMIZER_SGD)
        sgd(step, parameters, gradient, first, count);
    else
        adam(step, parameters, gradient, first, second, count);
}
