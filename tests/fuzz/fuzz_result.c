/* fuzz_result.c - any bytes at all, read as a result; what is read can be written in every format. */
#include <gbv/gbv.h>

#include "memory_path.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    gbv_result *result;
    gbv_error error;
    if (gbv_result_read(memory_path(bytes, size), &result, &error) != GBV_OK)
        return 0;
    for (int format = GBV_FORMAT_TABLE; format <= GBV_FORMAT_CSV; format++)
        if (gbv_result_write(result, (gbv_report_format)format, "/dev/null", &error) != GBV_OK)
            abort();
    gbv_result_free(result);
    return 0;
}
