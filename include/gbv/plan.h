/* plan.h - what a valuation would do and take, before it is run.
 *
 *     gbv_plan *plan;
 *     gbv_value_plan(reference, sources, &options, &plan, &error);
 *     fputs(plan->text, stdout);
 *     gbv_plan_free(plan);
 */
#ifndef GBV_PLAN_H
#define GBV_PLAN_H

#include <gbv/value.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gbv_plan {
    size_t sources; /* that this run would score: those of its shard */
    size_t rows;    /* of these */
    size_t reference_rows;
    size_t fits; /* of m_s, on all rows and on resampled ones, without those that the cache has */
    size_t refits, replicates;
    size_t workers;      /* side by side */
    double pass_seconds; /* of one worker that passes once over a thousand rows in fitting a model; of the whole fit
                            where there are no epochs */
    double seconds;      /* expected of gbv_value from its call on */
    double peak_bytes;   /* expected of the whole process, inputs that are mapped included */
    char *text;          /* all of this in words, several lines */
} gbv_plan;

/* Checks everything that gbv_value would check before fitting, fits and scores one source (a sample of its rows when it
 * is large: about a second of work) and reckons from that what all of it would take, mostly within a factor of two. A
 * method that looks at the data is tried on a sample of the rows. Fails as gbv_value would. */
GBV_API GBV_MUST_CHECK gbv_status gbv_value_plan(const gbv_dataset *reference, const gbv_sources *sources,
                                                 const gbv_value_options *options, gbv_plan **plan, gbv_error *error);
GBV_API void gbv_plan_free(gbv_plan *plan);

/* What this process has in memory, and the most it ever had; 0 where the system does not tell. */
GBV_API double gbv_memory_now(void);
GBV_API double gbv_memory_peak(void);

#ifdef __cplusplus
}
#endif
#endif
