/* fuzz_label_studio_short.c - any bytes that are taken for Label Studio's JSON-MIN or CSV export. */
#include "annotation_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const family[] = {"label-studio-min", "label-studio-csv", NULL};
    fuzz_annotations(family, bytes, size);
    return 0;
}
