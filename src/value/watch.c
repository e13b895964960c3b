#include "value/watch.h"

bool watch_ask(void *context, const char *stage, size_t done, size_t total)
{
    (void)stage, (void)done, (void)total;
    watch *w = context;
    if (w->stop || !w->asked->progress)
        return w->stop;
#pragma omp critical(gbv_watch)
    if (w->asked->progress(w->asked->context, w->stage, w->done, w->total))
        w->stop = true;
    return w->stop;
}
