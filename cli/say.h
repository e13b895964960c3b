/* say.h - sentences and lists for people, laid out for the terminal that they are read on. */
#ifndef CLI_SAY_H
#define CLI_SAY_H

#include <stdio.h>

#include <gbv/report.h>

/* "HEAD sentence"; the head in a style, "" for none. */
void say(FILE *stream, gbv_style style, const char *head, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A name on standard output and, from column `indent` on, what is said of it. */
void say_item(const char *name, size_t indent, const char *text);

#endif
