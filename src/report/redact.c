#include "report/redact.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/sentence.h"

typedef struct ticket {
    char hash[65];
    size_t place;
} ticket;

static int by_hash(const void *left, const void *right)
{
    return strcmp(((const ticket *)left)->hash, ((const ticket *)right)->hash);
}

static bool is_kept(const gbv_page_options *options, const char *name)
{
    for (size_t k = 0; k < options->keep_count; k++)
        if (strcmp(options->keep[k], name) == 0)
            return true;
    return false;
}

static gbv_status check_kept(const redaction *r, const gbv_page_options *options, gbv_error *error)
{
    for (size_t k = 0; k < options->keep_count; k++) {
        size_t i = 0;
        while (i < r->count && strcmp(r->names[i], options->keep[k]) != 0)
            i++;
        if (i < r->count)
            continue;
        sentence s = {0};
        sentence_add(&s, "there is no source ");
        sentence_quote(&s, options->keep[k]);
        sentence_add(&s, " to be named: give the names of sources as they are in the result");
        return error_set(error, GBV_USAGE, "%s", s.text);
    }
    return GBV_OK;
}

/* The hidden ones in the order of a hash that nobody can compute without the secret. */
static bool draw_lots(redaction *r, const char *secret, const gbv_page_options *options)
{
    ticket *tickets = memory_array(r->count, sizeof *tickets);
    size_t hidden = 0;
    char key[65];
    bool drawn = tickets && hash_sha256(secret, strlen(secret), key);
    for (size_t i = 0; i < r->count && drawn; i++) {
        if (is_kept(options, r->names[i])) {
            r->order[r->kept++] = i;
            continue;
        }
        hash_stream stream = hash_open();
        hash_add(&stream, key, sizeof key);
        hash_add(&stream, r->names[i], strlen(r->names[i]) + 1);
        drawn = hash_close(&stream, tickets[hidden].hash);
        tickets[hidden++].place = i;
    }
    if (drawn)
        qsort(tickets, hidden, sizeof *tickets, by_hash);
    for (size_t i = 0; i < hidden && drawn; i++)
        r->order[r->kept + i] = tickets[i].place;
    free(tickets);
    return drawn;
}

static bool give_names(redaction *r, const gbv_page_options *options)
{
    size_t number = 0;
    for (size_t k = 0; k < r->count; k++) {
        char name[32];
        if (k >= r->kept)
            do
                snprintf(name, sizeof name, "other %zu", ++number);
            while (is_kept(options, name));
        if (!(r->shown[k] = strdup(k < r->kept ? r->names[r->order[k]] : name)))
            return false;
    }
    return true;
}

gbv_status redaction_open(redaction *r, const char *const *names, size_t count, const char *secret,
                          const gbv_page_options *options, gbv_error *error)
{
    *r = (redaction){.count = count,
                     .names = names,
                     .order = memory_array(count, sizeof *r->order),
                     .shown = memory_zeroed(count, sizeof *r->shown)};
    gbv_status status = check_kept(r, options, error);
    if (status == GBV_OK && (!r->order || !r->shown || !draw_lots(r, secret, options) || !give_names(r, options)))
        status = error_out_of_memory(error, "the names to show");
    if (status != GBV_OK)
        redaction_close(r);
    return status;
}

gbv_status redaction_within(redaction *r, const redaction *all, const char *const *names, size_t count,
                            gbv_error *error)
{
    size_t placed = 0;
    bool *known = memory_zeroed(count, sizeof *known);
    *r = (redaction){.count = count,
                     .names = names,
                     .order = memory_array(count, sizeof *r->order),
                     .shown = memory_zeroed(count, sizeof *r->shown)};
    bool made = known && r->order && r->shown;
    for (size_t k = 0; k < all->count && made; k++)
        for (size_t i = 0; i < count && made; i++)
            if (!known[i] && strcmp(names[i], all->names[all->order[k]]) == 0) {
                known[i] = true;
                r->kept += k < all->kept;
                r->order[placed] = i;
                made = (r->shown[placed++] = strdup(all->shown[k])) != NULL;
            }
    for (size_t i = 0; i < count && made; i++)
        if (!known[i]) {
            r->order[placed] = i;
            made = (r->shown[placed++] = strdup("another")) != NULL;
        }
    free(known);
    if (made)
        return GBV_OK;
    redaction_close(r);
    return error_out_of_memory(error, "the names to show");
}

void redaction_close(redaction *r)
{
    for (size_t k = 0; r->shown && k < r->count; k++)
        free(r->shown[k]);
    free(r->shown);
    free(r->order);
    *r = (redaction){0};
}

static bool is_part_of_word(char c)
{
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* Sentences cut long names short: the beginning of one tells enough. */
static bool names_it(const char *text, const char *name)
{
    char begin[48];
    snprintf(begin, sizeof begin, "%s", name);
    size_t length = strlen(begin);
    for (const char *at = text; length && (at = strcasestr(at, begin)); at++) {
        bool begins = at == text || !is_part_of_word(at[-1]) || !is_part_of_word(*name);
        bool ends = name[length] || !is_part_of_word(at[length]) || !is_part_of_word(name[length - 1]);
        if (begins && ends)
            return true;
    }
    return false;
}

bool redaction_betrays(const redaction *r, const char *text)
{
    for (size_t k = r->kept; k < r->count && text; k++)
        if (names_it(text, r->names[r->order[k]]))
            return true;
    return false;
}

bool redaction_move(const redaction *r, void *block, size_t size)
{
    char *moved = block ? memory_array(r->count, size) : NULL;
    for (size_t k = 0; moved && k < r->count; k++)
        memcpy(moved + k * size, (const char *)block + r->order[k] * size, size);
    if (moved)
        memcpy(block, moved, r->count * size);
    free(moved);
    return moved || !block;
}
