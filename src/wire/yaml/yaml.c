/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads YAML: libyaml returns events; a stack of open lists and objects builds values from
 * them.  libyaml counts characters and Belfry counts bytes, so the reader counts both.
 */
#include "wire/yaml/yaml.h"

#include <yaml.h>

#include "base/must.h"
#include "wire/yaml/yaml_parts.h"

enum { TAG_MAX = 100 }; /* bytes of a tag that a message shows */

struct yaml_reader {
    yaml_parser_t parser;
    struct str text;
    size_t skipped; /* bytes before it: a byte order mark, which UTF-8 does not need */
    bool is_over;
    size_t characters, bytes; /* the same position */

    /* The document that is being read. */
    json_t *open[JSON_DEPTH_MAX]; /* each belongs to the one before it */
    json_t *key[JSON_DEPTH_MAX];  /* of an object, while its value is next */
    json_t *root;
    int depth, values;
};

enum rc yaml_open(struct str text, struct arena *arena, struct yaml_reader **ret,
                  struct err *reterr)
{
    struct yaml_reader *reader;
    size_t skipped = str_starts(text, STR("\xef\xbb\xbf")) ? 3 : 0;

    if (text.len > YAML_BYTES_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0, "the text has %zu bytes; the limit is %zu",
                       text.len, YAML_BYTES_MAX);
    if (!str_is_utf8(text))
        return err_set(reterr, RC_INVALID, -1, 0, "the text is not UTF-8");
    text = str_from(text, skipped);
    reader = arena_take(arena, sizeof *reader);
    must(yaml_parser_initialize(&reader->parser));
    yaml_parser_set_encoding(&reader->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(
        &reader->parser, (const unsigned char *)(text.len > 0 ? text.ptr : ""), text.len);
    reader->text = text;
    reader->skipped = skipped;
    *ret = reader;
    return RC_OK;
}

static void reset_document(struct yaml_reader *reader)
{
    for (int i = 0; i < reader->depth; i++)
        json_decref(reader->key[i]);
    json_decref(reader->root);
    reader->root = NULL;
    reader->depth = reader->values = 0;
}

void yaml_close(struct yaml_reader *reader)
{
    if (!reader)
        return;
    reset_document(reader);
    yaml_parser_delete(&reader->parser);
}

/* The byte of a character; positions ascend except in errors. */
static size_t byte_of(struct yaml_reader *reader, size_t character)
{
    if (character < reader->characters)
        reader->characters = reader->bytes = 0;
    while (reader->characters < character && reader->bytes < reader->text.len) {
        reader->bytes += str_utf8_length(str_from(reader->text, reader->bytes));
        reader->characters++;
    }
    return reader->bytes;
}

static enum rc set_error(struct yaml_reader *reader, const yaml_mark_t *mark, const char *what,
                         struct err *reterr)
{
    size_t at = byte_of(reader, mark->index);

    reader->is_over = true;
    return err_set(reterr, RC_INVALID, (int)(at + reader->skipped), at < reader->text.len,
                   "line %zu, column %zu: %s", mark->line + 1, mark->column + 1, what);
}

static enum rc set_parser_error(struct yaml_reader *reader, struct err *reterr)
{
    const yaml_parser_t *parser = &reader->parser;
    yaml_mark_t mark = parser->problem_mark;
    const char *what = parser->problem ? parser->problem : "this is not YAML";

    must(parser->error != YAML_MEMORY_ERROR);
    if (parser->error == YAML_READER_ERROR) {
        /* It has a byte but no mark. */
        reader->is_over = true;
        return err_set(reterr, RC_INVALID, (int)(parser->problem_offset + reader->skipped), 1,
                       "%s", what);
    }
    if (strcmp(what, "found character that cannot start any token") == 0)
        what = "unexpected character; indent with blanks, and put text that begins with this "
               "character into quotes";
    else if (strcmp(what, "mapping values are not allowed in this context") == 0)
        what = "unexpected `key:`; check that the line is indented as its neighbours, and "
               "that text with a colon is in quotes";
    return set_error(reader, &mark, what, reterr);
}

static enum rc check_properties(struct yaml_reader *reader, const yaml_event_t *event,
                                const unsigned char *anchor, const unsigned char *tag,
                                struct err *reterr)
{
    char text[TAG_MAX + 100];

    if (anchor)
        return set_error(reader, &event->start_mark,
                         "anchors (&) and aliases are not supported; repeat the text", reterr);
    if (tag && strcmp((const char *)tag, YAML_STR_TAG) != 0) {
        struct buf out = BUF(text);

        buf_printf(&out, "tags other than !!str are not supported: %.*s", TAG_MAX,
                   (const char *)tag);
        return set_error(reader, &event->start_mark, text, reterr);
    }
    return RC_OK;
}

static enum rc put_key(struct yaml_reader *reader, const yaml_event_t *event,
                       struct err *reterr)
{
    struct str text = {(const char *)event->data.scalar.value, event->data.scalar.length};
    int top = reader->depth - 1;

    reader->key[top] = json_new_str(text);
    if (json_object_get(reader->open[top], json_string_value(reader->key[top])))
        return set_error(reader, &event->start_mark, "duplicate key in an object", reterr);
    return RC_OK;
}

static bool wants_key(const struct yaml_reader *reader)
{
    int top = reader->depth - 1;

    return reader->depth > 0 && json_is_object(reader->open[top]) && !reader->key[top];
}

static enum rc count_value(struct yaml_reader *reader, const yaml_event_t *event,
                           struct err *reterr)
{
    if (++reader->values > JSON_VALUES_MAX)
        return set_error(reader, &event->start_mark, "too many values; the limit is 131072",
                         reterr);
    return RC_OK;
}

/* Takes over the reference. */
static void put_value(struct yaml_reader *reader, json_t *value)
{
    int top = reader->depth - 1;

    if (reader->depth == 0) {
        reader->root = value;
    } else if (json_is_object(reader->open[top])) {
        json_put(reader->open[top], json_string_value(reader->key[top]), value);
        json_decref(reader->key[top]);
        reader->key[top] = NULL;
    } else {
        json_add(reader->open[top], value);
    }
}

static enum rc on_scalar(struct yaml_reader *reader, const yaml_event_t *event,
                         struct err *reterr)
{
    struct str text = {(const char *)event->data.scalar.value, event->data.scalar.length};
    json_t *value = NULL;
    enum rc rc = check_properties(reader, event, event->data.scalar.anchor,
                                  event->data.scalar.tag, reterr);

    if (rc != RC_OK)
        return rc;
    if (text.len > 0 && memchr(text.ptr, '\0', text.len))
        return set_error(reader, &event->start_mark, "a string must not contain \\0", reterr);
    if (wants_key(reader))
        return put_key(reader, event, reterr);
    rc = count_value(reader, event, reterr);
    if (rc != RC_OK)
        return rc;
    if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
        event->data.scalar.plain_implicit)
        rc = yaml_plain(text, &value, reterr);
    else
        value = json_new_str(text);
    if (rc != RC_OK) {
        struct err inner = *reterr;

        return set_error(reader, &event->start_mark, inner.text, reterr);
    }
    put_value(reader, value);
    return RC_OK;
}

static enum rc on_open(struct yaml_reader *reader, const yaml_event_t *event,
                       struct err *reterr)
{
    bool is_list = event->type == YAML_SEQUENCE_START_EVENT;
    const unsigned char *anchor = is_list ? event->data.sequence_start.anchor
                                          : event->data.mapping_start.anchor;
    const unsigned char *tag = is_list ? event->data.sequence_start.tag
                                       : event->data.mapping_start.tag;
    json_t *value;
    enum rc rc = check_properties(reader, event, anchor, tag, reterr);

    if (rc != RC_OK)
        return rc;
    if (wants_key(reader))
        return set_error(reader, &event->start_mark, "a key must be text", reterr);
    if (reader->depth == JSON_DEPTH_MAX)
        return set_error(reader, &event->start_mark, "nested too deep; the limit is 32 levels",
                         reterr);
    rc = count_value(reader, event, reterr);
    if (rc != RC_OK)
        return rc;
    value = is_list ? json_new_list() : json_new_object();
    put_value(reader, value);
    reader->open[reader->depth] = value;
    reader->key[reader->depth++] = NULL;
    return RC_OK;
}

static enum rc on_event(struct yaml_reader *reader, const yaml_event_t *event,
                        struct err *reterr)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return on_scalar(reader, event, reterr);
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        return on_open(reader, event, reterr);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        reader->depth--;
        return RC_OK;
    case YAML_ALIAS_EVENT:
        return set_error(reader, &event->start_mark,
                         "aliases (*) are not supported; repeat the text", reterr);
    default:
        return RC_OK;
    }
}

/* Moves to the start of the line in which the document begins. */
static void begin_document(struct yaml_reader *reader, const yaml_event_t *event,
                           struct yaml_document *doc)
{
    doc->at = byte_of(reader, event->start_mark.index);
    doc->line = (int)event->start_mark.line + 1;
    while (doc->at > 0 && reader->text.ptr[doc->at - 1] != '\n')
        doc->at--;
}

static void end_document(struct yaml_reader *reader, const yaml_event_t *event,
                         struct yaml_document *doc)
{
    size_t end = byte_of(reader, event->end_mark.index);

    doc->value = reader->root ? reader->root : json_null();
    doc->len = end > doc->at ? end - doc->at : 0;
    doc->at += reader->skipped;
    reader->root = NULL;
    reader->values = 0;
}

enum rc yaml_next(struct yaml_reader *reader, struct yaml_document *ret, bool *ret_any,
                  struct err *reterr)
{
    struct yaml_document doc = {0};
    yaml_event_type_t type = YAML_NO_EVENT;
    enum rc rc = RC_OK;

    while (!reader->is_over && rc == RC_OK && type != YAML_DOCUMENT_END_EVENT) {
        yaml_event_t event;

        if (!yaml_parser_parse(&reader->parser, &event))
            return set_parser_error(reader, reterr);
        type = event.type;
        reader->is_over = type == YAML_STREAM_END_EVENT;
        if (type == YAML_DOCUMENT_START_EVENT)
            begin_document(reader, &event, &doc);
        else if (type == YAML_DOCUMENT_END_EVENT)
            end_document(reader, &event, &doc);
        else
            rc = on_event(reader, &event, reterr);
        yaml_event_delete(&event);
    }
    if (rc != RC_OK)
        return rc;
    *ret_any = type == YAML_DOCUMENT_END_EVENT;
    if (*ret_any)
        *ret = doc;
    return RC_OK;
}
