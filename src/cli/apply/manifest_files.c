/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds and reads the files of a manifest.
 */
#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "cli/apply/manifest_parts.h"
#include "cli/frame/report.h"

enum { READ_FIRST = 64 * 1024 };

/* The texts, and the entries as JSON. */
#define ARENA_MAX (3 * MANIFEST_BYTES_MAX)

static void report_errno(struct manifest *m, const char *name)
{
    manifest_file_error(m, name, 0, strerror(errno));
}

/* Reads to the end; fails when all files together exceed MANIFEST_BYTES_MAX. */
static void read_stream(struct manifest *m, const char *name, FILE *file)
{
    size_t room = READ_FIRST, len = 0, n;
    char *text = malloc(room);

    must(text);
    while ((n = fread(text + len, 1, room - len, file)) > 0) {
        len += n;
        if (len > MANIFEST_BYTES_MAX - m->bytes)
            break;
        if (len == room) {
            room *= 2;
            text = realloc(text, room);
            must(text);
        }
    }
    if (ferror(file)) {
        report_errno(m, name);
    } else if (len > MANIFEST_BYTES_MAX - m->bytes) {
        manifest_file_error(m, name, 0, "the files exceed 1 GiB in total; apply them in parts");
    } else {
        m->bytes += len;
        manifest_add_text(m, arena_str(m->arena, str_of(name)).ptr,
                          arena_str(m->arena, (struct str){text, len}));
    }
    free(text);
}

static void read_file(struct manifest *m, const char *path, const char *name)
{
    FILE *file = fopen(path, "re");

    if (!file) {
        report_errno(m, name);
        return;
    }
    read_stream(m, name, file);
    fclose(file);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool is_wanted(const FTSENT *file)
{
    const char *dot = strrchr(file->fts_name, '.');

    if (file->fts_level == 0)
        return true; /* named on the command line */
    return dot &&
           (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0 || strcmp(dot, ".json") == 0);
}

/* Returns the number of files; `has_room` false: one more is counted, but not read. */
static int visit(struct manifest *m, FTS *fts, FTSENT *file, bool has_room)
{
    bool is_hidden = file->fts_level > 0 && file->fts_name[0] == '.';

    switch (file->fts_info) {
    case FTS_D:
        if (!is_hidden && file->fts_level > MANIFEST_DEPTH_MAX)
            manifest_file_error(m, file->fts_path, 0,
                                "nested too deeply; the limit is 16 directories");
        if (is_hidden || file->fts_level > MANIFEST_DEPTH_MAX)
            fts_set(fts, file, FTS_SKIP);
        return 0;
    case FTS_F:
    case FTS_SL:
    case FTS_DEFAULT: /* a pipe */
        if (is_hidden || !is_wanted(file))
            return 0;
        if (has_room)
            read_file(m, file->fts_accpath, file->fts_path);
        return 1;
    case FTS_DNR:
    case FTS_ERR:
    case FTS_NS:
    case FTS_SLNONE:
        errno = file->fts_errno ? file->fts_errno : ENOENT;
        report_errno(m, file->fts_path);
        return 0;
    default:
        return 0;
    }
}

static void read_path(struct manifest *m, const char *path)
{
    char *paths[] = {(char *)(uintptr_t)path, NULL};
    FTS *fts = fts_open(paths, FTS_COMFOLLOW | FTS_PHYSICAL | FTS_NOCHDIR, by_name);
    FTSENT *file;
    int count = 0, before = m->errors;

    if (!fts) { /* for example an empty path */
        report_errno(m, path);
        return;
    }
    while (count <= MANIFEST_FILES_MAX && (file = fts_read(fts)) != NULL)
        count += visit(m, fts, file, count < MANIFEST_FILES_MAX);
    fts_close(fts);
    if (count > MANIFEST_FILES_MAX)
        manifest_file_error(m, path, 0, "too many files; the limit is 10000");
    else if (count == 0 && m->errors == before)
        manifest_file_error(m, path, 0, "no *.yaml, *.yml or *.json file found");
}

int manifest_read(const char *const *paths, int count, struct manifest *ret)
{
    *ret = (struct manifest){.arena = arena_new(ARENA_MAX)};
    for (int i = 0; i < count; i++) {
        if (strcmp(paths[i], "-") == 0)
            read_stream(ret, "-", stdin);
        else
            read_path(ret, paths[i]);
    }
    return manifest_finish(ret);
}

int manifest_parse(const char *name, struct str text, struct manifest *ret)
{
    *ret = (struct manifest){.arena = arena_new(ARENA_MAX)};
    manifest_add_text(ret, name, arena_str(ret->arena, text));
    return manifest_finish(ret);
}
