/* command.h - the command line that makes a result again, from what the result says of its run. */
#ifndef REPORT_COMMAND_H
#define REPORT_COMMAND_H

#include <stdio.h>

#include <gbv/compare.h>

/* "gbv value --reference ...", quoted for a shell; of a comparison where `comparison` is not NULL. Options that are the
 * defaults are left out. "" where no command would do it, because data came from memory; the caller frees it. NULL when
 * memory is out. */
char *command_of_result(const gbv_result *result, const gbv_comparison *comparison);

/* A word as a shell takes it, quoted where need be. */
void command_write_word(FILE *stream, const char *word);

#endif
