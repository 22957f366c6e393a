/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the API's JSON, and looks up members of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/must.h"
#include "cli/frame/width.h"
#include "cli/remote/remote.h"

enum { STEP_MAX = 64 };

/* In JSON, characters beyond ASCII occur only in strings, where a \u escape is equivalent. */
static void print_escaped(struct printer *out, struct str s)
{
    while (s.len > 0) {
        struct glyph glyph = glyph_at(s);

        if (glyph.is_safe || glyph.code == '\n')
            printer_add(out, s.ptr, glyph.bytes);
        else
            printer_printf(out, "\\u%04x", (unsigned)glyph.code);
        s = str_from(s, glyph.bytes);
    }
}

static void print_indented(struct printer *out, const json_t *value)
{
    char *text = json_dumps(value, JSON_INDENT(2) | JSON_ENCODE_ANY);

    must(text);
    print_escaped(out, str_of(text));
    printer_text(out, "\n");
    free(text);
}

void print_json(struct printer *out, const json_t *value)
{
    char *text;

    if (isatty(out->fd)) {
        print_indented(out, value);
        return;
    }
    text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    must(text);
    printer_text(out, text);
    printer_text(out, "\n");
    free(text);
}

void print_json_text(struct printer *out, const struct remote_answer *answer)
{
    if (answer->len == 0)
        return;
    if (isatty(out->fd)) {
        print_indented(out, answer->json);
        return;
    }
    printer_add(out, answer->text, answer->len);
    if (answer->text[answer->len - 1] != '\n')
        printer_text(out, "\n");
}

const char *member_text(const json_t *object, const char *name)
{
    const char *text = json_string_value(member_at(object, name));

    return text ? text : "";
}

const json_t *member_at(const json_t *object, const char *path)
{
    struct str rest = str_of(path), step;
    bool more = true;

    while (more) {
        char name[STEP_MAX];

        more = str_cut(rest, '.', &step, &rest);
        if (!more)
            step = rest;
        must(step.len < sizeof name);
        snprintf(name, sizeof name, "%.*s", (int)step.len, step.ptr);
        object = json_object_get(object, name);
    }
    return json_is_null(object) ? NULL : object;
}
