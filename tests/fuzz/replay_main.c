/* replay_main.c - runs a fuzz target over every file of a folder, so that ordinary tests replay what fuzzing found. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* The bytes are handed over in a block of exactly their size, so that AddressSanitizer sees a read beyond them. */
static int replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    long size = -1;
    if (file && fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    if (size < 0) {
        fprintf(stderr, "%s: cannot be read\n", path);
        return 1;
    }
    rewind(file);
    uint8_t *bytes = malloc(size ? (size_t)size : 1);
    size_t count = bytes ? fread(bytes, 1, (size_t)size, file) : 0;
    fclose(file);
    if (count != (size_t)size) {
        fprintf(stderr, "%s: cannot be read\n", path);
        free(bytes);
        return 1;
    }
    printf("%s\n", path);
    fflush(stdout); /* the last name printed is the one that failed */
    LLVMFuzzerTestOneInput(bytes, count);
    free(bytes);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return fprintf(stderr, "usage: %s FOLDER\n", argv[0]), 2;
    DIR *folder = opendir(argv[1]);
    if (!folder)
        return fprintf(stderr, "%s: cannot be opened\n", argv[1]), 1;
    int failures = 0, files = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.')
            continue;
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        failures += replay(path);
        files++;
    }
    closedir(folder);
    if (!files)
        return fprintf(stderr, "%s: holds no files\n", argv[1]), 1;
    return failures != 0;
}
