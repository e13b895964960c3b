/* terminal.c - what the stream that a table is written to can show. */
#include <gbv/report.h>

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The characters of the user's locale, whatever the program set: the library leaves the program's locale alone. */
static bool locale_has_unicode(void)
{
    locale_t users = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (!users)
        return false;
    bool unicode = strcmp(nl_langinfo_l(CODESET, users), "UTF-8") == 0;
    freelocale(users);
    return unicode;
}

gbv_terminal gbv_terminal_of(FILE *stream)
{
    struct winsize size;
    const char *no_color = getenv("NO_COLOR"), *kind = getenv("TERM");
    int file = fileno(stream);
    if (file < 0 || !isatty(file))
        return (gbv_terminal){0};
    return (gbv_terminal){.color = !(no_color && *no_color) && !(kind && strcmp(kind, "dumb") == 0),
                          .ascii = !locale_has_unicode(),
                          .width = ioctl(file, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0};
}
