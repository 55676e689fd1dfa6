/* SPDX-License-Identifier: MIT
 *
 * Gives every file of the directories named to the fuzzer's function, without the fuzzer: so each
 * kept input stays tested, under any compiler. The bytes end where readable memory ends. */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void replay(const char *path)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status)) fail(path);
    if (!S_ISREG(status.st_mode)) {
        close(fd);
        return;
    }
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (size_t)status.st_size;
    size_t pages = (size + page - 1) / page * page;
    uint8_t *room =
        mmap(NULL, pages + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED || mprotect(room + pages, page, PROT_NONE)) fail("mmap");
    uint8_t *data = room + pages - size;
    if (read(fd, data, size) != (ssize_t)size) fail(path);
    close(fd);
    printf("%s\n", path);
    fflush(stdout); /* the last line names the input that ended the program */
    LLVMFuzzerTestOneInput(data, size);
    munmap(room, pages + page);
}

int main(int count, char **arguments)
{
    int replayed = 0;
    for (int i = 1; i < count; i++) {
        DIR *directory = opendir(arguments[i]);
        if (!directory) fail(arguments[i]);
        for (struct dirent *entry; (entry = readdir(directory)); replayed++) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", arguments[i], entry->d_name);
            replay(path);
        }
        closedir(directory);
    }
    return replayed > 2 ? 0 : 1; /* more than . and .. */
}
