/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects the #include lines of a tree and links them to files.
 */
#include "includes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lists.h"

enum { INCLUDES_MAX = 40000 }; /* twice what the tree has */

static struct included files[INCLUDED_FILES_MAX];
static struct include includes[INCLUDES_MAX];
static int file_count, include_count;

static char *keep(const char *text)
{
    char *copy = strdup(text);

    if (!copy)
        abort();
    return copy;
}

/* Reads the name from `#include <name>` or `#include "name"`; false for other lines. */
static bool include_of(const char *line, char *ret_name, bool *ret_external)
{
    char close;
    size_t n;

    line += strspn(line, " \t");
    if (*line++ != '#')
        return false;
    line += strspn(line, " \t");
    if (strncmp(line, "include", 7) != 0)
        return false;
    line += 7 + strspn(line + 7, " \t");
    if (*line != '<' && *line != '"')
        return false;
    close = *line == '<' ? '>' : '"';
    *ret_external = *line == '<';
    n = 0;
    while (line[n + 1] != close && line[n + 1] != '\n' && line[n + 1] != '\0')
        n++;
    snprintf(ret_name, WORD_BYTES_MAX, "%.*s", (int)n, line + 1);
    return true;
}

int includes_note(const struct source *source)
{
    struct included *file = &files[file_count++];
    char name[WORD_BYTES_MAX];
    bool external;
    int line = 1;

    if (file_count == INCLUDED_FILES_MAX || include_count + 200 > INCLUDES_MAX)
        abort();
    *file = (struct included){.path = keep(source->path), .includes = includes + include_count};
    for (const char *p = source->text; *p != '\0'; line++) {
        /* The code, unlike the text, has no # where the line is inside a comment. */
        const char *code = source->code + (p - source->text);

        if (code[strspn(code, " \t")] == '#' && include_of(p, name, &external)) {
            includes[include_count++] = (struct include){keep(name), line, external, -1};
            file->count++;
        }
        p += strcspn(p, "\n");
        if (*p == '\n')
            p++;
    }
    return 0;
}

static int find_file(const char *folder, const char *name)
{
    char path[2 * WORD_BYTES_MAX];

    snprintf(path, sizeof path, "%s%s%s", folder, folder[0] ? "/" : "", name);
    for (int i = 0; i < file_count; i++)
        if (strcmp(files[i].path, path) == 0)
            return i;
    return -1;
}

/* Removes the last part of a path; false if there was only one. */
static bool cut_last(char *path)
{
    char *slash = strrchr(path, '/');

    if (slash)
        *slash = '\0';
    return slash;
}

/* A name as the compiler finds it from the file's own folder, or from a folder above it. */
static int find_near(const char *path, const char *name)
{
    char folder[WORD_BYTES_MAX];

    snprintf(folder, sizeof folder, "%s", path);
    cut_last(folder);
    for (; strncmp(name, "../", 3) == 0; name += 3)
        cut_last(folder);
    do {
        int found = find_file(folder, name);

        if (found >= 0)
            return found;
    } while (cut_last(folder));
    return -1;
}

/* A helper of other tests that an include directory of the build leads to. */
static int find_helper(const char *name)
{
    for (int i = 0; i < file_count; i++) {
        const char *slash = strrchr(files[i].path, '/');

        if (!path_is_below(files[i].path, "src") && slash && strcmp(slash + 1, name) == 0)
            return i;
    }
    return -1;
}

static int resolve(const char *path, const char *name)
{
    static const char *const roots[] = {"src", "", "test"};
    int found = -1;

    if (strncmp(name, "../", 3) == 0)
        return find_near(path, name);
    for (size_t i = 0; found < 0 && strchr(name, '/') && i < 3; i++)
        found = find_file(roots[i], name);
    if (found < 0 && !strchr(name, '/'))
        found = find_near(path, name);
    if (found < 0 && !strchr(name, '/') && !path_is_below(path, "src"))
        found = find_helper(name);
    return found;
}

void includes_link(void)
{
    for (int i = 0; i < file_count; i++)
        for (int j = 0; j < files[i].count; j++) {
            struct include *include = &includes[files[i].includes - includes + j];

            if (!include->external)
                include->target = resolve(files[i].path, include->name);
        }
}

int includes_file_count(void)
{
    return file_count;
}

const struct included *includes_file(int index)
{
    return &files[index];
}

const char *header_name(const char *path)
{
    if (path_is_below(path, "src"))
        return path + strlen("src/");
    if (path_is_below(path, "test"))
        return path + strlen("test/");
    return path;
}
