/* fuzz_idx.c - any bytes at all, read as IDX. */
#include "reader_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_reader("idx", bytes, size);
    return 0;
}
