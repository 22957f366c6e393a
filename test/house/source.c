/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks a tree, reads its files and blanks out what is not code.
 */
#include "source.h"

#include <errno.h>
#include <fts.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOURCE_BYTES_MAX = 1 << 22 }; /* all files of the tree are much smaller */

static const char *const folders[] = {"src", "sim", "test", "fuzz", "bench"};

int source_complain(const struct source *source, int line, const char *fmt, ...)
{
    va_list args;

    printf("%s:%d: ", source->path, line);
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    putchar('\n');
    return 1;
}

bool path_is_below(const char *path, const char *folder)
{
    size_t len = strlen(folder);

    return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

bool path_ends(const char *path, const char *ending)
{
    size_t len = strlen(path), n = strlen(ending);

    return len >= n && strcmp(path + len - n, ending) == 0;
}

static _Noreturn void die(const char *what, const char *path)
{
    fprintf(stderr, "%s %s: %s\n", what, path, strerror(errno));
    exit(2);
}

static char *read_file(const char *path, size_t *ret_len)
{
    char *text = malloc(SOURCE_BYTES_MAX);
    FILE *file = fopen(path, "rb");

    if (!text || !file)
        die("cannot read", path);
    *ret_len = fread(text, 1, SOURCE_BYTES_MAX - 1, file);
    if (ferror(file) || !feof(file))
        die("cannot read the whole of", path);
    fclose(file);
    text[*ret_len] = '\0';
    return text;
}

static void blank(char *code, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (code[i] != '\n')
            code[i] = ' ';
}

/* Index of the closing quote of the literal that opens at `at`, or of the end of its line. */
static size_t literal_end(const char *text, size_t at)
{
    char quote = text[at++];

    while (text[at] != '\0' && text[at] != '\n' && text[at] != quote)
        at += text[at] == '\\' && text[at + 1] != '\0' ? 2 : 1;
    return at;
}

static size_t comment_end(const char *text, size_t at)
{
    const char *end = strstr(text + at + 2, "*/");

    return end ? (size_t)(end - text) + 2 : at + strlen(text + at);
}

/* Makes the copy of the text that struct source calls `code`. */
static char *code_of(const char *text, size_t len)
{
    char *code = malloc(len + 1);
    size_t i = 0;

    if (!code)
        die("no memory for", "a file");
    memcpy(code, text, len + 1);
    while (i < len) {
        size_t from = i;

        if (text[i] == '"' || text[i] == '\'') {
            i = literal_end(text, i);
            blank(code, from + 1, i < len ? i : len);
            i++;
        } else if (text[i] == '/' && text[i + 1] == '*') {
            i = comment_end(text, i);
            blank(code, from, i);
        } else if (text[i] == '/' && text[i + 1] == '/') {
            i += strcspn(text + i, "\n");
            blank(code, from + 2, i);
        } else {
            i++;
        }
    }
    return code;
}

static int check_file(const char *file, const char *path, source_check *check)
{
    struct source source = {.path = path};
    char *text = read_file(file, &source.len);
    char *code = code_of(text, source.len);
    int found;

    source.text = text;
    source.code = code;
    found = check(&source);
    free(code);
    free(text);
    return found;
}

/* True for the trees of the negative controls, third-party files, builds and .git. */
static bool is_left_out(const char *path)
{
    return path_is_below(path, "test/house/bad") || path_is_below(path, "test/house/good") ||
           path_ends(path, "/node_modules") || strncmp(path, "build", 5) == 0 || path[0] == '.';
}

bool path_is_c(const char *path)
{
    return path_ends(path, ".c") || path_ends(path, ".h");
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

int sources_visit(const struct visit *visit, const char *folder, int *files)
{
    char top[4096];
    char *paths[] = {top, NULL};
    int found = 0;
    FTS *walk;

    snprintf(top, sizeof top, "%s%s%s", visit->root, folder[0] != '\0' ? "/" : "", folder);
    walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    if (!walk)
        die("cannot walk", top);
    for (FTSENT *entry = fts_read(walk); entry; entry = fts_read(walk)) {
        const char *path = entry->fts_path + strlen(visit->root) + 1;

        if (strlen(entry->fts_path) <= strlen(visit->root)) /* the root itself */
            continue;
        if (entry->fts_info == FTS_D && is_left_out(path))
            fts_set(walk, entry, FTS_SKIP);
        if (entry->fts_info != FTS_F || !visit->wants(path))
            continue;
        found += check_file(entry->fts_path, path, visit->check);
        (*files)++;
    }
    fts_close(walk);
    return found;
}

int sources_visit_c(const char *root, source_check *check, int *files)
{
    struct visit visit = {.root = root, .wants = path_is_c, .check = check};
    int found = 0;

    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        found += sources_visit(&visit, folders[i], files);
    return found;
}

int sources_report(const char *root, int found, int files)
{
    if (files == 0) {
        printf("%s: no C file below it; give the root of the tree\n", root);
        return 2;
    }
    if (found > 0)
        printf("%d finding%s in %d files\n", found, found == 1 ? "" : "s", files);
    return found > 0 ? 1 : 0;
}

int sources_check(const char *root, source_check *check)
{
    int files = 0;
    int found = sources_visit_c(root, check, &files);

    return sources_report(root, found, files);
}
