/* mosaic.c - the weights of sources as proportions of the streams of MosaicML's StreamingDataset. */
#include "report/export/export.h"

#include <ctype.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

/* In double quotes, all but plain ASCII as escapes: what a name holds cannot end the text, the line or the file. */
static void write_text(const char *text, FILE *stream)
{
    const char *end = text + strlen(text);
    uint32_t character;
    fputc('"', stream);
    for (size_t length; text < end; text += length) {
        if (!(length = text_decode(text, end, &character))) {
            length = 1;
            character = 0xFFFD; /* the replacement character */
        }
        if (character == '"' || character == '\\')
            fprintf(stream, "\\%c", (char)character);
        else if (character >= 0x20 && character < 0x7F)
            fputc((int)character, stream);
        else
            fprintf(stream, character > 0xFFFF ? "\\U%08x" : "\\u%04x", (unsigned)character);
    }
    fputc('"', stream);
}

/* A folder below the one where training runs, whatever the name holds. */
static void write_folder(const char *name, size_t number, FILE *stream)
{
    fprintf(stream, "streams/%zu-", number);
    for (size_t i = 0; name[i] && i < 64; i++)
        fputc(isascii((unsigned char)name[i]) && isalnum((unsigned char)name[i]) ? name[i] : '_', stream);
}

static void write(const gbv_result *result, FILE *stream)
{
    char number[NUMBER_TEXT];
    fputs("# How often training should take its next row from which source: P(s) of a valuation by gbv " GBV_VERSION
          ".\n"
          "# Streams of MosaicML's StreamingDataset, as llm-foundry has them below train_loader.dataset; by hand:\n"
          "#     streams = [Stream(**s) for s in yaml.safe_load(open('streams.yaml'))['streams'].values()]\n"
          "#     dataset = StreamingDataset(streams=streams, batch_size=..., shuffle=True)\n"
          "# Set local (and remote) of each to where the source's shards are. Proportions add up to 1.\n"
          "streams:\n",
          stream);
    for (size_t i = 0; i < result->source_count; i++) {
        fputs("  ", stream);
        write_text(result->sources[i].name, stream);
        fputs(":\n    local: ", stream);
        write_folder(result->sources[i].name, i + 1, stream);
        fprintf(stream, "\n    proportion: %s\n", number_format(result->sources[i].posterior, number));
    }
}

const export_target export_mosaic = {
    .info = {.name = "mosaic", .summary = "proportions of the streams of MosaicML's StreamingDataset (YAML)"},
    .result = write,
};
