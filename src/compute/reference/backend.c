/* backend.c - the table of the plain loops. */
#include "compute/reference/reference.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static void reference_close(op *self)
{
    free(self);
}

gbv_status reference_op_create(const reference_op *from, op **made, gbv_error *error)
{
    reference_op *copy = malloc(sizeof *copy);
    if (!copy)
        return error_out_of_memory(error, "an operation");
    *copy = *from;
    copy->op.close = reference_close;
    *made = &copy->op;
    return GBV_OK;
}

void reference_copy(extent of, size_t batch, const float *from, float *to)
{
    memcpy(to, from, batch * extent_count(of) * sizeof *to);
}

/* The compiler's clones for instruction sets sum in the same order. */
static unsigned level(void)
{
    return 0;
}

extern const backend backend_reference;
const backend backend_reference = {
    .name = "reference",
    .summary = "plain loops: slow, runs everywhere, judges the others",
    .level = level,
    .convolution = reference_convolution,
    .batch_norm = reference_batch_norm,
    .relu = reference_relu,
    .add = reference_add,
    .max_pool = reference_max_pool,
    .mean_pool = reference_mean_pool,
    .linear = reference_linear,
    .dropout = reference_dropout,
    .to_own = reference_copy,
    .to_plain = reference_copy,
    .normalise = reference_normalise,
    .cross_entropy = reference_cross_entropy,
    .accumulate = reference_accumulate,
    .update = reference_update,
};
