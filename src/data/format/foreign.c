/* foreign.c - a table of first bytes; what it does not know is left to the formats. */
#include "data/format/foreign.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/sentence.h"

typedef struct magic {
    const char *bytes;
    size_t count;
    bool is_text; /* may be plain text; otherwise plain text that begins so is a table with an odd first column */
    foreign_content content;
} magic;

#define MAGIC(text) text, sizeof text - 1
#define PYTHON(line) "convert it with python3 -c \"" line "\""
#define PANDAS_TO_CSV(reader) PYTHON("import pandas; pandas." reader ".to_csv('#', index=False)"), ".csv"
#define IMAGE_REMEDY "put it into a folder named after its class and give the folder above (CLASS/IMAGE)", NULL

static const magic magics[] = {
    {MAGIC("PAR1"), false, {"a Parquet file", PANDAS_TO_CSV("read_parquet('@')")}},
    {MAGIC("ARROW1"), false, {"an Arrow file", PANDAS_TO_CSV("read_feather('@')")}},
    {MAGIC("FEA1"), false, {"a Feather file", PANDAS_TO_CSV("read_feather('@')")}},
    {MAGIC("\x89HDF\r\n\x1a\n"),
     false,
     {"an HDF5 file", "save its arrays with numpy.savez('data.npz', x=features, y=labels)", NULL}},
    {MAGIC("MATLAB 5.0 MAT-file"),
     true,
     {"a MATLAB file", "load it with scipy.io.loadmat and save it with numpy.savez('data.npz', x=..., y=...)", NULL}},
    {MAGIC("\x89PNG\r\n\x1a\n"), false, {"a PNG image", IMAGE_REMEDY}},
    {MAGIC("\xff\xd8\xff"), false, {"a JPEG image", IMAGE_REMEDY}},
    {MAGIC("GIF8"),
     false,
     {"a GIF image", "save it as PNG and put that into a folder named after its class (CLASS/IMAGE)", NULL}},
    {MAGIC("%PDF-"), true, {"a PDF document", "export its tables as CSV", NULL}},
    {MAGIC("SQLite format 3"), false, {"an SQLite database", "export the table with sqlite3 -header -csv", NULL}},
    {MAGIC("\xd0\xcf\x11\xe0"), false, {"an old Office document", "save the sheet as CSV", NULL}},
    {MAGIC("BZh"), false, {"bzip2-compressed data", "unpack it with bunzip2", NULL}},
    {MAGIC("\xfd"
           "7zXZ"),
     false,
     {"xz-compressed data", "unpack it with unxz", NULL}},
    {MAGIC("\x28\xb5\x2f\xfd"), false, {"zstd-compressed data", "unpack it with unzstd", NULL}},
    {MAGIC("\xff\xfe"), false, {"UTF-16 text", "save it as UTF-8, for example with iconv -f UTF-16 -t UTF-8", NULL}},
    {MAGIC("\xfe\xff"), false, {"UTF-16 text", "save it as UTF-8, for example with iconv -f UTF-16 -t UTF-8", NULL}},
    {MAGIC("<!DOCTYPE"), true, {"a web page", "download the data file itself", NULL}},
    {MAGIC("<html"), true, {"a web page", "download the data file itself", NULL}},
    {MAGIC("version https://git-lfs"), true, {"a Git LFS pointer", "fetch the file itself with git lfs pull", NULL}},
};

static size_t skip_blanks(const unsigned char *bytes, size_t size, size_t at)
{
    while (at < size && bytes[at] && strchr(" \t\r\n", bytes[at]))
        at++;
    return at;
}

/* A first line that ends as an object does, and a second that begins as one. */
static bool is_json_lines(const unsigned char *bytes, size_t size, size_t begin)
{
    const unsigned char *end = memchr(bytes + begin, '\n', size - begin);
    if (!end)
        return false;
    size_t next = skip_blanks(bytes, size, (size_t)(end - bytes));
    while (end > bytes && strchr(" \t\r\n", *end))
        end--;
    return bytes[begin] == '{' && *end == '}' && next < size && bytes[next] == '{';
}

/* `{"` or `[1`, blanks allowed: no CSV header begins so. */
static const foreign_content *find_json(const unsigned char *bytes, size_t size)
{
    static const foreign_content json = {"JSON", PANDAS_TO_CSV("read_json('@')")},
                                 json_lines = {"JSON Lines", PANDAS_TO_CSV("read_json('@', lines=True)")};
    size_t begin = skip_blanks(bytes, size, 0);
    if (begin == size || (bytes[begin] != '{' && bytes[begin] != '['))
        return NULL;
    size_t next = skip_blanks(bytes, size, begin + 1);
    if (next == size || !bytes[next] || !strchr(bytes[begin] == '{' ? "\"}" : "\"[{-0123456789]", bytes[next]))
        return NULL;
    return is_json_lines(bytes, size, begin) ? &json_lines : &json;
}

/* Protocols 2 to 5 say so; those before are told by a usual beginning and the full stop at the end. */
static bool is_pickle(const unsigned char *bytes, size_t size)
{
    static const char *const beginnings[] = {"(dp0\n",       "(dp1\n",   "(lp0\n", "(lp1\n", "ccopy_reg\n",
                                             "cnumpy.core.", "cpandas.", "}q",     "]q"};
    if (size >= 2 && bytes[0] == 0x80 && bytes[1] >= 2 && bytes[1] <= 5)
        return true;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        size_t length = strlen(beginnings[i]);
        if (size > length && memcmp(bytes, beginnings[i], length) == 0 && bytes[size - 1] == '.')
            return true;
    }
    return false;
}

/* The pickles of CIFAR, which most people have, are dictionaries of bytes. */
static const foreign_content *find_pickle(const unsigned char *bytes, size_t size)
{
#define TRUSTED(line) "if you trust where it comes from, " PYTHON(line)
#define CIFAR(labels)                                                                                                  \
    TRUSTED("import pickle, numpy; d = pickle.load(open('@', 'rb'), encoding='bytes'); numpy.savez('#', "              \
            "x=d[b'data'], y=d[b'" labels "'])"),                                                                      \
        ".npz"
    static const char name[] = "a Python pickle";
    static const foreign_content fine = {name, CIFAR("fine_labels")}, plain = {name, CIFAR("labels")},
                                 frame = {name, PANDAS_TO_CSV("read_pickle('@')")},
                                 other = {name,
                                          TRUSTED("import pickle, numpy; d = pickle.load(open('@', 'rb')); "
                                                  "numpy.savez('#', x=d['x'], y=d['y'])") ", where 'x' and 'y' are the "
                                                                                          "names of its features and "
                                                                                          "labels",
                                          ".npz"};
    if (!is_pickle(bytes, size))
        return NULL;
    if (memmem(bytes, size, "fine_labels", strlen("fine_labels")))
        return &fine;
    if (memmem(bytes, size, "batch_label", strlen("batch_label")))
        return &plain;
    return memmem(bytes, size, "pandas", strlen("pandas")) ? &frame : &other;
}

static bool is_plain_text(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size && i < 256; i++)
        if (bytes[i] >= 0x7F || (bytes[i] < ' ' && !strchr("\t\r\n", bytes[i])) || !bytes[i])
            return false;
    return true;
}

const foreign_content *foreign_content_find(const unsigned char *bytes, size_t size)
{
    bool text = is_plain_text(bytes, size);
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (size >= magics[i].count && memcmp(bytes, magics[i].bytes, magics[i].count) == 0 &&
            (magics[i].is_text || !text))
            return &magics[i].content;
    const foreign_content *pickle = find_pickle(bytes, size);
    return pickle ? pickle : find_json(bytes, size);
}

/* A name inside '...' of Python inside "..." of a shell: what either would take for its own becomes \\xNN. */
static void add_name(sentence *s, const char *name, size_t length)
{
    for (size_t i = 0; i < length; i++)
        sentence_add(s, strchr("'\"$`\\!\n", name[i]) ? "\\x%02x" : "%c", (unsigned char)name[i]);
}

void foreign_remedy(const foreign_content *content, const char *path, char *text, size_t size)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
    size_t length = strlen(path), stem = dot && dot != base ? (size_t)(dot - path) : length;
    if (content->ending && strcmp(path + stem, content->ending) == 0) /* never over the file itself */
        stem = length;
    sentence s = {0};
    for (const char *c = content->remedy; *c; c++)
        if (content->ending && *c == '@') {
            add_name(&s, path, length);
        } else if (content->ending && *c == '#') {
            add_name(&s, path, stem);
            sentence_add(&s, "%s", content->ending);
        } else {
            sentence_add(&s, "%c", *c);
        }
    snprintf(text, size, "%s", s.text);
}
