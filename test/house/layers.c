/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks what each file includes, what it reaches, and which permissions no file needs.
 */
#include "layers.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "includes.h"
#include "lists.h"
#include "source.h"

enum { ROWS_MAX = 120, WORDS_MAX = 40 }; /* of a table, and of a list in it */

/* Records which words of the tables some file needed. */
static bool may_used[ROWS_MAX][WORDS_MAX], through_used[ROWS_MAX][WORDS_MAX];
static bool place_used[ROWS_MAX][WORDS_MAX];
static bool row_used[ROWS_MAX], header_used[ROWS_MAX];

static const struct layer_tables *tables;

/* What a file may include: its row and, for tests of a folder of src, the folder's layer. */
struct permission {
    const struct row *row;
    bool *may, *through; /* the words that were needed; NULL for tests, which do not count */
    char folder[WORD_BYTES_MAX], layer[WORD_BYTES_MAX];
};

/* The row of a file: its own, or that of the nearest folder; -1 when there is none. */
static int find_row(const char *path)
{
    int best = -1;

    for (int i = 0; i < tables->row_count; i++)
        if (word_covers(tables->rows[i].place, path) &&
            (best < 0 || strlen(tables->rows[i].place) > strlen(tables->rows[best].place)))
            best = i;
    return best;
}

static bool find_permission(const char *path, struct permission *ret)
{
    const char *name = header_name(path);
    char mirrored[WORD_BYTES_MAX];
    int row = find_row(path);

    *ret = (struct permission){0};
    if (row >= 0) {
        row_used[row] = true;
        ret->may = may_used[row];
        ret->through = through_used[row];
    } else if (path_is_below(path, "test")) {
        snprintf(mirrored, sizeof mirrored, "src/%s", name);
        row = find_row(mirrored);
        snprintf(ret->layer, sizeof ret->layer, "%.*s/", (int)strcspn(name, "/"), name);
    }
    if (row < 0)
        return false;
    ret->row = &tables->rows[row];
    folder_of(name, ret->folder);
    return true;
}

static bool may_include(const struct permission *permission, const char *name)
{
    char folder[WORD_BYTES_MAX];

    if (strcmp(folder_of(name, folder), permission->folder) == 0 ||
        list_covers(permission->row->may, name, permission->may))
        return true;
    return permission->layer[0] != '\0' && (word_covers(permission->layer, name) ||
                                            list_covers(permission->row->through, name, NULL));
}

static bool may_reach(const struct permission *permission, const char *name)
{
    char folder[WORD_BYTES_MAX];

    return strcmp(folder_of(name, folder), permission->folder) == 0 ||
           list_covers(permission->row->may, name, NULL) ||
           list_covers(permission->row->through, name, permission->through) ||
           (permission->layer[0] != '\0' && word_covers(permission->layer, name));
}

static bool may_include_header(int row, const char *path)
{
    const char *list = tables->header_rows[row].places;
    char word[WORD_BYTES_MAX];

    header_used[row] = true;
    for (int i = 0; next_word(&list, word); i++)
        if (strcmp(word, "*") == 0 || path_is_below(path, word)) {
            place_used[row][i] = true;
            return true;
        }
    return false;
}

static int check_external(const struct source *source, int line, const char *name)
{
    for (int i = 0; i < tables->header_row_count; i++) {
        if (fnmatch(tables->header_rows[i].header, name, 0) != 0)
            continue;
        if (may_include_header(i, source->path))
            return 0;
        return source_complain(source, line,
                               "<%s> may be included only in: %s; call a function of those",
                               name, tables->header_rows[i].places);
    }
    return source_complain(
        source, line,
        "<%s> is not in the table of headers; add it to test/house/check_layers.c", name);
}

/* Helpers of tests and benchmarks, named from their own folder, have no layer. */
static bool is_helper(const struct include *include)
{
    return !strchr(include->name, '/') || strncmp(include->name, "../", 3) == 0;
}

static int check_direct(const struct source *source, const struct permission *permission,
                        const struct include *include)
{
    const char *name = include->name, *may = permission->row->may;

    if (path_ends(name, ".c"))
        return source_complain(source, include->line, "\"%s\": include headers, not sources",
                               name);
    if (is_helper(include) && path_is_below(source->path, "src"))
        return source_complain(source, include->line,
                               "\"%s\": write it from src/, as \"layer/%s\"", name, name);
    if (is_helper(include) || may_include(permission, name))
        return 0;
    if (permission->layer[0] != '\0')
        return source_complain(source, include->line,
                               "\"%s\": the tests of %s may include only its layer%s%s", name,
                               permission->row->place, may[0] ? " and: " : "", may);
    return source_complain(source, include->line, "\"%s\": %s may include only itself%s%s",
                           name, permission->row->place, may[0] ? " and: " : "", may);
}

/* The search for what one file reaches through the headers of others. */
struct reach {
    const struct source *source;
    const struct permission *permission;
    const struct include *first, *second;  /* the links that lead to it */
    char named[WORDS_MAX][WORD_BYTES_MAX]; /* folders that were reported */
    int named_count;
    bool seen[INCLUDED_FILES_MAX];
};

static int complain_reach(struct reach *reach, const struct include *include)
{
    const char *name = header_name(includes_file(include->target)->path);
    char folder[WORD_BYTES_MAX];

    folder_of(name, folder);
    for (int i = 0; i < reach->named_count; i++)
        if (strcmp(reach->named[i], folder) == 0)
            return 0;
    if (reach->named_count < WORDS_MAX)
        memcpy(reach->named[reach->named_count++], folder, sizeof folder);
    if (include == reach->second)
        return source_complain(reach->source, reach->first->line,
                               "\"%s\" includes \"%s\": %s may not reach %s; hide it, or "
                               "name it in the row",
                               reach->first->name, name, reach->permission->row->place, folder);
    return source_complain(reach->source, reach->first->line,
                           "\"%s\" includes \"%s\", which leads to \"%s\": %s may not "
                           "reach %s; hide it, or name it in the row",
                           reach->first->name, reach->second->name, name,
                           reach->permission->row->place, folder);
}

/* Follows the headers that a header includes; depth 1 is the one that the file names. */
static int follow_header(struct reach *reach, int target, int depth)
{
    const struct included *header = includes_file(target);
    int found = 0;

    reach->seen[target] = true;
    for (int i = 0; i < header->count; i++) {
        const struct include *include = &header->includes[i];

        if (include->target < 0 || reach->seen[include->target])
            continue;
        if (depth == 1)
            reach->second = include;
        if (path_is_below(includes_file(include->target)->path, "src") &&
            !may_reach(reach->permission, header_name(includes_file(include->target)->path)))
            found += complain_reach(reach, include);
        else
            found += follow_header(reach, include->target, depth + 1);
    }
    return found;
}

static int check_file(const struct included *file)
{
    static struct reach reach; /* large */
    struct source source = {.path = file->path};
    struct permission permission;
    bool has_row = find_permission(file->path, &permission);
    int found = 0;

    reach = (struct reach){.source = &source, .permission = &permission};
    for (int i = 0; i < file->count; i++) {
        const struct include *include = &file->includes[i];
        int wrong;

        if (include->external) {
            found += check_external(&source, include->line, include->name);
            continue;
        }
        if (!has_row)
            return found + source_complain(&source, include->line,
                                           "this folder has no row in "
                                           "test/house/check_layers.c");
        wrong = check_direct(&source, &permission, include);
        found += wrong;
        reach.first = include;
        if (!wrong && include->target >= 0 && !reach.seen[include->target])
            found += follow_header(&reach, include->target, 1);
    }
    return found;
}

/* Reports the words of a list that no file needed. */
static int complain_unused(const char *place, const char *what, const char *list,
                           const bool *used)
{
    char word[WORD_BYTES_MAX];
    int found = 0;

    for (int i = 0; next_word(&list, word); i++)
        if (!used[i] && strcmp(word, "*") != 0) {
            printf("test/house/check_layers.c: %s %s %s, but no file needs it\n", place, what,
                   word);
            found++;
        }
    return found;
}

static int complain_row(const char *place)
{
    printf("test/house/check_layers.c: %s has a row, but no file\n", place);
    return 1;
}

/* Reports what the tables allow and no file needs. */
static int check_tables(void)
{
    int found = 0;

    for (int i = 0; i < tables->row_count; i++) {
        const struct row *row = &tables->rows[i];

        if (!row_used[i]) {
            found += complain_row(row->place);
            continue;
        }
        found += complain_unused(row->place, "may include", row->may, may_used[i]);
        found += complain_unused(row->place, "may reach", row->through, through_used[i]);
    }
    for (int i = 0; i < tables->header_row_count; i++) {
        const struct header_row *row = &tables->header_rows[i];

        if (!header_used[i])
            found += complain_row(row->header);
        else
            found += complain_unused(row->header, "may be included in", row->places,
                                     place_used[i]);
    }
    return found;
}

static bool list_fits(const char *list)
{
    char word[WORD_BYTES_MAX];
    int count = 0;

    while (next_word(&list, word))
        count++;
    return count <= WORDS_MAX;
}

/* Checks that the tables fit into the arrays above. */
static void must_fit(void)
{
    if (tables->row_count > ROWS_MAX || tables->header_row_count > ROWS_MAX)
        abort();
    for (int i = 0; i < tables->row_count; i++)
        if (!list_fits(tables->rows[i].may) || !list_fits(tables->rows[i].through))
            abort();
    for (int i = 0; i < tables->header_row_count; i++)
        if (!list_fits(tables->header_rows[i].places))
            abort();
}

int layers_main(const struct layer_tables *given, int argc, char **argv)
{
    bool whole = argc == 3 && strcmp(argv[1], "--whole") == 0;
    const char *root = argv[argc - 1];
    int files = 0, found = 0;

    if (argc != 2 && !whole) {
        fprintf(stderr, "usage: check_layers [--whole] ROOT\n");
        return 2;
    }
    tables = given;
    must_fit();
    sources_visit_c(root, includes_note, &files);
    includes_link();
    for (int i = 0; i < includes_file_count(); i++)
        found += check_file(includes_file(i));
    if (whole)
        found += check_tables();
    return sources_report(root, found, files);
}
