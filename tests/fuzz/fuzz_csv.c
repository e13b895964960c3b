/* fuzz_csv.c - any bytes at all, read as CSV. */
#include "reader_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_reader("csv", bytes, size);
    return 0;
}
