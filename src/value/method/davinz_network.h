/* davinz_network.h - the first part of DAVINZ (davinz_kernel.h), N(S), for a network of images: gradients of each row's
 * own logit by all weights of convolutions and linear layers, with batch norm taken out (gain 1, shift 0, mean 0,
 * variance 1).
 *
 *     davinz_network d;
 *     davinz_network_open(&d, &options, &images, classes, error);
 *     davinz_network_complexity(&d, &images, labels, NULL, images.rows, &complexity, error);
 *     davinz_network_close(&d);
 */
#ifndef VALUE_METHOD_DAVINZ_NETWORK_H
#define VALUE_METHOD_DAVINZ_NETWORK_H

#include "nn/model.h"

typedef struct davinz_network {
    const gbv_model_options *options; /* borrowed: progress, threads, seed, backend */
    gbv_model *model;                 /* at its start: random numbers, whatever pretrained weights there are */
    size_t gradients;                 /* numbers of one row's gradient */
    size_t blocks;                    /* that the rows are dealt into at least: 1, and 100 for deep networks */
    size_t memory;                    /* bytes of gradients that one thread may hold: larger blocks are divided */
    size_t threads;
} davinz_network;

/* For images like those of `images` and labels 0..classes-1. `memory` 0: 512 MiB. */
GBV_MUST_CHECK gbv_status davinz_network_open(davinz_network *d, const gbv_model_options *options, const sample *images,
                                              size_t classes, size_t memory, size_t threads, gbv_error *error);
void davinz_network_close(davinz_network *d);

/* sqrt(sum over blocks of r' (Theta + 1e-4 I)^-1 r / rows) of some rows of the images (NULL: the first `count`), dealt
 * into blocks in a random order that depends on the seed only. The result does not depend on the threads. */
GBV_MUST_CHECK gbv_status davinz_network_complexity(const davinz_network *d, const sample *images,
                                                    const int32_t *labels, const size_t *members, size_t count,
                                                    double *complexity, gbv_error *error);

#endif
