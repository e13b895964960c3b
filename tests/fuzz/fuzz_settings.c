/* fuzz_settings.c - any bytes at all, read as a run's options; what is read can be written, and reads back the same. */
#include <string.h>

#include <gbv/settings.h>

#include "memory_path.h"

static int same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    gbv_settings *settings, *again;
    gbv_error error;
    const char *path = memory_path(bytes, size);
    if (gbv_settings_read(path, &settings, &error) != GBV_OK)
        return 0;
    char name[512];
    const char *base = getenv("TMPDIR");
    snprintf(name, sizeof name, "%s/gbv-fuzz-XXXXXX", base ? base : "/tmp");
    int descriptor = mkstemp(name);
    if (descriptor < 0 || gbv_settings_write(settings, name, &error) != GBV_OK ||
        gbv_settings_read(name, &again, &error) != GBV_OK)
        abort();
    if (!same(settings->command, again->command) || settings->count != again->count)
        abort();
    for (size_t i = 0; i < settings->count; i++)
        if (!same(settings->items[i].name, again->items[i].name) ||
            !same(settings->items[i].value, again->items[i].value))
            abort();
    close(descriptor);
    unlink(name);
    gbv_settings_free(settings);
    gbv_settings_free(again);
    return 0;
}
