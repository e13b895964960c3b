/* fuzz_part.c - any bytes at all, merged as the only part of a run; what comes of it can be written in every format. */
#include <gbv/gbv.h>

#include "memory_path.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *paths[] = {memory_path(bytes, size)};
    gbv_result *result;
    gbv_error error;
    if (gbv_merge(paths, 1, &result, &error) != GBV_OK)
        return 0;
    for (int format = GBV_FORMAT_TABLE; format <= GBV_FORMAT_CSV; format++)
        if (gbv_result_write(result, (gbv_report_format)format, "/dev/null", &error) != GBV_OK)
            abort();
    gbv_result_free(result);
    return 0;
}
