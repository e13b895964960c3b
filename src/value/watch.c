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

bool watch_count(watch *w)
{
    w->done++;
    return watch_ask(w, NULL, 0, 0);
}
