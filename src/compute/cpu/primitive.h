/* primitive.h - oneDNN as the operations here use it: a primitive is prepared once for a number of threads and then run
 * on numbers wherever they lie, with scratch memory of the caller's.
 *
 *     primitive p = {0};
 *     primitive_create(&p, description, (const int[]){DNNL_ARG_SRC, DNNL_ARG_DST, 0});
 *     primitive_run(&p, (const void *const[]){in, out}, scratch);
 *     primitive_destroy(&p);
 */
#ifndef COMPUTE_CPU_PRIMITIVE_H
#define COMPUTE_CPU_PRIMITIVE_H

#include <oneapi/dnnl/dnnl.h>

#include "base/error.h"
#include "compute/backend.h"

enum { PRIMITIVE_ARGUMENTS = 10 };

typedef struct primitive {
    dnnl_primitive_t made; /* NULL: there is none */
    dnnl_stream_t stream;  /* of its own, since streams must not be shared by threads */
    dnnl_exec_arg_t arguments[PRIMITIVE_ARGUMENTS];
    int argument_count;   /* given to primitive_run; one more is scratch memory */
    size_t scratch_bytes; /* that it needs from the caller */
} primitive;

/* The engine of the process, made at the first call and kept; NULL when oneDNN does not work here. */
dnnl_engine_t primitive_engine(void);

/* A description that takes its scratch memory from the caller. `attributes` are NULL or consumed by the caller after
 * the call; `forward` is the hint that oneDNN wants for backward. */
dnnl_status_t primitive_describe(const_dnnl_op_desc_t operation, dnnl_primitive_attr_t attributes,
                                 const_dnnl_primitive_desc_t forward, dnnl_primitive_desc_t *description);
dnnl_primitive_attr_t primitive_attributes(void); /* NULL when memory is out */

/* `arguments` are DNNL_ARG_* in the order of primitive_run, ended by 0. p->made stays NULL on failure. */
dnnl_status_t primitive_create(primitive *p, const_dnnl_primitive_desc_t description, const int *arguments);
/* Copies numbers from one order to another; with scratch memory of its own. Arguments: from, to. */
dnnl_status_t primitive_create_reorder(primitive *p, const dnnl_memory_desc_t *from, const dnnl_memory_desc_t *to);
void primitive_destroy(primitive *p);

/* One thread at a time, the number of threads already set. */
void primitive_run(const primitive *p, const void *const *places, void *scratch);

/* oneDNN takes OpenMP's number of threads when it prepares and when it runs, and the two must be the same. Returns what
 * the number was, for threads_leave. */
int threads_enter(size_t threads);
void threads_leave(int before);

/* Refuses a setting that cannot work: no batch, or several threads where oneDNN would get only one. */
gbv_status setting_check(const op_setting *setting, gbv_error *error);
gbv_status primitive_failed(dnnl_status_t status, const char *what, gbv_error *error);

#endif
