/* fuzz_label_studio.c - any bytes that are taken for Label Studio's JSON export. */
#include "annotation_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const family[] = {"label-studio", NULL};
    fuzz_annotations(family, bytes, size);
    return 0;
}
