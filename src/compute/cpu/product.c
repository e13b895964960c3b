#include "compute/cpu/product.h"

#include <stdbool.h>

#include "compute/cpu/primitive.h"
#include "compute/dense.h"

/* Columns first .. first + count - 1 of a row-major result: all of its rows. */
typedef struct task {
    const product *p;
    const float *a, *b;
    float *result;
} task;

typedef void columns_of(const task *t, size_t first, size_t count);

static void forward_columns(const task *t, size_t first, size_t count)
{
    const product *p = t->p;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)p->rows, (int)count, (int)p->inputs, 1, t->a,
                (int)p->inputs, t->b + first * p->inputs, (int)p->inputs, 0, t->result + first, (int)p->outputs);
}

static void data_columns(const task *t, size_t first, size_t count)
{
    const product *p = t->p;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)p->rows, (int)count, (int)p->outputs, 1, t->a,
                (int)p->outputs, t->b + first, (int)p->inputs, 0, t->result + first, (int)p->inputs);
}

static void weights_columns(const task *t, size_t first, size_t count)
{
    const product *p = t->p;
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)p->outputs, (int)count, (int)p->rows, 1, t->a,
                (int)p->outputs, t->b + first, (int)p->inputs, 0, t->result + first, (int)p->inputs);
}

/* Stretches are multiples of a vector register's width. A small product is worth one thread only. */
static void share_out(columns_of *some, const task *t, size_t columns)
{
    enum { STEP = 16, WORTH_A_THREAD = 1 << 18 };
    const product *p = t->p;
    size_t threads = p->rows * p->inputs * p->outputs / WORTH_A_THREAD + 1;
    threads = threads < p->threads ? threads : p->threads;
    size_t steps = (columns + STEP - 1) / STEP, each = (steps + threads - 1) / threads * STEP;
    int before = threads_enter(1); /* BLAS asks how many it may use */
#pragma omp parallel for num_threads((int)threads) schedule(static)
    for (size_t i = 0; i < threads; i++) {
        size_t first = i * each;
        if (first < columns)
            some(t, first, columns - first < each ? columns - first : each);
    }
    threads_leave(before);
}

void product_forward(const product *p, const float *in, const float *weights, float *out)
{
    share_out(forward_columns, &(task){p, in, weights, out}, p->outputs);
}

void product_backward_data(const product *p, const float *out_gradient, const float *weights, float *in_gradient)
{
    share_out(data_columns, &(task){p, out_gradient, weights, in_gradient}, p->inputs);
}

void product_backward_weights(const product *p, const float *out_gradient, const float *in, float *gradient)
{
    share_out(weights_columns, &(task){p, out_gradient, in, gradient}, p->inputs);
}
