/* settings.h - what a run was asked to do, as a JSON file that people can read, edit and repeat.
 *
 *     {"gbv": "0.1.0", "command": "value", "options": {"reference": "trusted.csv", "source": ["anna=a.csv",
 * "ben=b.csv"], "tau": "0.1", "tau-curve": true}}
 */
#ifndef GBV_SETTINGS_H
#define GBV_SETTINGS_H

#include <stddef.h>

#include <gbv/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gbv_setting {
    char *name;  /* an option without its dashes; NULL for an argument that belongs to no option */
    char *value; /* as it would stand on the command line; NULL for an option that takes none */
} gbv_setting;

typedef struct gbv_settings {
    char *command;      /* "value" */
    gbv_setting *items; /* options in the file's order; one that may be given several times has an item for each */
    size_t count;
} gbv_settings;

/* Texts, numbers, true (an option without a value; false is as if it were not there) and lists of texts and numbers are
 * understood. Fails with GBV_BAD_INPUT, naming the key that is wrong. The caller frees the settings. */
GBV_API GBV_MUST_CHECK gbv_status gbv_settings_read(const char *path, gbv_settings **settings, gbv_error *error);
GBV_API void gbv_settings_free(gbv_settings *settings);

/* Writes the settings; several items of one name become a list. A file that cannot be written whole is not left
 * behind. Fails with GBV_BAD_INPUT for a value that is not valid UTF-8. */
GBV_API GBV_MUST_CHECK gbv_status gbv_settings_write(const gbv_settings *settings, const char *path, gbv_error *error);

#ifdef __cplusplus
}
#endif
#endif
