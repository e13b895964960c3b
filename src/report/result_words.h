/* result_words.h - the words that stand for a result's enumerations, for writing and for reading back. */
#ifndef REPORT_RESULT_WORDS_H
#define REPORT_RESULT_WORDS_H

enum { RESULT_SCHEMA = 1 };

enum { TAU_MODES = 4 };
extern const char *const tau_mode_words[TAU_MODES]; /* by gbv_tau_mode */
extern const char *const separation_words[3];       /* a number of rows, no number will do, not known */
extern const char *const score_status_words[3];     /* by gbv_score_status */
extern const char *const color_words[3];            /* by gbv_color */
extern const char *const verdict_words[3];          /* by gbv_verdict */

#endif
