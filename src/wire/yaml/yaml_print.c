/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints values as YAML in block style.  Written by hand: quotes are chosen so that readers of
 * YAML 1.1 and of 1.2 see the same strings, which an emitter of 1.1 does not guarantee.
 */
#include "base/must.h"
#include "wire/yaml/yaml.h"
#include "wire/yaml/yaml_parts.h"

enum {
    INDENT = 2,
    /* Bytes of a key before its colon; YAML rejects one of 1,024 characters with escapes. */
    KEY_MAX = 128,
};

/* Words that some reader takes for a boolean or null. */
static bool is_word(struct str s)
{
    static const char *const words[] = {"y",   "n",    "yes",   "no",  "on",
                                        "off", "true", "false", "null"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (str_eq_nocase(s, str_of(words[i])))
            return true;
    return false;
}

/* Begins with a letter and contains nothing that has a meaning in YAML. */
static bool is_plain(struct str s)
{
    if (s.len == 0 || !char_is_alpha(s.ptr[0]) || s.ptr[s.len - 1] == ' ' || is_word(s))
        return false;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];

        if (!char_is_alpha(c) && !char_is_digit(c) && (c == '\0' || !strchr(" _-./+", c)))
            return false;
    }
    return true;
}

static uint32_t code_of(struct str s, size_t len)
{
    static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = (unsigned char)s.ptr[0] & first[len];

    for (size_t i = 1; i < len; i++)
        code = code << 6 | ((unsigned char)s.ptr[i] & 0x3f);
    return code;
}

/* What YAML allows literally between quotes; line ends would be folded. */
static bool is_printable(uint32_t code)
{
    return (code >= 0x20 && code < 0x7f) ||
           (code >= 0xa0 && code != 0x2028 && code != 0x2029 && code != 0xfeff &&
            code != 0xfffe && code != 0xffff);
}

static void print_quoted(struct str s, struct buf *out)
{
    buf_char(out, '"');
    for (size_t i = 0; i < s.len;) {
        struct str rest = str_from(s, i);
        size_t len = str_utf8_length(rest);
        uint32_t code;

        must(len > 0);
        code = code_of(rest, len);
        if (code == '"' || code == '\\')
            buf_printf(out, "\\%c", (char)code);
        else if (code == '\n')
            buf_text(out, "\\n");
        else if (code == '\t')
            buf_text(out, "\\t");
        else if (is_printable(code))
            buf_add(out, rest.ptr, len);
        else
            buf_printf(out, "\\u%04x", (unsigned)code);
        i += len;
    }
    buf_char(out, '"');
}

static void print_text(struct str s, struct buf *out)
{
    if (is_plain(s))
        buf_str(out, s);
    else
        print_quoted(s, out);
}

static void print_indent(int depth, struct buf *out)
{
    for (int i = 0; i < depth * INDENT; i++)
        buf_char(out, ' ');
}

static bool is_block(const json_t *value)
{
    return (json_is_object(value) && json_object_size(value) > 0) ||
           (json_is_array(value) && json_array_size(value) > 0);
}

static void print_scalar(const json_t *value, struct buf *out)
{
    if (json_is_string(value))
        print_text((struct str){json_string_value(value), json_string_length(value)}, out);
    else
        json_print(value, JSON_STYLE_LINE, out); /* also {} and [] */
}

/* Starts at the current column; ends with a line end. */
static void print_block(const json_t *value, int depth, struct buf *out);

static void print_member(struct str key, const json_t *value, int depth, struct buf *out)
{
    bool is_long = key.len > KEY_MAX;

    buf_text(out, is_long ? "? " : "");
    print_text(key, out);
    if (is_long) {
        buf_char(out, '\n');
        print_indent(depth, out);
    }
    buf_text(out, is_block(value) ? ":\n" : ": ");
    if (is_block(value))
        print_indent(depth + 1, out);
    print_block(value, depth + 1, out);
}

static void print_object(const json_t *value, int depth, struct buf *out)
{
    json_t *object = (json_t *)value; /* jansson's iterators are not const */
    bool is_first = true;

    for (void *i = json_object_iter(object); i; i = json_object_iter_next(object, i)) {
        if (!is_first)
            print_indent(depth, out);
        is_first = false;
        print_member(str_of(json_object_iter_key(i)), json_object_iter_value(i), depth, out);
    }
}

static void print_list(const json_t *value, int depth, struct buf *out)
{
    for (size_t i = 0; i < json_array_size(value); i++) {
        if (i > 0)
            print_indent(depth, out);
        buf_text(out, "- ");
        print_block(json_array_get(value, i), depth + 1, out);
    }
}

static void print_block(const json_t *value, int depth, struct buf *out)
{
    must(depth <= JSON_DEPTH_MAX);
    if (!is_block(value)) {
        print_scalar(value, out);
        buf_char(out, '\n');
    } else if (json_is_object(value)) {
        print_object(value, depth, out);
    } else {
        print_list(value, depth, out);
    }
}

void yaml_print(const json_t *value, struct buf *out)
{
    print_block(value, 0, out);
}
