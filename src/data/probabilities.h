/* probabilities.h - sources given as what some model thinks of the reference's rows, instead of rows to fit one on. */
#ifndef DATA_PROBABILITIES_H
#define DATA_PROBABILITIES_H

#include "base/sentence.h"
#include "data/dataset.h"

/* Whether there is a row of shares for each row of the reference that is used; else says in `why`, to follow the
 * source's name, what is wrong. */
bool probabilities_fit(const gbv_dataset *probabilities, const gbv_dataset *reference, sentence *why);

#endif
