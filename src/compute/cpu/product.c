#include "compute/cpu/product.h"

#include <signal.h>
#include <string.h>

#include "compute/cpu/primitive.h"

typedef struct task {
    const product *p;
    const float *a, *b;
    float *result;
} task;

/* Some columns of one term. */
typedef void columns_of(const task *t, const product_term *term, size_t first, size_t count);

void product_mark_firsts(product *p)
{
    for (size_t i = 0; i < p->term_count; i++) {
        product_term *t = &p->terms[i];
        t->first_of_in = t->first_of_out = t->first_of_weights = true;
        for (const product_term *before = p->terms; before < t; before++) {
            t->first_of_in &= before->in != t->in;
            t->first_of_out &= before->out != t->out;
            t->first_of_weights &= before->weights != t->weights;
        }
    }
}

void product_multiply(char transpose_a, char transpose_b, size_t rows, size_t columns, size_t inner, const float *a,
                      size_t a_row, const float *b, size_t b_row, bool first, float *result, size_t result_row)
{
    /* The kernels of oneDNN's sgemm point the stack pointer at their data: a signal's handler would write its frame
     * into that (seen as damaged heaps after Ctrl-C), so no handler may run on this thread meanwhile. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    dnnl_sgemm(transpose_a, transpose_b, (dnnl_dim_t)rows, (dnnl_dim_t)columns, (dnnl_dim_t)inner, 1, a,
               (dnnl_dim_t)a_row, b, (dnnl_dim_t)b_row, first ? 0 : 1, result, (dnnl_dim_t)result_row);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void forward_columns(const task *t, const product_term *term, size_t first, size_t count)
{
    const product *p = t->p;
    product_multiply('N', 'T', p->rows, count, p->inputs, t->a + term->in * p->rows * p->inputs, p->inputs,
                     t->b + (term->weights * p->outputs + first) * p->inputs, p->inputs, term->first_of_out,
                     t->result + term->out * p->rows * p->outputs + first, p->outputs);
}

static void data_columns(const task *t, const product_term *term, size_t first, size_t count)
{
    const product *p = t->p;
    product_multiply('N', 'N', p->rows, count, p->outputs, t->a + term->out * p->rows * p->outputs, p->outputs,
                     t->b + term->weights * p->outputs * p->inputs + first, p->inputs, term->first_of_in,
                     t->result + term->in * p->rows * p->inputs + first, p->inputs);
}

static void weights_columns(const task *t, const product_term *term, size_t first, size_t count)
{
    const product *p = t->p;
    product_multiply('T', 'N', p->outputs, count, p->rows, t->a + term->out * p->rows * p->outputs, p->outputs,
                     t->b + term->in * p->rows * p->inputs + first, p->inputs, term->first_of_weights,
                     t->result + term->weights * p->outputs * p->inputs + first, p->inputs);
}

/* Stretches of columns are multiples of a vector register's width. A small product is worth one thread only. */
static void share_out(columns_of *some, const task *t, size_t columns)
{
    enum { STEP = 16, WORTH_A_THREAD = 1 << 18 };
    const product *p = t->p;
    size_t threads = p->rows * p->inputs * p->outputs * p->term_count / WORTH_A_THREAD + 1;
    threads = threads < p->threads ? threads : p->threads;
    size_t steps = (columns + STEP - 1) / STEP, each = (steps + threads - 1) / threads * STEP;
    int before = threads_enter(1); /* for what runs inside */
#pragma omp parallel for num_threads((int)threads) schedule(static)
    for (size_t i = 0; i < threads; i++) {
        size_t first = i * each;
        for (size_t k = 0; first < columns && k < p->term_count; k++)
            some(t, p->terms + k, first, columns - first < each ? columns - first : each);
    }
    threads_leave(before);
}

/* Blocks that no term writes. */
static void clear_others(size_t blocks, size_t written, float *result, size_t block)
{
    if (written < blocks)
        memset(result, 0, blocks * block * sizeof *result);
}

void product_forward(const product *p, const float *in, const float *weights, float *out)
{
    size_t written = 0;
    for (size_t i = 0; i < p->term_count; i++)
        written += p->terms[i].first_of_out;
    clear_others(p->out_blocks, written, out, p->rows * p->outputs);
    share_out(forward_columns, &(task){p, in, weights, out}, p->outputs);
}

void product_backward_data(const product *p, const float *out_gradient, const float *weights, float *in_gradient)
{
    size_t written = 0;
    for (size_t i = 0; i < p->term_count; i++)
        written += p->terms[i].first_of_in;
    clear_others(p->in_blocks, written, in_gradient, p->rows * p->inputs);
    share_out(data_columns, &(task){p, out_gradient, weights, in_gradient}, p->inputs);
}

void product_backward_weights(const product *p, const float *out_gradient, const float *in, float *gradient)
{
    size_t written = 0;
    for (size_t i = 0; i < p->term_count; i++)
        written += p->terms[i].first_of_weights;
    clear_others(p->matrices, written, gradient, p->outputs * p->inputs);
    share_out(weights_columns, &(task){p, out_gradient, in, gradient}, p->inputs);
}
