#include "data/format/image_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/folder.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/plan.h"
#include "base/text.h"
#include "data/format/image.h"
#include "data/image_store.h"

typedef struct image_file {
    char *name;         /* relative to the folder */
    int32_t class_code; /* -1: outside the class folders */
    image header;       /* without pixels */
    char sha256[65];
    gbv_status status;
    char *problem; /* why it cannot be used */
} image_file;

typedef struct image_folder {
    const table_request *request;
    image_file *files;
    size_t count, capacity;
    text_table classes;
    image_store *store; /* the table's, once all headers are known */
    unsigned char *pixels;
} image_folder;

static gbv_status unreadable(const char *path, gbv_error *error)
{
    return error_set(error, GBV_BAD_INPUT, "%s: cannot be read as a folder (%s): check its permissions", path,
                     strerror(errno));
}

static bool holds_image(const char *path)
{
    mapped_file file;
    if (mapped_file_open(path, &file, NULL) != GBV_OK)
        return false;
    bool found = image_recognise(file.bytes, file.size);
    mapped_file_close(&file);
    return found;
}

gbv_status image_folder_recognise(const char *path, bool *images, gbv_error *error)
{
    folder_entries entries;
    gbv_status status = GBV_OK;
    *images = false;
    if (!folder_read(path, &entries))
        return unreadable(path, error);
    if (entries.count == 0)
        status = error_set(error, GBV_BAD_INPUT,
                           "%s: the folder is empty; expected CLASS/IMAGE files or the parts of a dataset", path);
    for (size_t pass = 0; pass < 2 && !*images; pass++) /* a folder tells at once, without opening any file */
        for (size_t i = 0; i < entries.count && !*images && status == GBV_OK; i++) {
            char *entry = folder_path(path, entries.names[i]);
            if (entry)
                *images = pass == 0 ? folder_exists(entry) : holds_image(entry);
            else
                status = error_out_of_memory(error, "a path");
            free(entry);
        }
    folder_free(&entries);
    return status;
}

static gbv_status add_file(image_folder *f, const char *class_name, const char *name, gbv_error *error)
{
    char *relative = class_name ? folder_path(class_name, name) : strdup(name);
    if (!relative || f->count >= INT32_MAX || !memory_grow(&f->files, &f->capacity, f->count + 1, sizeof *f->files)) {
        free(relative);
        return error_out_of_memory(error, "the list of images");
    }
    f->files[f->count++] =
        (image_file){.name = relative, .class_code = class_name ? (int32_t)f->classes.count - 1 : -1};
    if (text_is_utf8(relative, strlen(relative)))
        return GBV_OK;
    return error_set(error, GBV_BAD_INPUT, "%s: the name of %s is not valid UTF-8: rename it", f->request->path,
                     relative);
}

static gbv_status add_class(image_folder *f, const char *path, const char *name, gbv_error *error)
{
    folder_entries entries;
    gbv_status status = GBV_OK;
    if (!folder_read(path, &entries))
        return unreadable(path, error);
    if (text_table_add(&f->classes, name, strlen(name)) == TEXT_NONE)
        status = error_out_of_memory(error, "the list of images");
    for (size_t i = 0; i < entries.count && status == GBV_OK; i++) {
        char *entry = folder_path(path, entries.names[i]);
        if (!entry)
            status = error_out_of_memory(error, "a path");
        else if (folder_exists(entry))
            status = error_set(error, GBV_BAD_INPUT,
                               "%s: is a folder inside the class folder %s, and images are read from CLASS/IMAGE only: "
                               "name the folder above the classes (is it %s?)",
                               entry, name, path);
        else
            status = add_file(f, name, entries.names[i], error);
        free(entry);
    }
    folder_free(&entries);
    return status;
}

static gbv_status list_files(image_folder *f, gbv_error *error)
{
    folder_entries entries;
    gbv_status status = GBV_OK;
    if (!folder_read(f->request->path, &entries))
        return unreadable(f->request->path, error);
    for (size_t i = 0; i < entries.count && status == GBV_OK; i++) {
        char *path = folder_path(f->request->path, entries.names[i]);
        if (!path)
            status = error_out_of_memory(error, "a path");
        else
            status = folder_exists(path) ? add_class(f, path, entries.names[i], error)
                                         : add_file(f, NULL, entries.names[i], error);
        free(path);
    }
    folder_free(&entries);
    if (status == GBV_OK && f->count == 0)
        status = error_set(error, GBV_BAD_INPUT, "%s: none of its class folders holds an image: put some there",
                           f->request->path);
    return status;
}

static gbv_status load_header(const image_folder *f, image_file *entry, gbv_error *error)
{
    mapped_file file;
    char *path = folder_path(f->request->path, entry->name);
    gbv_status status = path ? mapped_file_open(path, &file, error) : error_out_of_memory(error, "a path");
    if (status == GBV_OK) {
        if (hash_sha256(file.bytes, file.size, entry->sha256))
            status = image_decode(file.bytes, file.size, IMAGE_HEADER, &entry->header, error);
        else
            status = error_set(error, GBV_FAILED, "its SHA-256 could not be computed");
        if (status != GBV_OK)
            error_prefix(error, status, "%s: ", path);
        mapped_file_close(&file);
    }
    free(path);
    return status;
}

/* Every image is decoded once, also one that there is no room for: a bad one must be told at once. */
static gbv_status load_pixels(const image_folder *f, size_t index, gbv_error *error)
{
    size_t row_bytes = image_store_row_bytes(f->store);
    if (image_store_holds(f->store, index))
        return image_store_decode(f->store, index, f->pixels + index * row_bytes, error);
    unsigned char *unkept = memory_array(1, row_bytes);
    gbv_status status =
        unkept ? image_store_decode(f->store, index, unkept, error) : error_out_of_memory(error, "an image");
    free(unkept);
    return status;
}

/* Reads one file's header and hash, or once there is a store its pixels; keeps what went wrong with it. */
static void load_file(image_folder *f, size_t index)
{
    image_file *entry = &f->files[index];
    gbv_error own = {0};
    entry->status = f->store ? load_pixels(f, index, &own) : load_header(f, entry, &own);
    bool beside_classes = entry->class_code < 0 && f->classes.count;
    if (entry->status != GBV_OK &&
        asprintf(&entry->problem, "%s%s", own.message,
                 beside_classes ? " (it lies beside folders, which are taken for classes of images)" : "") < 0) {
        entry->status = GBV_FAILED;
        entry->problem = NULL;
    }
}

/* The files before `end` that have shown no problem, side by side. */
static void load_files(image_folder *f, size_t end)
{
    plan p = plan_begin(f->request->options->threads);
    int workers = (int)plan_workers(p.threads, end);
#pragma omp parallel for schedule(dynamic) num_threads(workers)
    for (size_t i = 0; i < end; i++)
        if (f->files[i].status == GBV_OK)
            load_file(f, i);
    plan_end(p);
}

/* What all rows have in common; false in *any when no file is a good image. */
static gbv_status agree(const image_folder *f, image_recipe *recipe, bool *any, gbv_error *error)
{
    const gbv_read_options *options = f->request->options;
    const image_file *first = NULL;
    size_t crop = options->crop ? options->crop : options->resize;
    bool gray = true;
    for (size_t i = 0; i < f->count; i++) {
        const image_file *entry = &f->files[i];
        if (entry->status != GBV_OK)
            continue;
        if (entry->class_code < 0 && (f->classes.count || !options->features_only))
            return error_set(error, GBV_BAD_INPUT,
                             "%s: the image %s lies in no class folder: move each image into a folder named after its "
                             "class (CLASS/IMAGE)",
                             f->request->path, entry->name);
        gray &= entry->header.channels == 1;
        if (!first)
            first = entry;
        if (!crop && (entry->header.height != first->header.height || entry->header.width != first->header.width))
            return error_set(error, GBV_BAD_INPUT,
                             "%s: %s is %zu x %zu pixels and %s %zu x %zu; all must have one size: use --resize N (for "
                             "example --resize 32)",
                             f->request->path, first->name, first->header.width, first->header.height, entry->name,
                             entry->header.width, entry->header.height);
    }
    if (options->color != GBV_COLOR_AUTO)
        gray = options->color == GBV_COLOR_GRAY;
    *any = first != NULL;
    *recipe = (image_recipe){.height = crop    ? crop
                                       : first ? first->header.height
                                               : 1,
                             .width = crop    ? crop
                                      : first ? first->header.width
                                              : 1,
                             .channels = gray ? 1 : 3,
                             .resize = options->resize,
                             .crop = crop};
    return GBV_OK;
}

/* The problems in the order of the rows, however they came about. */
static gbv_status reject_files(const image_folder *f, table *out, gbv_error *error)
{
    gbv_status status = GBV_OK;
    for (size_t i = 0; i < f->count && status == GBV_OK; i++) {
        const image_file *entry = &f->files[i];
        if (entry->status == GBV_FAILED)
            return entry->problem ? error_set(error, GBV_FAILED, "%s", entry->problem)
                                  : error_out_of_memory(error, "an image");
        if (entry->status == GBV_OK)
            continue;
        status = row_reject(f->request, error, "%s", entry->problem);
        if (status == GBV_OK)
            status = table_mark_bad(out, i, error);
    }
    return status;
}

static gbv_status open_store(image_folder *f, const image_recipe *recipe, table *out, gbv_error *error)
{
    if (!(f->store = out->images = image_store_create(recipe, f->count)))
        return error_out_of_memory(error, "the list of images");
    for (size_t i = 0; i < f->count; i++) {
        if (!(f->store->files[i].path = folder_path(f->request->path, f->files[i].name)))
            return error_out_of_memory(error, "the list of images");
        memcpy(f->store->files[i].sha256, f->files[i].sha256, sizeof f->files[i].sha256);
    }
    gbv_status status = image_store_open(f->store, f->request->options->image_cache, &f->pixels, error);
    out->blocks[0] = f->pixels;
    return status;
}

/* Bad images are zeros. Without --skip-bad-rows nothing behind the first of them matters. */
static gbv_status read_pixels(image_folder *f, const image_recipe *recipe, bool any, table *out, gbv_error *error)
{
    size_t end = f->count;
    for (size_t i = 0; i < f->count && !f->request->options->skip_bad_rows; i++)
        if (f->files[i].status != GBV_OK) {
            end = i;
            break;
        }
    gbv_status status = open_store(f, recipe, out, error);
    if (status != GBV_OK)
        return status;
    out->rows = f->count;
    out->features = gbv_matrix_u8(f->pixels, f->count, image_store_row_bytes(f->store));
    if (any)
        out->shape = (gbv_image_shape){.height = recipe->height, .width = recipe->width, .channels = recipe->channels};
    load_files(f, end);
    return reject_files(f, out, error);
}

static gbv_status make_columns(image_folder *f, table *out, gbv_error *error)
{
    value_column *items = &out->items, *labels = &out->labels;
    items->codes = memory_array(f->count, sizeof *items->codes);
    items->texts = memory_zeroed(f->count, sizeof *items->texts);
    labels->codes = memory_array(f->count, sizeof *labels->codes);
    if (!items->codes || !items->texts || !labels->codes)
        return error_out_of_memory(error, "the list of images");
    for (size_t i = 0; i < f->count; i++) {
        items->codes[i] = (int32_t)i;
        items->texts[i] = f->files[i].name;
        f->files[i].name = NULL;
        labels->codes[i] = f->files[i].class_code;
    }
    items->text_count = f->count;
    items->present = out->items_are_files = true;
    labels->present = f->classes.count > 0;
    labels->untyped = true;
    value_column_take_texts(labels, &f->classes);
    return GBV_OK;
}

static gbv_status hash_listing(const image_folder *f, char sha256[65], gbv_error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    bool ok = stream;
    for (size_t i = 0; ok && i < f->count; i++)
        ok = fprintf(stream, "%s  %s\n", f->files[i].sha256, f->files[i].name) > 0;
    ok = stream && fclose(stream) == 0 && ok && hash_sha256(text, size, sha256);
    free(text);
    return ok ? GBV_OK : error_out_of_memory(error, "the hash of a folder");
}

gbv_status image_folder_read(const table_request *request, table *out, char sha256[65], gbv_error *error)
{
    image_folder f = {.request = request};
    image_recipe recipe;
    bool any = false;
    gbv_status status = GBV_OK;
    if (request->options->resize > IMAGE_MOST_SIDE || request->options->crop > IMAGE_MOST_SIDE)
        status = error_set(error, GBV_USAGE, "images are to be made %zu pixels large; expected at most %d",
                           request->options->resize > request->options->crop ? request->options->resize
                                                                             : request->options->crop,
                           IMAGE_MOST_SIDE);
    if (status == GBV_OK)
        status = list_files(&f, error);
    if (status == GBV_OK) {
        load_files(&f, f.count);
        status = agree(&f, &recipe, &any, error);
    }
    if (status == GBV_OK)
        status = hash_listing(&f, sha256, error);
    if (status == GBV_OK)
        status = read_pixels(&f, &recipe, any, out, error);
    if (status == GBV_OK)
        status = make_columns(&f, out, error);
    for (size_t i = 0; i < f.count; i++) {
        free(f.files[i].name);
        free(f.files[i].problem);
    }
    free(f.files);
    text_table_free(&f.classes);
    return status;
}

const format format_images = {
    .name = "images", .summary = "a folder CLASS/IMAGE of JPEG and PNG images", .recognise = NULL, .read = NULL};
