/* policy.h - what the writer and the reader of a policy's file agree on. docs/formats.md describes the file. */
#ifndef AUGMENT_POLICY_H
#define AUGMENT_POLICY_H

#include <gbv/augment.h>

enum { POLICY_SCHEMA = 1 };
#define POLICY_KIND "policy"

extern const char *const policy_grid_words[2];  /* by gbv_grid */
extern const char *const policy_noise_words[3]; /* by gbv_noise; the first is no word of a file */
extern const char *const policy_prior_words[2]; /* by gbv_augment_prior */
extern const char *const policy_sign_words[2];  /* as given, or by a coin */

/* The noise of a policy with the grid's own said. */
gbv_noise policy_noise(gbv_grid grid, gbv_noise noise);
/* Zeroed, with NaN where nothing is known; NULL when memory is out. */
gbv_policy *policy_create(void);
/* Entropy and effective number, from the probabilities of the entries. */
void policy_weigh(gbv_policy *policy);

#endif
