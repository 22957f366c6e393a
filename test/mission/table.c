/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a list line by line and reports every invalid line, so that one run shows them all. */
#include "table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATH_BYTES = 4096,
    FILE_BYTES_MAX = 1 << 24, /* the largest, Meson's list of targets, has 3 MB */
    ID_BYTES_MAX = 16,
};

/* The state of reading a list. */
struct reading {
    struct arena *arena;
    struct table *table;
    struct promise **next; /* where to link the next line */
    struct promise *promise;
    struct test_ref **next_test;
    const char *group;
    int line, count;
};

int print_finding(const char *file, int line, const char *fmt, ...)
{
    va_list args;

    printf("%s:%d: ", file, line);
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    putchar('\n');
    return 1;
}

char *file_text(struct arena *arena, const char *root, const char *path)
{
    char full[PATH_BYTES];
    FILE *file;
    long size;
    char *text = NULL;

    snprintf(full, sizeof full, "%s/%s", root, path);
    file = fopen(full, "rb");
    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 && size < FILE_BYTES_MAX) {
        rewind(file);
        text = arena_take(arena, (size_t)size + 1);
        if (fread(text, 1, (size_t)size, file) != (size_t)size)
            text = NULL;
    }
    fclose(file);
    return text;
}

int promise_is_met(const struct promise *promise)
{
    return !promise->unmet && promise->tests;
}

static int report_line(struct reading *reading, const char *message)
{
    reading->table->findings += print_finding(reading->table->file, reading->line, "%s",
                                              message);
    return 1;
}

/* Returns the rest of `line` after the word `key` and a blank, or NULL. */
static const char *rest_after(const char *line, const char *key)
{
    size_t len = strlen(key);

    return strncmp(line, key, len) == 0 && line[len] == ' ' ? line + len + 1 : NULL;
}

/* True for "S12" after "S11", for "13.2" after "13.1", and for every number 1. */
static int follows(const char *id, const struct promise *before)
{
    size_t digits = strlen(id), same;
    int number;

    while (digits > 0 && id[digits - 1] >= '0' && id[digits - 1] <= '9')
        digits--;
    number = atoi(id + digits);
    if (number == 1)
        return 1;
    if (!before || strncmp(before->id, id, digits) != 0)
        return 0;
    same = strspn(before->id + digits, "0123456789");
    return before->id[digits + same] == '\0' && atoi(before->id + digits) == number - 1;
}

static int read_promise(struct reading *reading, char *line)
{
    char *words = strchr(line, ' ');
    struct promise *promise;

    if (!words || (size_t)(words - line) > ID_BYTES_MAX || !strpbrk(line, "0123456789"))
        return report_line(reading,
                           "invalid line; write `ID TEXT`, or title, about, rows or group");
    *words++ = '\0';
    if (!follows(line, reading->promise))
        report_line(reading, "a line is missing before this one; numbers increase by one");
    promise = arena_take(reading->arena, sizeof *promise);
    *promise = (struct promise){
        .id = line, .words = words, .group = reading->group, .line = reading->line};
    *reading->next = promise;
    reading->next = &promise->next;
    reading->promise = promise;
    reading->next_test = &promise->tests;
    reading->count++;
    return 0;
}

static int read_head(struct reading *reading, char *line)
{
    struct table *table = reading->table;
    const char *value;

    if ((value = rest_after(line, "title")))
        table->title = value;
    else if ((value = rest_after(line, "about")))
        table->about = value;
    else if ((value = rest_after(line, "rows")))
        table->rows = atoi(value);
    else if ((value = rest_after(line, "group")))
        reading->group = value;
    else
        return read_promise(reading, line);
    return 0;
}

static int read_detail(struct reading *reading, char *line)
{
    struct promise *promise = reading->promise;
    struct test_ref *ref;
    const char *value;
    char *colon = strchr(line, ':');

    if (!promise)
        return report_line(reading, "no line to belong to; write `ID TEXT` above it");
    if ((value = rest_after(line, "note"))) {
        promise->note = value;
        return 0;
    }
    if ((value = rest_after(line, "unmet"))) {
        promise->unmet = value;
        return 0;
    }
    value = rest_after(line, "meson");
    if (!value && (strncmp(line, "test/", 5) != 0 || !colon))
        return report_line(
            reading, "invalid detail; write `test/FILE:CASE`, `meson NAME`, `note` or `unmet`");
    ref = arena_take(reading->arena, sizeof *ref);
    ref->line = reading->line;
    ref->name = value;
    if (!value) {
        *colon = '\0';
        ref->path = line;
        ref->name = colon + 1;
    }
    *reading->next_test = ref;
    reading->next_test = &ref->next;
    return 0;
}

static void read_line(struct reading *reading, char *line)
{
    size_t indent = strspn(line, " "), len = strlen(line);

    if (len == indent || line[0] == '#')
        return;
    if (line[len - 1] == ' ')
        report_line(reading, "trailing blank; remove it");
    if (strchr(line, '|'))
        report_line(reading, "\"|\" would end a table cell of the page; remove it");
    if (indent > 0)
        read_detail(reading, line + indent);
    else
        read_head(reading, line);
}

struct table *table_read(struct arena *arena, const char *root, const char *file)
{
    struct table *table = arena_take(arena, sizeof *table);
    struct reading reading = {.arena = arena, .table = table, .next = &table->promises};
    char *text = file_text(arena, root, file);

    *table = (struct table){.file = file, .title = "", .about = ""};
    if (!text) {
        printf("%s: cannot read the file\n", file);
        return NULL;
    }
    for (char *line = text; line;) {
        char *end = strchr(line, '\n');

        if (end)
            *end = '\0';
        reading.line++;
        read_line(&reading, line);
        line = end ? end + 1 : NULL;
    }
    if (reading.count != table->rows)
        table->findings += print_finding(file, reading.line, "%d lines; `rows` says %d",
                                         reading.count, table->rows);
    return table;
}
