/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the values of options into the query or the body of a request.
 */
#include "cli/remote/request_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "cli/frame/commands.h"
#include "cli/frame/report.h"
#include "cli/frame/when.h"
#include "cli/remote/remote.h"
#include "io/clock.h"

enum {
    REPEATS_MAX = 64, /* how often one option may be given */
    NAME_MAX_BYTES = 256,
};

static char *read_stream(FILE *file, const char *path, size_t *ret_len)
{
    size_t len = 0, n;
    char *text = malloc(REMOTE_BODY_MAX + 2);

    must(text);
    while ((n = fread(text + len, 1, REMOTE_BODY_MAX + 1 - len, file)) > 0)
        len += n;
    if (len > REMOTE_BODY_MAX || ferror(file)) {
        if (ferror(file))
            report_note("cannot read %s: %s", path, strerror(errno));
        else
            report_note("%s exceeds %d bytes", path, REMOTE_BODY_MAX);
        free(text);
        return NULL;
    }
    text[len] = '\0';
    *ret_len = len;
    return text;
}

char *read_whole(const char *path, size_t *ret_len)
{
    bool is_input = strcmp(path, "-") == 0;
    FILE *file = is_input ? stdin : fopen(path, "re");
    char *text;

    if (!file) {
        report_note("cannot read %s: %s", path, strerror(errno));
        return NULL;
    }
    text = read_stream(file, path, ret_len);
    if (!is_input)
        fclose(file);
    return text;
}

/* ---- one value ---- */

static json_t *json_value(const char *name, const char *typed)
{
    struct str text = str_of(typed);
    char *file = NULL;
    json_t *json = NULL;
    struct err err;

    if (typed[0] == '@') {
        file = read_whole(typed + 1, &text.len);
        if (!file)
            return NULL;
        text.ptr = file;
    }
    if (json_read(text, &json, &err) != RC_OK) {
        snprintf(err.field, sizeof err.field, "--%s", name);
        report_err(&err, text);
        json = NULL;
    }
    free(file);
    return json;
}

static json_t *number_value(const char *name, const char *typed)
{
    struct str s = str_of(typed);
    int64_t n = 0;

    if (str_take_number(&s, INT64_MAX - 1, &n) > 0 && s.len == 0)
        return json_new_int(n);
    report_note("--%s must be a whole number, not \"%.100s\"", name, typed);
    return NULL;
}

static json_t *text_value(const char *name, const char *typed)
{
    if (str_is_utf8(str_of(typed)))
        return json_new_str(str_of(typed));
    report_note("--%s must be UTF-8", name);
    return NULL;
}

static json_t *time_value(const struct args *args, int option, const char *typed)
{
    const struct option *row = &args->command->options[option];
    char time[INSTANT_TEXT_MAX];
    struct err err;
    enum rc rc = row->part->kind == PART_TIME
                     ? when_read_here(typed, args->value[REMOTE_UTC] != NULL, time, &err)
                     : when_read(typed, NULL, clock_now(), time, &err);

    if (rc == RC_OK)
        return json_new_str(str_of(time));
    report_note("--%s: %s", row->name, err.text);
    return NULL;
}

/* One value of an option; NULL after reporting that it is invalid. */
static json_t *part_value(const struct args *args, int option, const char *typed)
{
    const struct option *row = &args->command->options[option];

    switch (row->part->kind) {
    case PART_TEXT:
    case PART_TEXTS:
    case PART_OBJECTS:
    case PART_PAIRS:
        return text_value(row->name, typed);
    case PART_NUMBER:
        return number_value(row->name, typed);
    case PART_TIME:
    case PART_INSTANT:
        return time_value(args, option, typed);
    case PART_TIMES:
        return typed[0] == '+' || typed[0] == '-' ? time_value(args, option, typed)
                                                  : text_value(row->name, typed);
    case PART_JSON:
        return json_value(row->name, typed);
    case PART_TRUE:
    case PART_FALSE:
        return json_boolean(row->part->kind == PART_TRUE);
    }
    return NULL;
}

/* ---- all values ---- */

static json_t *value_list(const struct args *args, int option)
{
    const struct option *row = &args->command->options[option];
    const char *typed[REPEATS_MAX];
    int count = args_all(args, option, typed, REPEATS_MAX);
    json_t *list = json_new_list();

    if (count > REPEATS_MAX)
        report_note("--%s may be given at most %d times", row->name, REPEATS_MAX);
    for (int i = 0; i < count && count <= REPEATS_MAX; i++) {
        json_t *value = part_value(args, option, typed[i]), *object;

        if (!value)
            break;
        if (row->part->kind == PART_OBJECTS) {
            object = json_new_object();
            json_put(object, row->part->item, value);
            value = object;
        }
        json_add(list, value);
    }
    if (json_array_size(list) == (size_t)count)
        return list;
    json_decref(list);
    return NULL;
}

/* Adds each "KEY=VALUE" or "Name: value" as a member. */
static bool add_pairs(const struct args *args, int option, json_t *to)
{
    const struct option *row = &args->command->options[option];
    json_auto_t *texts = value_list(args, option);
    char sep = row->part->item[0];
    json_t *text;
    size_t i;

    json_array_foreach(texts, i, text)
    {
        struct str key, value, whole = str_of(json_string_value(text));
        char name[NAME_MAX_BYTES];

        if (!str_cut(whole, sep, &key, &value) || key.len == 0 || key.len >= sizeof name) {
            report_note("--%s must be %s, not \"%.100s\"", row->name, row->value, whole.ptr);
            return false;
        }
        snprintf(name, sizeof name, "%.*s", (int)key.len, key.ptr);
        json_put(to, name, json_new_str(sep == ':' ? str_trim(value) : value));
    }
    return texts != NULL;
}

/* ---- the request ---- */

json_t *body_object(json_t *body, const char *name)
{
    json_t *object = json_object_get(body, name);

    if (!object || json_is_null(object)) {
        object = json_new_object();
        json_put(body, name, object);
    }
    if (json_is_object(object))
        return object;
    report_note("%s must be an object", name);
    return NULL;
}

static bool add_option(const struct args *args, int option, json_t *body)
{
    const struct part *part = args->command->options[option].part;
    const char *name = part->path, *dot;
    json_t *value;

    for (; body && (dot = strchr(name, '.')); name = dot + 1) {
        char object[NAME_MAX_BYTES];

        snprintf(object, sizeof object, "%.*s", (int)(dot - name), name);
        body = body_object(body, object);
    }
    if (body && part->kind == PART_PAIRS) {
        body = body_object(body, name);
        return body && add_pairs(args, option, body);
    }
    if (!body)
        return false;
    value = part->kind >= PART_TEXTS ? value_list(args, option)
                                     : part_value(args, option, args->value[option]);
    if (value)
        json_put(body, name, value);
    return value != NULL;
}

bool body_add_options(const struct args *args, json_t *body)
{
    for (int i = 0; i < args->command->option_count; i++)
        if (args->command->options[i].part && args->value[i] && !add_option(args, i, body))
            return false;
    return true;
}

json_t *body_from_options(const struct args *args)
{
    json_t *body = json_new_object();

    if (body_add_options(args, body))
        return body;
    json_decref(body);
    return NULL;
}

int query_from_options(const struct args *args, struct buf *path)
{
    for (int i = 0; i < args->command->option_count; i++) {
        const struct part *part = args->command->options[i].part;
        json_auto_t *time = NULL;

        if (!part || !args->value[i])
            continue;
        if (part->kind == PART_TIME) {
            time = part_value(args, i, args->value[i]);
            if (!time)
                return STATUS_USAGE;
        }
        path_query(path, part->path, time ? json_string_value(time) : args->value[i]);
    }
    return STATUS_OK;
}
