/* none.c - images as they are. */
#include "augment/training_policy.h"

extern const policy_kind policy_none;
const policy_kind policy_none = {.info = {.name = "none", .summary = "images as they are", .variants = ""}};
