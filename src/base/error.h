/* error.h - writing the one sentence a failure owes its caller. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <gbv/status.h>

/* Fills *error (unless NULL) and returns `status`, so that a failure is one line: return error_set(error, ...). */
gbv_status error_set(gbv_error *error, gbv_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

gbv_status error_out_of_memory(gbv_error *error, const char *what);

/* Puts a prefix before the sentence of an error that a lower room wrote. Returns the error's own status. */
gbv_status error_prefix(gbv_error *error, gbv_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
