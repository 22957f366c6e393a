/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a text as YAML or JSON.  A JSON text of any length is first cut into its values; each
 * value is then parsed as strictly as the server does.
 */
#include "cli/apply/manifest_parts.h"
#include "wire/yaml/yaml.h"

/* The state of cutting a JSON text. */
struct cutter {
    struct manifest *manifest;
    const char *name;
    struct str text;
    size_t at;
    size_t counted; /* bytes whose line breaks were counted */
    int line;       /* line number at `counted`, from 1 */
    int document;
};

static int line_at(struct cutter *c, size_t at)
{
    for (; c->counted < at; c->counted++)
        c->line += c->text.ptr[c->counted] == '\n';
    return c->line;
}

static char peek(struct cutter *c)
{
    while (c->at < c->text.len && strchr(" \t\r\n", c->text.ptr[c->at]) &&
           c->text.ptr[c->at] != '\0')
        c->at++;
    return c->at < c->text.len ? c->text.ptr[c->at] : '\0';
}

/* Cuts the value that begins here, by counting brackets. */
static struct str cut_value(struct cutter *c)
{
    size_t from = c->at;
    bool in_string = false;
    int depth = 0;

    for (; c->at < c->text.len; c->at++) {
        char b = c->text.ptr[c->at];

        if (in_string && b == '\\')
            c->at++;
        else if (b == '"')
            in_string = !in_string;
        else if (!in_string && (b == '[' || b == '{'))
            depth++;
        else if (!in_string && (b == ']' || b == '}') && --depth == 0) {
            c->at++;
            break;
        } else if (!in_string && depth == 0 && (b == ',' || b == '\n'))
            break;
    }
    if (c->at > c->text.len)
        c->at = c->text.len;
    return (struct str){c->text.ptr + from, c->at - from};
}

/* json_read() counts lines in the value; the report needs the line in the file. */
static void report_json_error(struct cutter *c, size_t from, const struct err *err)
{
    const char *text = err->text;
    int line = line_at(c, from);

    if (err->at > 0)
        for (size_t i = from; i < from + (size_t)err->at && i < c->text.len; i++)
            line += c->text.ptr[i] == '\n';
    if (strncmp(text, "line ", 5) == 0 && strchr(text, ':'))
        text = strchr(text, ':') + 2;
    manifest_file_error(c->manifest, c->name, line, text);
}

/* Returns false after an error: the rest of the text cannot be read. */
static bool add_value(struct cutter *c)
{
    size_t from = c->at;
    struct str text = cut_value(c);
    struct manifest_entry place = {.place = {.file = c->name,
                                             .document = ++c->document,
                                             .line = line_at(c, from),
                                             .text = text}};
    json_auto_t *json = NULL;
    struct err err;

    if (json_read(text, &json, &err) != RC_OK) {
        report_json_error(c, from, &err);
        return false;
    }
    manifest_add_all(c->manifest, json, &place);
    return true;
}

/* Adds the items of a list one at a time, since the list may be long. */
static bool add_list(struct cutter *c)
{
    c->at++;
    if (peek(c) == ']') {
        c->at++;
        return true;
    }
    for (;;) {
        (void)peek(c);
        if (!add_value(c))
            return false;
        if (peek(c) == ']') {
            c->at++;
            return true;
        }
        if (peek(c) != ',') {
            manifest_file_error(c->manifest, c->name, line_at(c, c->at),
                                "expected , or ] after a list item");
            return false;
        }
        c->at++;
    }
}

static void read_json(struct manifest *m, const char *name, struct str text)
{
    struct cutter c = {.manifest = m, .name = name, .text = text, .line = 1};
    bool goes_on = true;

    if (!str_is_utf8(text)) {
        manifest_file_error(m, name, 0, "not UTF-8");
        return;
    }
    while (goes_on && peek(&c) != '\0')
        goes_on = peek(&c) == '[' ? add_list(&c) : add_value(&c);
    if (goes_on && c.at < text.len)
        manifest_file_error(m, name, line_at(&c, c.at), "unexpected zero byte");
}

static void read_yaml(struct manifest *m, const char *name, struct str text)
{
    struct manifest_entry place = {.place = {.file = name}};
    struct yaml_reader *reader = NULL;
    bool any = true;
    struct err err;
    enum rc rc = yaml_open(text, m->arena, &reader, &err);

    while (rc == RC_OK && any) {
        struct yaml_document doc;

        rc = yaml_next(reader, &doc, &any, &err);
        if (rc != RC_OK || !any)
            break;
        place.place.document++;
        place.place.line = doc.line;
        place.place.text = (struct str){text.ptr + doc.at, doc.len};
        manifest_add_all(m, doc.value, &place);
        json_decref(doc.value);
    }
    yaml_close(reader);
    if (rc != RC_OK)
        manifest_file_error(m, name, 0, err.text);
}

/* A text that begins with { or [ is read as JSON, since YAML has other escapes. */
void manifest_add_text(struct manifest *m, const char *name, struct str text)
{
    size_t at = 0;

    while (at < text.len && text.ptr[at] != '\0' && strchr(" \t\r\n", text.ptr[at]))
        at++;
    if (at < text.len && (text.ptr[at] == '{' || text.ptr[at] == '['))
        read_json(m, name, text);
    else
        read_yaml(m, name, text);
}
