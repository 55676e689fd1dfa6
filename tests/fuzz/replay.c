/* SPDX-License-Identifier: MIT
 *
 * Gives every file of the corpora named on the command line to a fuzz target, without libFuzzer. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t *read_file(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    *bytes = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(*bytes + 1);
    if (data && fread(data, 1, *bytes, file) != *bytes) {
        free(data);
        data = NULL;
    }
    fclose(file);
    return data;
}

static int replay(const char *corpus)
{
    DIR *directory = opendir(corpus);
    int n = 0;
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        char path[4096];
        size_t bytes;
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", corpus, entry->d_name);
        uint8_t *data = read_file(path, &bytes);
        if (!data) continue;
        (void)LLVMFuzzerTestOneInput(data, bytes);
        free(data);
        n++;
    }
    if (directory) closedir(directory);
    return n;
}

int main(int argc, char **argv)
{
    int n = 0;
    for (int i = 1; i < argc; i++) n += replay(argv[i]);
    printf("%d inputs\n", n);
    return n ? 0 : 1;
}
