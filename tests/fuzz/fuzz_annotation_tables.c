/* fuzz_annotation_tables.c - any bytes that are taken for a long or wide table of annotations. */
#include "annotation_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const family[] = {"long-table", "wide-table", NULL};
    fuzz_annotations(family, bytes, size);
    return 0;
}
