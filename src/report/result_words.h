/* result_words.h - the words that stand for a result's enumerations, for writing and for reading back. */
#ifndef REPORT_RESULT_WORDS_H
#define REPORT_RESULT_WORDS_H

#include "base/words.h"

enum { RESULT_SCHEMA = 1 };

extern const char *const separation_words[3]; /* a number of rows, no number will do, not known */
extern const char *const color_words[3];      /* by gbv_color */
extern const char *const verdict_words[3];    /* by gbv_verdict */

#endif
