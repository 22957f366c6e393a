/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the line of a field by reading the events again.  Only errors need it, so that values
 * do not have to carry their lines.
 */
#include <yaml.h>

#include "base/must.h"
#include "wire/yaml/yaml.h"

/* The innermost list or object on the path. */
struct walk {
    struct str rest; /* of the path */
    size_t line;
    size_t key_line;
    int64_t index; /* of the next item */
    int skip;      /* open lists and objects below that are not on the path */
    bool is_list, wants_key, is_match, is_done;
};

/* "name" of "name.expr" or "name[0]"; names may contain dots. */
static bool match_key(struct walk *walk, struct str key)
{
    struct str rest = walk->rest;

    if (rest.len > 0 && rest.ptr[0] == '.')
        rest = str_from(rest, 1);
    if (key.len == 0 || !str_starts(rest, key))
        return false;
    rest = str_from(rest, key.len);
    if (rest.len > 0 && rest.ptr[0] != '.' && rest.ptr[0] != '[')
        return false;
    walk->rest = rest;
    return true;
}

static bool match_index(struct walk *walk)
{
    struct str rest = walk->rest;
    int64_t index = -1;

    if (rest.len == 0 || rest.ptr[0] != '[')
        return false;
    rest = str_from(rest, 1);
    if (str_take_number(&rest, JSON_VALUES_MAX, &index) == 0 || index != walk->index ||
        rest.len == 0 || rest.ptr[0] != ']')
        return false;
    walk->rest = str_from(rest, 1);
    return true;
}

static bool is_opening(const yaml_event_t *event)
{
    return event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT;
}

static void enter_value(struct walk *walk, const yaml_event_t *event)
{
    walk->is_list = event->type == YAML_SEQUENCE_START_EVENT;
    walk->wants_key = !walk->is_list;
    walk->index = 0;
    walk->is_done = walk->rest.len == 0 || !is_opening(event);
}

static void on_key(struct walk *walk, const yaml_event_t *event)
{
    struct str key = {NULL, 0};

    if (event->type == YAML_SCALAR_EVENT)
        key = (struct str){(const char *)event->data.scalar.value, event->data.scalar.length};
    walk->key_line = event->start_mark.line;
    walk->is_match = match_key(walk, key);
    walk->wants_key = false;
}

static void on_value(struct walk *walk, const yaml_event_t *event)
{
    bool is_match = walk->is_list ? match_index(walk) : walk->is_match;

    if (is_match) {
        walk->line = walk->is_list ? event->start_mark.line : walk->key_line;
        enter_value(walk, event);
        return;
    }
    walk->index++;
    walk->wants_key = !walk->is_list;
    walk->skip = is_opening(event);
}

static void on_event(struct walk *walk, const yaml_event_t *event, bool *is_begun)
{
    bool closes = event->type == YAML_SEQUENCE_END_EVENT ||
                  event->type == YAML_MAPPING_END_EVENT;

    if (!closes && !is_opening(event) && event->type != YAML_SCALAR_EVENT &&
        event->type != YAML_ALIAS_EVENT)
        return;
    if (!*is_begun) {
        *is_begun = true;
        walk->line = event->start_mark.line;
        enter_value(walk, event);
    } else if (walk->skip > 0) {
        walk->skip += is_opening(event) - closes;
    } else if (closes) {
        walk->is_done = true;
    } else if (walk->wants_key) {
        on_key(walk, event);
    } else {
        on_value(walk, event);
    }
}

int yaml_line(struct str text, const char *path)
{
    struct walk walk = {.rest = str_of(path)};
    yaml_parser_t parser;
    bool is_begun = false;

    must(yaml_parser_initialize(&parser));
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)(text.len > 0 ? text.ptr : ""),
                                 text.len);
    while (!walk.is_done) {
        yaml_event_t event;

        if (!yaml_parser_parse(&parser, &event))
            break;
        walk.is_done = event.type == YAML_DOCUMENT_END_EVENT ||
                       event.type == YAML_STREAM_END_EVENT;
        if (!walk.is_done)
            on_event(&walk, &event, &is_begun);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return (int)walk.line + 1;
}
