/* backend.c - the table of backends, the fastest first, and the sizes that all of them agree on. */
#include "compute/backend.h"

#include <string.h>

#define BACKEND(name) extern const backend backend_##name;
#include "compute/backends.def"
#undef BACKEND

static const backend *const backends[] = {
#define BACKEND(name) &backend_##name,
#include "compute/backends.def"
#undef BACKEND
    NULL};

const backend *backend_at(size_t index)
{
    return index < sizeof backends / sizeof *backends - 1 ? backends[index] : NULL;
}

const backend *backend_find(const char *name)
{
    if (!name || strcmp(name, "auto") == 0)
        return backends[0];
    for (size_t i = 0; backend_at(i); i++)
        if (strcmp(backend_at(i)->name, name) == 0)
            return backend_at(i);
    return NULL;
}

static size_t windows(size_t side, size_t kernel, size_t stride, size_t padding)
{
    return (side + 2 * padding - kernel) / stride + 1;
}

extent convolution_out(const convolution_shape *shape)
{
    return (extent){.channels = shape->outputs,
                    .height = windows(shape->in.height, shape->kernel, shape->stride, shape->padding),
                    .width = windows(shape->in.width, shape->kernel, shape->stride, shape->padding)};
}

extent max_pool_out(const max_pool_shape *shape)
{
    return (extent){.channels = shape->in.channels,
                    .height = windows(shape->in.height, shape->kernel, shape->stride, shape->padding),
                    .width = windows(shape->in.width, shape->kernel, shape->stride, shape->padding)};
}
