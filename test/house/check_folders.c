/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that folders are small, and that the tests mirror the sources.
 *
 * A folder of src or test holds a limited number of C files, so that a newcomer finds a file by
 * walking the tree.  The tests of src/<folder> are in test/<folder>; only the folders below,
 * whose subject is more than one folder, have no counterpart.
 *
 * With --whole, a folder of that list that needs no exception is a finding too.
 */
#include <stdio.h>
#include <string.h>

#include "lists.h"
#include "source.h"

enum { FILES_MAX = 60, FOLDERS_MAX = 500 };

static const char without_counterpart[] = "test/e2e test/e2e/cli test/sim test/torture";

struct folder {
    char path[WORD_BYTES_MAX];
    int files;
    bool has_tests; /* test_*.c */
};

static struct folder folders[FOLDERS_MAX];
static int folder_count;

static struct folder *find_folder(const char *path)
{
    for (int i = 0; i < folder_count; i++)
        if (strcmp(folders[i].path, path) == 0)
            return &folders[i];
    return NULL;
}

/* Counts one file; a source_check that finds nothing by itself. */
static int note_file(const struct source *source)
{
    char path[WORD_BYTES_MAX];
    struct folder *folder = find_folder(folder_of(source->path, path));
    const char *name = source->path + strlen(path) + 1;

    if (!folder) {
        if (folder_count == FOLDERS_MAX)
            return source_complain(source, 1, "more than %d folders", FOLDERS_MAX);
        folder = &folders[folder_count++];
        memcpy(folder->path, path, sizeof path);
    }
    folder->files++;
    if (strncmp(name, "test_", 5) == 0 && path_ends(name, ".c"))
        folder->has_tests = true;
    return 0;
}

static bool has_counterpart(const struct folder *folder)
{
    char path[WORD_BYTES_MAX];

    snprintf(path, sizeof path, "src%.*s", (int)sizeof path - 4, folder->path + strlen("test"));
    return find_folder(path);
}

static int check_folder(const struct folder *folder)
{
    int found = 0;

    if (!path_is_below(folder->path, "src") && !path_is_below(folder->path, "test"))
        return 0;
    if (folder->files > FILES_MAX) {
        printf("%s: %d C files, at most %d; make a folder of one subject\n", folder->path,
               folder->files, FILES_MAX);
        found++;
    }
    if (path_is_below(folder->path, "test") && folder->has_tests && !has_counterpart(folder) &&
        !list_has(without_counterpart, folder->path, strlen(folder->path))) {
        printf("%s: tests of no folder; src%s does not exist\n", folder->path,
               folder->path + strlen("test"));
        found++;
    }
    return found;
}

static int check_list(void)
{
    const char *list = without_counterpart;
    char path[WORD_BYTES_MAX];
    int found = 0;

    while (next_word(&list, path)) {
        const struct folder *folder = find_folder(path);

        if (folder && folder->has_tests && !has_counterpart(folder))
            continue;
        printf("test/house/check_folders.c: %s needs no exception\n", path);
        found++;
    }
    return found;
}

int main(int argc, char **argv)
{
    bool whole = argc == 3 && strcmp(argv[1], "--whole") == 0;
    const char *root = argv[argc - 1];
    int files = 0, found;

    if (argc != 2 && !whole) {
        fprintf(stderr, "usage: check_folders [--whole] ROOT\n");
        return 2;
    }
    found = sources_visit_c(root, note_file, &files);
    for (int i = 0; i < folder_count; i++)
        found += check_folder(&folders[i]);
    if (whole)
        found += check_list();
    return sources_report(root, found, files);
}
