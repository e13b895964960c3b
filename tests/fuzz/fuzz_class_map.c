/* fuzz_class_map.c - any bytes at all, as a class map and as a table of source weights. */
#include <gbv/gbv.h>

#include "memory_path.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const double rows[4] = {0, 1, 2, 3};
    static const int32_t labels[4] = {0, 1, 1, 2};
    static const char *const classes[] = {"cat", "dog", "owl"};
    gbv_sources *sources = gbv_sources_create();
    gbv_dataset *dataset;
    gbv_error error;
    double number;
    const char *path = memory_path(bytes, size);
    if (!sources ||
        gbv_dataset_create("a", gbv_matrix_f64(rows, 4, 1), labels, classes, 3, &dataset, &error) != GBV_OK ||
        gbv_sources_add_dataset(sources, "a", dataset, &error) != GBV_OK)
        abort();
    if (gbv_sources_read_numbers(sources, path, &number, &error) == GBV_OK && !(number == number))
        abort();
    if (gbv_sources_map_classes(sources, path, &error) == GBV_OK && gbv_sources_rows(sources, 0) > 4)
        abort();
    gbv_sources_free(sources);
    return 0;
}
