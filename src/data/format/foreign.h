/* foreign.h - files that people hand over by mistake, and how they become something that is read here. */
#ifndef DATA_FORMAT_FOREIGN_H
#define DATA_FORMAT_FOREIGN_H

#include <stddef.h>

typedef struct foreign_content {
    const char *name;   /* "a Parquet file" */
    const char *remedy; /* one line that converts it; @ stands for the file, # for what is made of it */
    const char *ending; /* of what is made; NULL when the remedy names nothing */
} foreign_content;

/* NULL when the bytes are none of these. */
const foreign_content *foreign_content_find(const unsigned char *bytes, size_t size);

/* The remedy for this file, ready to be pasted into a shell, cut when it is too long for `text`. */
void foreign_remedy(const foreign_content *content, const char *path, char *text, size_t size);

#endif
