#include "compute/cpu/primitive.h"

#include <omp.h>
#include <pthread.h>

static dnnl_engine_t engine;

static void make_engine(void)
{
    if (dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success)
        engine = NULL;
}

dnnl_engine_t primitive_engine(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_engine);
    return engine;
}

dnnl_primitive_attr_t primitive_attributes(void)
{
    dnnl_primitive_attr_t attributes;
    if (dnnl_primitive_attr_create(&attributes) != dnnl_success)
        return NULL;
    dnnl_primitive_attr_set_scratchpad_mode(attributes, dnnl_scratchpad_mode_user);
    return attributes;
}

dnnl_status_t primitive_describe(const_dnnl_op_desc_t operation, dnnl_primitive_attr_t attributes,
                                 const_dnnl_primitive_desc_t forward, dnnl_primitive_desc_t *description)
{
    dnnl_primitive_attr_t own = attributes ? NULL : primitive_attributes();
    if (!attributes && !own)
        return dnnl_out_of_memory;
    dnnl_status_t status =
        dnnl_primitive_desc_create(description, operation, own ? own : attributes, primitive_engine(), forward);
    if (own)
        dnnl_primitive_attr_destroy(own);
    return status;
}

static dnnl_status_t add_argument(primitive *p, int argument, const dnnl_memory_desc_t *memory)
{
    dnnl_exec_arg_t *added = p->arguments + p->argument_count;
    dnnl_status_t status = dnnl_memory_create(&added->memory, memory, primitive_engine(), DNNL_MEMORY_NONE);
    if (status == dnnl_success) {
        added->arg = argument;
        p->argument_count++;
    }
    return status;
}

dnnl_status_t primitive_create(primitive *p, const_dnnl_primitive_desc_t description, const int *arguments)
{
    *p = (primitive){0};
    dnnl_status_t status = dnnl_stream_create(&p->stream, primitive_engine(), dnnl_stream_default_flags);
    for (; *arguments && status == dnnl_success; arguments++)
        status =
            add_argument(p, *arguments, dnnl_primitive_desc_query_md(description, dnnl_query_exec_arg_md, *arguments));
    if (status == dnnl_success) {
        const dnnl_memory_desc_t *scratch = dnnl_primitive_desc_query_md(description, dnnl_query_scratchpad_md, 0);
        p->scratch_bytes = scratch ? dnnl_memory_desc_get_size(scratch) : 0;
        if (p->scratch_bytes)
            status = add_argument(p, DNNL_ARG_SCRATCHPAD, scratch);
    }
    if (status == dnnl_success)
        status = dnnl_primitive_create(&p->made, description);
    if (status != dnnl_success)
        primitive_destroy(p);
    return status;
}

dnnl_status_t primitive_create_reorder(primitive *p, const dnnl_memory_desc_t *from, const dnnl_memory_desc_t *to)
{
    dnnl_primitive_desc_t description;
    dnnl_status_t status =
        dnnl_reorder_primitive_desc_create(&description, from, primitive_engine(), to, primitive_engine(), NULL);
    if (status != dnnl_success)
        return status;
    status = primitive_create(p, description, (const int[]){DNNL_ARG_FROM, DNNL_ARG_TO, 0});
    dnnl_primitive_desc_destroy(description);
    return status;
}

void primitive_destroy(primitive *p)
{
    if (p->made)
        dnnl_primitive_destroy(p->made);
    for (int i = 0; i < p->argument_count; i++)
        dnnl_memory_destroy(p->arguments[i].memory);
    if (p->stream)
        dnnl_stream_destroy(p->stream);
    *p = (primitive){0};
}

/* Setting a place makes oneDNN look for padding to clear, so it is done only when the place is another. */
static void point(dnnl_memory_t memory, const void *place)
{
    void *before = NULL;
    dnnl_memory_get_data_handle(memory, &before);
    if (before != place)
        dnnl_memory_set_data_handle(memory, (void *)place);
}

void primitive_run(const primitive *p, const void *const *places, void *scratch)
{
    int given = p->argument_count - (p->scratch_bytes > 0);
    for (int i = 0; i < given; i++)
        point(p->arguments[i].memory, places[i]);
    if (p->scratch_bytes)
        point(p->arguments[given].memory, scratch);
    dnnl_primitive_execute(p->made, p->stream, p->argument_count, p->arguments);
}

int threads_enter(size_t threads)
{
    int before = omp_get_max_threads();
    omp_set_num_threads((int)threads);
    return before;
}

void threads_leave(int before)
{
    omp_set_num_threads(before);
}

gbv_status setting_check(const op_setting *setting, gbv_error *error)
{
    if (!setting->batch || !setting->threads)
        return error_set(error, GBV_USAGE, "an operation needs a batch of at least one and at least one thread");
    if (setting->threads > 1 && omp_in_parallel())
        return error_set(error, GBV_USAGE,
                         "%zu threads for an operation inside another worker: oneDNN gets only one there; prepare it "
                         "for one thread",
                         setting->threads);
    if (!primitive_engine())
        return error_set(error, GBV_FAILED, "oneDNN does not work on this machine; use the backend reference");
    return GBV_OK;
}

gbv_status primitive_failed(dnnl_status_t status, const char *what, gbv_error *error)
{
    if (status == dnnl_out_of_memory)
        return error_out_of_memory(error, what);
    return error_set(error, GBV_FAILED, "oneDNN cannot prepare %s (its status %d); use the backend reference", what,
                     (int)status);
}
