/* result_words.h - the words that stand for a result's enumerations, for writing and for reading back. */
#ifndef REPORT_RESULT_WORDS_H
#define REPORT_RESULT_WORDS_H

enum { RESULT_SCHEMA = 1 };

extern const char *const tau_mode_words[3];     /* by gbv_tau_mode */
extern const char *const score_status_words[3]; /* by gbv_score_status */
extern const char *const color_words[3];        /* by gbv_color */

#endif
