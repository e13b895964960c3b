/* beside.h - where another method ranks a source quite differently from gbv.
 * Sources whose annotations overlap are also judged by their labels alone (gold-accuracy, peer-agreement, dawid-skene).
 * That GBV, which asks what a model learns from them, orders them a little differently is to be expected. Each method
 * leaves a source one rank open, or several: those of sources whose score is the same or whose intervals overlap its
 * own. A source is flagged for a method when, among the sources that both score, the nearest ranks that the two leave
 * open are more than one place and more than a quarter of the sources apart; of two sources, when they are swapped.
 *
 *     ranked_scores gbv = {.method = "gbv", .scores = t, .low = low, .high = high};
 *     status = beside_flag(result->sources, result->source_count, &gbv, others, 3, error);
 */
#ifndef VALUE_BESIDE_H
#define VALUE_BESIDE_H

#include <gbv/value.h>

/* How one method scores the sources; more is better. */
typedef struct ranked_scores {
    const char *method;
    const double *scores;     /* one per source; NaN: it has none */
    const double *low, *high; /* their intervals; NULL, or NaN for one source: not known */
} ranked_scores;

/* Flags each source (FLAG_RANK_DISAGREEMENT) that a method of `others` ranks far from where `first` does, once, with
 * the ranks by every such method. Methods that score fewer than two of the sources are passed over. */
GBV_MUST_CHECK gbv_status beside_flag(gbv_source_result *sources, size_t source_count, const ranked_scores *first,
                                      const ranked_scores *others, size_t other_count, gbv_error *error);

#endif
