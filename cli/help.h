/* help.h - the help of the program and of its commands: as wide as the terminal, but not too wide to read. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "options.h"

/* Usage, summary, examples and the options of all tables under their headings. */
void help_print(const command *self, const option *const *tables);
/* A word above lines, and lines of "name  text" below it; examples, a line each, which go on after a backslash. */
void help_heading(const char *word);
void help_item(const char *name, size_t indent, const char *text);
void help_text(const char *text);
void help_examples(const char *lines);

#endif
