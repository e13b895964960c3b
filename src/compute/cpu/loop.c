#include "compute/cpu/loop.h"

#include <stdlib.h>

#include "base/error.h"
#include "compute/cpu/primitive.h"

static void close(op *self)
{
    free(self);
}

gbv_status loop_op_create(const loop_op *from, const op_setting *setting, op **made, gbv_error *error)
{
    gbv_status status = setting_check(setting, error);
    if (status != GBV_OK)
        return status;
    loop_op *self = malloc(sizeof *self);
    if (!self)
        return error_out_of_memory(error, "an operation");
    *self = *from;
    self->op.close = close;
    self->batch = setting->batch;
    self->threads = setting->threads;
    *made = &self->op;
    return GBV_OK;
}

int loop_threads(size_t count, size_t threads)
{
    size_t worth = count / (2 * LOOP_STRETCH) + 1;
    return (int)(worth < threads ? worth : threads);
}
