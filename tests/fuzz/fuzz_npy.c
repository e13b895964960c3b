/* fuzz_npy.c - any bytes at all, read as NPY. */
#include "reader_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_reader("npy", bytes, size);
    return 0;
}
