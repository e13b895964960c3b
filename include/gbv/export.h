/* export.h - policies and weights as other libraries read them.
 *
 *     gbv_policy_export(policy, "torchvision", "policy.py", &error);    then: from policy import transform
 *     gbv_result_export(result, "hf", "mixture.json", &error);          probabilities for interleave_datasets
 */
#ifndef GBV_EXPORT_H
#define GBV_EXPORT_H

#include <gbv/augment.h>
#include <gbv/value.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What can be written for whom, in the order of `gbv list exports`. */
typedef struct gbv_export {
    const char *name;    /* "torchvision" */
    const char *summary; /* one line for people */
    bool of_policy;      /* takes a policy; else the weights of a result */
} gbv_export;

GBV_API const gbv_export *gbv_export_at(size_t index); /* NULL past the last */
/* GBV_USAGE for a name that is not among them, naming the nearest. */
GBV_API GBV_MUST_CHECK gbv_status gbv_export_find(const char *name, const gbv_export **found, gbv_error *error);

/* Writes the file that the library reads; `path` NULL is standard output. A file that cannot be written whole is not
 * left behind. GBV_USAGE for an unknown name, or one that takes the other kind; GBV_BAD_INPUT for weights that do not
 * add up to 1. */
GBV_API GBV_MUST_CHECK gbv_status gbv_policy_export(const gbv_policy *policy, const char *library, const char *path,
                                                    gbv_error *error);
GBV_API GBV_MUST_CHECK gbv_status gbv_result_export(const gbv_result *result, const char *library, const char *path,
                                                    gbv_error *error);

/* What the library cannot do just as gbv does, a sentence each, which the file says, too; NULL past the last. */
GBV_API const char *gbv_policy_export_note(const gbv_policy *policy, const char *library, size_t index);

#ifdef __cplusplus
}
#endif
#endif
