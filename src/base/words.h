/* words.h - words of a result that its readers go by. */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

/* What methods by labels look at: feature_space of a result. */
#define SPACE_OF_LABELS "labels of the same items"

enum { TAU_MODES = 4 };
extern const char *const tau_mode_words[TAU_MODES]; /* by gbv_tau_mode */
extern const char *const score_status_words[3];     /* by gbv_score_status */

#endif
