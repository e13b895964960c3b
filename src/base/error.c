#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *gbv_version(void)
{
    return GBV_VERSION;
}

gbv_status error_set(gbv_error *error, gbv_status status, const char *format, ...)
{
    if (!error)
        return status;
    va_list arguments;
    va_start(arguments, format);
    error->status = status;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

gbv_status error_out_of_memory(gbv_error *error, const char *what)
{
    return error_set(error, GBV_FAILED,
                     "not enough memory for %s: use fewer rows or sources at a time, or a larger machine", what);
}

gbv_status error_prefix(gbv_error *error, gbv_status status, const char *format, ...)
{
    if (!error)
        return status;
    gbv_error inner = *error;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length < sizeof error->message)
        snprintf(error->message + length, sizeof error->message - (size_t)length, "%s", inner.message);
    error->status = status;
    return status;
}
