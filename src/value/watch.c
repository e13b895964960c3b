#include "value/watch.h"

bool watch_ask(void *context, const char *stage, size_t done, size_t total)
{
    watch *w = context;
    bool alone = w->total == 1 && stage;
    if (w->stop || !w->asked->progress)
        return w->stop;
#pragma omp critical(gbv_watch)
    if (w->asked->progress(w->asked->context, alone ? stage : w->stage, alone ? done : w->done,
                           alone ? total : w->total))
        w->stop = true;
    return w->stop;
}

static void pass_on(void *context, const gbv_epoch *epoch)
{
    const watch *w = context;
    w->asked->on_epoch(w->asked->context, epoch);
}

void watch_over(gbv_model_options *model, watch *w)
{
    model->progress = watch_ask;
    model->on_epoch = w->asked->on_epoch ? pass_on : NULL;
    model->context = w;
}

bool watch_count(watch *w)
{
    w->done++;
    return watch_ask(w, NULL, 0, 0);
}
