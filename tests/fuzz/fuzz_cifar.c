/* fuzz_cifar.c - any bytes at all, read as CIFAR batches. */
#include "reader_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_reader("cifar", bytes, size);
    return 0;
}
