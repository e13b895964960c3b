#include "compute/cpu/layout.h"

#include <string.h>

size_t layout_block(size_t channels)
{
    /* What oneDNN will use, which its own environment may have lowered. */
    bool wide = (dnnl_get_effective_cpu_isa() & dnnl_cpu_isa_avx512_core) == dnnl_cpu_isa_avx512_core;
    size_t block = wide ? 16 : 8;
    return channels % block ? 1 : block;
}

dnnl_memory_desc_t layout_memory(extent of, size_t batch)
{
    dnnl_memory_desc_t memory;
    size_t block = layout_block(of.channels);
    dnnl_memory_desc_init_by_tag(
        &memory, 4,
        (const dnnl_dims_t){(dnnl_dim_t)batch, (dnnl_dim_t)of.channels, (dnnl_dim_t)of.height, (dnnl_dim_t)of.width},
        dnnl_f32,
        block == 16  ? dnnl_nChw16c
        : block == 8 ? dnnl_nChw8c
                     : dnnl_nchw);
    return memory;
}

void layout_to_own(extent of, size_t batch, const float *plain, float *own)
{
    size_t block = layout_block(of.channels), places = of.height * of.width;
    if (block == 1 || places == 1) {
        memcpy(own, plain, batch * extent_count(of) * sizeof *own);
        return;
    }
    for (size_t b = 0; b < batch * of.channels / block; b++, own += block * places, plain += block * places)
        for (size_t i = 0; i < places; i++)
            for (size_t c = 0; c < block; c++)
                own[i * block + c] = plain[c * places + i];
}

void layout_to_plain(extent of, size_t batch, const float *own, float *plain)
{
    size_t block = layout_block(of.channels), places = of.height * of.width;
    if (block == 1 || places == 1) {
        memcpy(plain, own, batch * extent_count(of) * sizeof *plain);
        return;
    }
    for (size_t b = 0; b < batch * of.channels / block; b++, own += block * places, plain += block * places)
        for (size_t c = 0; c < block; c++)
            for (size_t i = 0; i < places; i++)
                plain[c * places + i] = own[i * block + c];
}
