/* fuzz_npz.c - any bytes at all, read as NPZ. */
#include "reader_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_reader("npz", bytes, size);
    return 0;
}
