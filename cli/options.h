/* options.h - long options from a table: the same lines parse the command line and print --help. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum option_kind {
    OPTION_FLAG,   /* bool */
    OPTION_TEXT,   /* const char * */
    OPTION_NUMBER, /* double, finite */
    OPTION_COUNT,  /* size_t */
    OPTION_SIZE,   /* size_t: bytes, at least one, with K, M, G or T behind for as many times 1024 */
    OPTION_SEED,   /* uint64_t below 2^63, so that JSON readers keep it */
    OPTION_LIST,   /* text_list: may be given several times */
    OPTION_WORD,   /* an enumeration: the place of the word in `argument`, where | stands between them */
    OPTION_HEADING /* no option: those that follow in the table stand under this name in --help */
} option_kind;

/* The headings that several tables share. */
#define HEADING_INPUTS "inputs"
#define HEADING_DATASETS "reading datasets"
#define HEADING_VALUATION "valuation"
#define HEADING_MODEL "model"
#define HEADING_OTHERS "options" /* of a table without a heading */
#define HEADING_OUTPUT "output"
#define HEADING_RUN "running"

typedef struct text_list {
    const char **items;
    size_t count;
} text_list;

typedef struct option {
    const char *name; /* without the dashes; NULL ends a table */
    option_kind kind;
    void *target;
    const char *argument; /* what stands for the value in --help; NULL for a flag */
    const char *help;     /* NULL: an older name, which --help does not tell */
    char letter;          /* short form, or 0 */
} option;

#define UNDER(heading)                                                                                                 \
    {                                                                                                                  \
        heading, OPTION_HEADING, NULL, NULL, NULL, 0                                                                   \
    } /* an entry of a table, for --help */

typedef struct command {
    const char *name;
    const char *usage;    /* after "gbv NAME " */
    const char *summary;  /* one line */
    const char *examples; /* three lines to copy */
    int (*run)(const struct command *self, int count, char **arguments);
    bool computes_nothing; /* no linear algebra: it starts at once */
    bool own_page;         /* it writes what --report asks for itself; of the others it is what they print */
} command;

enum { PARSED = -1 }; /* what options_parse returns when the command should go on */

/* Fills the targets from the arguments after the command's name; what is no option goes to `positional` (NULL: none is
 * allowed). Tables are searched in order. Returns PARSED, or the exit code when help was asked for or something is
 * wrong (then said on stderr). text_list items must be freed with text_list_free. */
int options_parse(const command *self, const option *const *tables, int count, char **arguments, text_list *positional);
void text_list_free(text_list *list);

/* Prints "gbv NAME: sentence" to stderr and returns `code`. */
int complain(const command *self, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
