/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target over given inputs, without a fuzzer: `fuzz_cron fuzz/corpus/cron`.
 *
 * This way the normal build repeats every input that once found a bug.  Arguments are files or
 * folders.  A target that finds an error aborts.  A run without any input proves nothing, so it
 * fails.
 */
#include <errno.h>
#include <fts.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static _Noreturn void die(const char *what, const char *path)
{
    fprintf(stderr, "%s %s: %s\n", what, path, strerror(errno));
    exit(1);
}

/* The block has exactly the size of the input, so that a sanitizer sees an overrun. */
static void run(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(size > 0 ? size : 1);

    if (!file || !bytes)
        die("cannot read", path);
    if (fread(bytes, 1, size, file) != size)
        die("cannot read the whole of", path);
    fclose(file);
    printf("%s\n", path);
    fflush(stdout); /* the last printed name is the input that failed */
    (void)LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

int main(int argc, char **argv)
{
    int inputs = 0;
    FTS *walk;

    if (argc < 2) {
        fprintf(stderr, "usage: %s FILE|FOLDER...\n", argv[0]);
        return 2;
    }
    walk = fts_open(argv + 1, FTS_LOGICAL | FTS_NOCHDIR, by_name);
    if (!walk)
        die("cannot walk", argv[1]);
    for (FTSENT *entry = fts_read(walk); entry; entry = fts_read(walk)) {
        if (entry->fts_info != FTS_F)
            continue;
        run(entry->fts_path, (size_t)entry->fts_statp->st_size);
        inputs++;
    }
    fts_close(walk);
    printf("%d inputs\n", inputs);
    if (inputs == 0)
        fprintf(stderr, "no input below %s\n", argv[1]);
    return inputs > 0 ? 0 : 1;
}
