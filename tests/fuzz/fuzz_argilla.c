/* fuzz_argilla.c - any bytes that are taken for Argilla's records. */
#include "annotation_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const family[] = {"argilla", NULL};
    fuzz_annotations(family, bytes, size);
    return 0;
}
