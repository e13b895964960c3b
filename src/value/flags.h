/* flags.h - what is wrong with a source in a word that programs can act on, and a sentence with the numbers.
 * A flagged source is inconsistent with the reference or cannot be judged; why is for people to find out. */
#ifndef VALUE_FLAGS_H
#define VALUE_FLAGS_H

#include <gbv/value.h>

#define FLAG_CHANCE "no_better_than_chance"
#define FLAG_ONE_CLASS "one_class"
#define FLAG_RANK_DISAGREEMENT "rank_disagreement"
#define FLAG_UNDEFINED "undefined"

enum { FLAG_KINDS = 4 }; /* the kinds above */

bool flag_kind_at(size_t index, const char **kind, const char **summary); /* false past the last */

/* Appends a flag; false when memory is out. */
bool flag_add(gbv_source_result *source, const char *kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Flags a source whose model agrees with the reference (source->agreement) not more often than one that says its
 * classes at random would. Not where agreement is undefined, nor where even full agreement would prove nothing. */
GBV_MUST_CHECK gbv_status flag_chance(gbv_source_result *source, const gbv_measure_input *input, gbv_error *error);

#endif
