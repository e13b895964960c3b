/* foreign.h - files that people hand over by mistake, and how they become something that is read here. */
#ifndef DATA_FORMAT_FOREIGN_H
#define DATA_FORMAT_FOREIGN_H

#include <stddef.h>

typedef struct foreign_content {
    const char *name;   /* "a Parquet file" */
    const char *remedy; /* one line that converts it */
} foreign_content;

/* NULL when the bytes are none of these. */
const foreign_content *foreign_content_find(const unsigned char *bytes, size_t size);

#endif
