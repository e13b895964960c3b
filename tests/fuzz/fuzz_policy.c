/* fuzz_policy.c - any bytes at all, read as a policy; what is read can be drawn from and written. */
#include <gbv/gbv.h>

#include "memory_path.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    gbv_policy *policy;
    gbv_error error;
    if (gbv_policy_read(memory_path(bytes, size), &policy, &error) != GBV_OK)
        return 0;
    for (size_t row = 0; row < 4; row++)
        if (!gbv_policy_draw(policy, 1, row, 0).op)
            abort();
    if (gbv_policy_write(policy, "/dev/null", &error) != GBV_OK)
        abort();
    gbv_policy_free(policy);
    return 0;
}
