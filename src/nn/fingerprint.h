/* fingerprint.h - what a trained network depends on, added to a hash: how it is trained, and on which rows.
 *
 *     hash_stream hash = hash_open();
 *     fingerprint_training(&hash, &resolved, "anna", 0);
 *     status = fingerprint_rows(&hash, rows, class_count, threads, error);
 *     hash_close(&hash, key);
 */
#ifndef NN_FINGERPRINT_H
#define NN_FINGERPRINT_H

#include "base/hash.h"
#include "nn/model.h"

void fingerprint_text(hash_stream *hash, const char *name, const char *value);
void fingerprint_number(hash_stream *hash, const char *name, double value);

/* `resolved` has nothing left to choose. Weights that are begun with are not looked at. */
void fingerprint_training(hash_stream *hash, const gbv_model_options *resolved, const char *subject, uint32_t draw);

/* Images as a network gets them, or features, with their classes and weights: any change of a file that matters is
 * noticed, and no other. */
GBV_MUST_CHECK gbv_status fingerprint_rows(hash_stream *hash, const sample *rows, size_t class_count, size_t threads,
                                           gbv_error *error);

#endif
