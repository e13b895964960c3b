/* foreign.c - a table of first bytes; what it does not know is left to the formats. */
#include "data/format/foreign.h"

#include <stdbool.h>
#include <string.h>

typedef struct magic {
    const char *bytes;
    size_t count;
    bool is_text; /* may be plain text; otherwise plain text that begins so is a table with an odd first column */
    foreign_content content;
} magic;

#define MAGIC(text) text, sizeof text - 1
#define PANDAS_TO_CSV(reader) "convert it with pandas." reader "(path).to_csv('data.csv', index=False)"
#define IMAGE_REMEDY "put the pixels or features of all images into one array and numpy.save it"

static const magic magics[] = {
    {MAGIC("PAR1"), false, {"a Parquet file", PANDAS_TO_CSV("read_parquet")}},
    {MAGIC("ARROW1"), false, {"an Arrow file", PANDAS_TO_CSV("read_feather")}},
    {MAGIC("\x89HDF\r\n\x1a\n"),
     false,
     {"an HDF5 file", "save its arrays with numpy.savez('data.npz', x=features, y=labels)"}},
    {MAGIC("MATLAB 5.0 MAT-file"),
     true,
     {"a MATLAB file", "load it with scipy.io.loadmat and save it with numpy.savez('data.npz', x=..., y=...)"}},
    {MAGIC("\x80\x02"),
     false,
     {"a Python pickle", "load it in Python and save it with numpy.savez('data.npz', x=..., y=...)"}},
    {MAGIC("\x80\x03"),
     false,
     {"a Python pickle", "load it in Python and save it with numpy.savez('data.npz', x=..., y=...)"}},
    {MAGIC("\x80\x04"),
     false,
     {"a Python pickle", "load it in Python and save it with numpy.savez('data.npz', x=..., y=...)"}},
    {MAGIC("\x80\x05"),
     false,
     {"a Python pickle", "load it in Python and save it with numpy.savez('data.npz', x=..., y=...)"}},
    {MAGIC("\x89PNG\r\n\x1a\n"), false, {"a PNG image", IMAGE_REMEDY}},
    {MAGIC("\xff\xd8\xff"), false, {"a JPEG image", IMAGE_REMEDY}},
    {MAGIC("GIF8"), false, {"a GIF image", IMAGE_REMEDY}},
    {MAGIC("%PDF-"), true, {"a PDF document", "export its tables as CSV"}},
    {MAGIC("SQLite format 3"), false, {"an SQLite database", "export the table with sqlite3 -header -csv"}},
    {MAGIC("\xd0\xcf\x11\xe0"), false, {"an old Office document", "save the sheet as CSV"}},
    {MAGIC("BZh"), false, {"bzip2-compressed data", "unpack it with bunzip2"}},
    {MAGIC("\xfd"
           "7zXZ"),
     false,
     {"xz-compressed data", "unpack it with unxz"}},
    {MAGIC("\x28\xb5\x2f\xfd"), false, {"zstd-compressed data", "unpack it with unzstd"}},
    {MAGIC("\xff\xfe"), false, {"UTF-16 text", "save it as UTF-8, for example with iconv -f UTF-16 -t UTF-8"}},
    {MAGIC("\xfe\xff"), false, {"UTF-16 text", "save it as UTF-8, for example with iconv -f UTF-16 -t UTF-8"}},
    {MAGIC("<!DOCTYPE"), true, {"a web page", "download the data file itself"}},
    {MAGIC("<html"), true, {"a web page", "download the data file itself"}},
    {MAGIC("version https://git-lfs"), true, {"a Git LFS pointer", "fetch the file itself with git lfs pull"}},
};

/* `{"` or `[1`, blanks allowed: no CSV header begins so. */
static const foreign_content *find_json(const unsigned char *bytes, size_t size)
{
    static const foreign_content json = {"JSON", PANDAS_TO_CSV("read_json")};
    size_t i = 0;
    while (i < size && strchr(" \t\r\n", bytes[i]) && bytes[i])
        i++;
    if (i == size || (bytes[i] != '{' && bytes[i] != '['))
        return NULL;
    unsigned char opening = bytes[i++];
    while (i < size && strchr(" \t\r\n", bytes[i]) && bytes[i])
        i++;
    if (i == size || !bytes[i])
        return NULL;
    return strchr(opening == '{' ? "\"}" : "\"[{-0123456789]", bytes[i]) ? &json : NULL;
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
    return find_json(bytes, size);
}
