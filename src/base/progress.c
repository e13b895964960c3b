/* progress.c - the callback for those who look at a run from another thread. The fields are read and written one by
 * one, so that a reader may see a count from one call beside a total from the next: it is for showing only. */
#include <gbv/data.h>

bool gbv_progress_note(void *context, const char *stage, size_t done, size_t total)
{
    (void)stage;
    gbv_progress *progress = context;
    __atomic_store_n(&progress->done, done, __ATOMIC_RELAXED);
    __atomic_store_n(&progress->total, total, __ATOMIC_RELAXED);
    return __atomic_load_n(&progress->stop, __ATOMIC_RELAXED);
}
