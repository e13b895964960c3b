/* unsure.h - what a source of a result has where nothing is known of how sure it is. */
#ifndef REPORT_UNSURE_H
#define REPORT_UNSURE_H

#include <math.h>

#include <gbv/value.h>

static inline void source_result_unsure(gbv_source_result *s)
{
    s->score_corrected = s->p_best = NAN;
    for (int end = 0; end < 2; end++) {
        s->score_interval[end] = s->score_interval_model[end] = s->posterior_interval[end] = NAN;
        s->rank_interval[end] = 0;
    }
}

#endif
