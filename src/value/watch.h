/* watch.h - fits side by side that ask their caller, one at a time, whether to go on.
 *
 *     watch seen = {.asked = &options->model, .stage = "tau", .total = 16};
 *     watch_over(&model, &seen);          then, after each piece of work: watch_count(&seen)
 */
#ifndef VALUE_WATCH_H
#define VALUE_WATCH_H

#include <stdatomic.h>

#include <gbv/train.h>

typedef struct watch {
    const gbv_model_options *asked; /* whose progress is told; it may be NULL */
    const char *stage;
    size_t total; /* pieces of work */
    atomic_size_t done;
    atomic_bool stop; /* the caller said so */
} watch;

/* A gbv_progress_callback whose context is a watch. Work is counted in its pieces, so that what is left takes about as
 * long as it seems; what a fit says of itself is passed on where it is the only piece. */
bool watch_ask(void *context, const char *stage, size_t done, size_t total);
/* Makes fits with these options ask the watch, and tell of epochs whoever asked for it. */
void watch_over(gbv_model_options *model, watch *w);
/* One piece more is done. True: the caller wants to stop. */
bool watch_count(watch *w);

#endif
