/* minimal.c - the whole job in one call: which of two sources serves the reference better?
 *
 *     cc minimal.c $(pkg-config --cflags --libs gbv) -o minimal
 *     ./minimal reference.csv anna.csv ben.csv
 */
#include <stdio.h>

#include <gbv/gbv.h>

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s REFERENCE SOURCE...\n", argv[0]);
        return GBV_USAGE;
    }
    const char *const *sources = (const char *const *)argv + 2;
    gbv_result *result;
    gbv_error error;
    gbv_status status = gbv_value_files(argv[1], sources, sources, (size_t)argc - 2, NULL, &result, &error);
    if (status == GBV_OK) {
        status = gbv_report_table(result, stdout, NULL, &error);
        gbv_result_free(result);
    }
    if (status != GBV_OK)
        fprintf(stderr, "%s\n", error.message);
    return status;
}
