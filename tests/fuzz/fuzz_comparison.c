/* fuzz_comparison.c - any bytes at all, read as a comparison; what is read can be written in every format. */
#include <gbv/gbv.h>

#include "memory_path.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    gbv_comparison *comparison;
    gbv_error error;
    if (gbv_comparison_read(memory_path(bytes, size), &comparison, &error) != GBV_OK)
        return 0;
    for (int format = GBV_FORMAT_TABLE; format <= GBV_FORMAT_CSV; format++)
        if (gbv_comparison_write(comparison, (gbv_report_format)format, "/dev/null", &error) != GBV_OK)
            abort();
    gbv_comparison_free(comparison);
    return 0;
}
