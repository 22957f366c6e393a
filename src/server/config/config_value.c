/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads, prints and copies values by the type of their key.
 */
#include "server/config/config_value.h"

#include <inttypes.h>

#include "core/time/text.h"

/* The text for an empty list. */
#define NONE "none"

static void *value_of(const struct config_key *key, struct config *config)
{
    return (char *)config + key->at;
}

static const void *const_value_of(const struct config_key *key, const struct config *config)
{
    return (const char *)config + key->at;
}

static enum rc check_text(const struct config_key *key, struct str text, struct err *reterr)
{
    if (!str_is_utf8(text))
        return err_set(reterr, RC_INVALID, 0, (int)text.len, "invalid UTF-8");
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7f)
            return err_set(reterr, RC_INVALID, (int)i, 1, "control character is not allowed");
    if ((int64_t)text.len < key->min || (int64_t)text.len > key->max)
        return err_set(reterr, RC_INVALID, 0, (int)text.len,
                       "must have %" PRId64 " to %" PRId64 " bytes", key->min, key->max);
    return key->check && text.len > 0 ? key->check(text, reterr) : RC_OK;
}

static enum rc read_text(const struct config_key *key, struct str text, struct config *config,
                         struct err *reterr)
{
    struct str *to = value_of(key, config);
    enum rc rc = check_text(key, text, reterr);

    if (rc == RC_OK)
        *to = arena_str(config->arena, text);
    return rc;
}

static enum rc read_choice(const struct config_key *key, struct str text, struct config *config,
                           struct err *reterr)
{
    int *to = value_of(key, config), i = 0;
    char names[100];
    struct buf list = BUF(names);

    for (; key->choices[i]; i++) {
        if (str_eq(text, str_of(key->choices[i]))) {
            *to = i;
            return RC_OK;
        }
        buf_printf(&list, "%s%s",
                   i == 0                ? ""
                   : key->choices[i + 1] ? ", "
                                         : " or ",
                   key->choices[i]);
    }
    return err_set(reterr, RC_INVALID, 0, (int)text.len, "must be %s", names);
}

static enum rc read_bool(const struct config_key *key, struct str text, struct config *config,
                         struct err *reterr)
{
    static const char *const words[][2] = {
        {"false", "true"}, {"off", "on"}, {"no", "yes"}, {"0", "1"}};
    bool *to = value_of(key, config);

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        bool is_true = str_eq_nocase(text, str_of(words[i][1]));

        if (is_true || str_eq_nocase(text, str_of(words[i][0]))) {
            *to = is_true;
            return RC_OK;
        }
    }
    return err_set(reterr, RC_INVALID, 0, (int)text.len, "must be true or false");
}

static enum rc read_int(const struct config_key *key, struct str text, struct config *config,
                        struct err *reterr)
{
    int *to = value_of(key, config);
    struct str rest = text;
    int64_t number = 0;

    if (str_take_number(&rest, key->max, &number) == 0 || rest.len > 0 || number < key->min ||
        number > key->max)
        return err_set(reterr, RC_INVALID, 0, (int)text.len,
                       "must be a whole number from %" PRId64 " to %" PRId64, key->min,
                       key->max);
    *to = (int)number;
    return RC_OK;
}

static enum rc read_span(const struct config_key *key, struct str text, struct config *config,
                         struct err *reterr)
{
    char min_text[DURATION_TEXT_MAX], max_text[DURATION_TEXT_MAX];
    struct buf min = BUF(min_text), max = BUF(max_text);
    span *to = value_of(key, config), value = 0;
    enum rc rc = duration_parse(text, &value, reterr);

    if (rc != RC_OK)
        return rc;
    if (value < key->min || value > key->max) {
        duration_format(key->min, &min);
        duration_format(key->max, &max);
        return err_set(reterr, RC_INVALID, 0, (int)text.len, "must be from %s to %s", min_text,
                       max_text);
    }
    *to = value;
    return RC_OK;
}

/* Returns the next item of a comma-separated list; *ret_at is its position in `text`. */
static bool next_item(struct str text, size_t *at, struct str *ret, size_t *ret_at)
{
    struct str item, rest;

    if (*at > text.len)
        return false;
    rest = str_from(text, *at);
    if (!str_cut(rest, ',', &item, &rest))
        item = str_from(text, *at);
    *at += item.len + 1;
    *ret = str_trim(item);
    *ret_at = (size_t)(ret->ptr - text.ptr);
    return true;
}

static enum rc item_failed(struct err *reterr, size_t at)
{
    reterr->at += (int)at;
    return reterr->rc;
}

static enum rc read_addresses(const struct config_key *key, struct str text,
                              struct config *config, struct err *reterr)
{
    struct config_addresses *to = value_of(key, config), list = {.count = 0};
    size_t at = 0, item_at;
    struct str item;

    while (!str_eq(text, STR(NONE)) && next_item(text, &at, &item, &item_at))
        if (config_address_add(item, &list, reterr) != RC_OK)
            return item_failed(reterr, item_at);
    *to = list;
    return RC_OK;
}

static enum rc read_texts(const struct config_key *key, struct str text, struct config *config,
                          struct err *reterr)
{
    struct config_texts *to = value_of(key, config);
    struct str list[CONFIG_TEXTS_MAX], *kept, item;
    size_t at = 0, item_at;
    int count = 0;

    while (!str_eq(text, STR(NONE)) && next_item(text, &at, &item, &item_at)) {
        if (check_text(key, item, reterr) != RC_OK)
            return item_failed(reterr, item_at);
        if (count == CONFIG_TEXTS_MAX)
            return err_set(reterr, RC_LIMIT, (int)item_at, (int)item.len,
                           "too many items; the limit is %d", CONFIG_TEXTS_MAX);
        list[count++] = item;
    }
    kept = arena_array(config->arena, (size_t)count, sizeof *kept);
    for (int i = 0; i < count; i++)
        kept[i] = arena_str(config->arena, list[i]);
    *to = (struct config_texts){kept, count};
    return RC_OK;
}

enum rc config_value_read(const struct config_key *key, struct str text, struct config *config,
                          struct err *reterr)
{
    static enum rc (*const read[])(const struct config_key *, struct str, struct config *,
                                   struct err *) = {
        [CONFIG_TYPE_TEXT] = read_text,
        [CONFIG_TYPE_PATH] = read_text,
        [CONFIG_TYPE_CHOICE] = read_choice,
        [CONFIG_TYPE_BOOL] = read_bool,
        [CONFIG_TYPE_INT] = read_int,
        [CONFIG_TYPE_SPAN] = read_span,
        [CONFIG_TYPE_ADDRESSES] = read_addresses,
        [CONFIG_TYPE_TEXTS] = read_texts,
    };

    if (text.len > CONFIG_VALUE_MAX)
        return err_set(reterr, RC_LIMIT, 0, 1, "value is too long; the limit is %d bytes",
                       CONFIG_VALUE_MAX);
    return read[key->type](key, text, config, reterr);
}

void config_value_copy(const struct config_key *key, struct config *to,
                       const struct config *from)
{
    static const size_t sizes[] = {
        [CONFIG_TYPE_TEXT] = sizeof(struct str),
        [CONFIG_TYPE_PATH] = sizeof(struct str),
        [CONFIG_TYPE_CHOICE] = sizeof(int),
        [CONFIG_TYPE_BOOL] = sizeof(bool),
        [CONFIG_TYPE_INT] = sizeof(int),
        [CONFIG_TYPE_SPAN] = sizeof(span),
        [CONFIG_TYPE_ADDRESSES] = sizeof(struct config_addresses),
        [CONFIG_TYPE_TEXTS] = sizeof(struct config_texts),
    };

    memcpy(value_of(key, to), const_value_of(key, from), sizes[key->type]);
}

static void write_addresses(const struct config_addresses *list, struct buf *out)
{
    for (int i = 0; i < list->count; i++) {
        buf_text(out, i > 0 ? ", " : "");
        config_address_format(&list->list[i], out);
    }
    if (list->count == 0)
        buf_text(out, NONE);
}

static void write_texts(const struct config_texts *list, struct buf *out)
{
    for (int i = 0; i < list->count; i++) {
        buf_text(out, i > 0 ? ", " : "");
        buf_str(out, list->list[i]);
    }
    if (list->count == 0)
        buf_text(out, NONE);
}

void config_value_write(const struct config_key *key, const struct config *config,
                        struct buf *out)
{
    const void *from = const_value_of(key, config);

    switch (key->type) {
    case CONFIG_TYPE_TEXT:
    case CONFIG_TYPE_PATH:
        buf_str(out, *(const struct str *)from);
        break;
    case CONFIG_TYPE_CHOICE:
        buf_text(out, key->choices[*(const int *)from]);
        break;
    case CONFIG_TYPE_BOOL:
        buf_text(out, *(const bool *)from ? "true" : "false");
        break;
    case CONFIG_TYPE_INT:
        buf_printf(out, "%d", *(const int *)from);
        break;
    case CONFIG_TYPE_SPAN:
        duration_format(*(const span *)from, out);
        break;
    case CONFIG_TYPE_ADDRESSES:
        write_addresses(from, out);
        break;
    case CONFIG_TYPE_TEXTS:
        write_texts(from, out);
        break;
    }
}
