/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and prints JSON objects by tables of members; see model/member.h.
 */
#include "model/member.h"

#include <inttypes.h>

#include "base/must.h"
#include "core/time/text.h"
#include "model/json_time.h"

/* Reading. */

static enum rc take_bool(const json_t *value, bool *to, struct err *reterr)
{
    if (!json_is_boolean(value))
        return json_wrong_type(value, "true or false", reterr);
    *to = json_is_true(value);
    return RC_OK;
}

static enum rc take_choice(const struct member *m, const json_t *value, bool *to,
                           struct err *reterr)
{
    struct str s;

    if (json_take_str(value, MEMBER_WORD_MAX, &s, reterr) != RC_OK)
        return reterr->rc;
    for (int i = 0; i < 2; i++)
        if (str_eq(s, str_of(m->words[i]))) {
            *to = i == 1;
            return RC_OK;
        }
    return err_set(reterr, RC_INVALID, 0, (int)s.len, "`%.*s` is not known; use `%s` or `%s`",
                   STR_ARG(s), m->words[0], m->words[1]);
}

static enum rc take_word(const struct member *m, const json_t *value, void *to,
                         struct err *reterr)
{
    struct str s;
    enum rc rc = json_take_str(value, MEMBER_WORD_MAX, &s, reterr);

    return rc == RC_OK ? m->parse(s, to, reterr) : rc;
}

static enum rc take_int(const struct member *m, const json_t *value, int64_t *ret,
                        struct err *reterr)
{
    int64_t n = json_integer_value(value);

    if (!json_is_integer(value))
        return json_is_real(value)
                   ? err_set(reterr, RC_INVALID, -1, 0, "must be a whole number")
                   : json_wrong_type(value, "a whole number", reterr);
    if ((n < m->low || n > m->high) && !(m->or_zero && n == 0))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "must be %sbetween %" PRId64 " and %" PRId64 ", not %" PRId64,
                       m->or_zero ? "0 or " : "", m->low, m->high, n);
    *ret = n;
    return RC_OK;
}

static enum rc take_int32(const struct member *m, const json_t *value, int32_t *to,
                          struct err *reterr)
{
    int64_t n;
    enum rc rc = take_int(m, value, &n, reterr);

    if (rc == RC_OK)
        *to = (int32_t)n;
    return rc;
}

static enum rc take_span(const struct member *m, const json_t *value, span *to,
                         struct err *reterr)
{
    char texts[3][DURATION_TEXT_MAX];
    struct buf low = BUF(texts[0]), high = BUF(texts[1]), wrong = BUF(texts[2]);
    span d;

    if (json_take_duration(value, &d, reterr) != RC_OK)
        return reterr->rc;
    if ((d >= m->low && d <= m->high) || (m->or_zero && d == 0)) {
        *to = d;
        return RC_OK;
    }
    duration_format(m->low, &low);
    duration_format(m->high, &high);
    duration_format(d, &wrong);
    return err_set(reterr, RC_INVALID, 0, (int)json_string_length(value),
                   "must be %sbetween %s and %s, not %s", m->or_zero ? "0s or " : "", low.ptr,
                   high.ptr, wrong.ptr);
}

enum rc json_take_kept(const json_t *value, int max, struct arena *arena, struct str *ret,
                       struct err *reterr)
{
    struct str s;
    enum rc rc = json_take_str(value, max, &s, reterr);

    if (rc == RC_OK && memchr(s.ptr, '\0', s.len))
        return err_set(reterr, RC_INVALID, -1, 0, "a text must not contain a zero byte");
    if (rc == RC_OK)
        *ret = arena_str(arena, s);
    return rc;
}

static enum rc take_text(const struct member *m, const json_t *value, struct arena *arena,
                         struct str *to, struct err *reterr)
{
    struct str s;
    enum rc rc = json_take_kept(value, (int)m->high, arena, &s, reterr);

    if (rc == RC_OK && m->check)
        rc = m->check(s, reterr);
    if (rc == RC_OK)
        *to = s;
    return rc;
}

enum rc member_read_text(const struct member *m, const json_t *object, struct arena *arena,
                         struct str *ret, struct err *reterr)
{
    const json_t *value = json_object_get(object, m->name);
    struct str s = {json_string_value(value), json_string_length(value)};

    *ret = (struct str){NULL, 0};
    if (!value || json_is_null(value) || (json_is_string(value) && str_trim(s).len == 0))
        return RC_OK;
    if (take_text(m, value, arena, ret, reterr) == RC_OK)
        return RC_OK;
    return err_in(reterr, "%s", m->name);
}

enum rc json_keep(const json_t *value, size_t max, struct arena *arena, struct str *ret,
                  struct err *reterr)
{
    size_t len = json_length(value);
    struct buf out = {.cap = len + 1};

    must(len > 0);
    if (len > max)
        return err_set(reterr, RC_LIMIT, -1, 0, "has %zu bytes as JSON; the limit is %zu", len,
                       max);
    out.ptr = arena_take_raw(arena, out.cap);
    json_print(value, JSON_STYLE_LINE, &out);
    *ret = buf_as_str(&out);
    return RC_OK;
}

enum rc json_keep_map(const json_t *value, size_t max, struct arena *arena, struct str *ret,
                      struct err *reterr)
{
    if (!json_is_object(value))
        return json_wrong_type(value, "an object", reterr);
    if (json_object_size(value) == 0) {
        *ret = (struct str){0};
        return RC_OK;
    }
    return json_keep(value, max, arena, ret, reterr);
}

static enum rc read_member(const struct member *m, const json_t *value, const struct reading *r,
                           struct err *reterr);

struct list_reading {
    const struct member *m;
    const struct reading *r;
    char *items;
};

static enum rc take_item(const json_t *value, int i, void *to, struct err *reterr)
{
    const struct list_reading *list = to;
    struct reading r = *list->r;

    r.to = list->items + (size_t)i * list->m->size;
    return read_member(list->m->item, value, &r, reterr);
}

static enum rc take_list(const struct member *m, const json_t *value, const struct reading *r,
                         struct err *reterr)
{
    struct list_reading list = {.m = m, .r = r};
    bool is_one = m->or_one && json_is_string(value);
    int count = 1;
    enum rc rc = is_one ? RC_OK : json_take_count(value, (int)m->high, &count, reterr);

    if (rc != RC_OK)
        return rc;
    list.items = arena_array(r->arena, (size_t)count, m->size);
    memcpy((char *)r->to + m->offset, &list.items, sizeof list.items);
    memcpy((char *)r->to + m->count, &count, sizeof count);
    return is_one ? take_item(value, 0, &list, reterr)
                  : json_take_items(value, take_item, &list, reterr);
}

static enum rc read_member(const struct member *m, const json_t *value, const struct reading *r,
                           struct err *reterr)
{
    void *to = (char *)r->to + m->offset;

    if (m->read)
        return m->read(value, r, reterr);
    switch (m->kind) {
    case MEMBER_BOOL:
        return take_bool(value, to, reterr);
    case MEMBER_CHOICE:
        return take_choice(m, value, to, reterr);
    case MEMBER_WORD:
        return take_word(m, value, to, reterr);
    case MEMBER_INT32:
        return take_int32(m, value, to, reterr);
    case MEMBER_INT64:
        return take_int(m, value, to, reterr);
    case MEMBER_SPAN:
        return take_span(m, value, to, reterr);
    case MEMBER_INSTANT:
        return json_take_instant(value, to, reterr);
    case MEMBER_TIME:
        return json_take_time_of_day(value, to, reterr);
    case MEMBER_DATE:
        return json_take_date(value, to, reterr);
    case MEMBER_LIST:
        return take_list(m, value, r, reterr);
    case MEMBER_TEXT:
        return take_text(m, value, r->arena, to, reterr);
    case MEMBER_JSON:
        return json_keep(value, (size_t)m->high, r->arena, to, reterr);
    case MEMBER_MAP:
        return json_keep_map(value, (size_t)m->high, r->arena, to, reterr);
    case MEMBER_OBJECT:
        return members_read(m->members, value, r, reterr);
    case MEMBER_OTHER:
        break;
    }
    must(false); /* a MEMBER_OTHER has a function */
    return RC_INVALID;
}

static enum rc check_names(const struct members *members, const json_t *value,
                           struct err *reterr)
{
    const char *names[MEMBERS_MAX];

    must(members->count <= MEMBERS_MAX);
    for (int i = 0; i < members->count; i++)
        names[i] = members->list[i].name;
    return json_check_names(value, names, members->count, reterr);
}

/* members->count: no member has that name. */
static int find_member(const struct members *members, struct str key)
{
    for (int i = 0; i < members->count; i++) {
        const char *name = members->list[i].name;

        if (name[0] == key.ptr[0] && str_eq(str_of(name), key))
            return i;
    }
    return members->count;
}

/* Finds the field of each member, NULL if absent.  False: the object has other fields too. */
static bool find_fields(const struct members *members, const json_t *value,
                        const json_t *fields[MEMBERS_MAX])
{
    json_t *object = (json_t *)(uintptr_t)value; /* the iterators do not change it */
    bool are_all_known = true;

    must(members->count <= MEMBERS_MAX);
    for (void *i = json_object_iter(object); i; i = json_object_iter_next(object, i)) {
        struct str key = {json_object_iter_key(i), json_object_iter_key_len(i)};
        int n = find_member(members, key);

        if (n < members->count)
            fields[n] = json_object_iter_value(i);
        else
            are_all_known = false;
    }
    return are_all_known;
}

enum rc members_read(const struct members *members, const json_t *value,
                     const struct reading *r, struct err *reterr)
{
    const json_t *fields[MEMBERS_MAX] = {0};
    enum rc rc = RC_OK;

    if (!json_is_object(value))
        return json_wrong_type(value, "an object", reterr);
    if (!find_fields(members, value, fields) && !r->is_lenient)
        rc = check_names(members, value, reterr);
    for (int i = 0; i < members->count && rc == RC_OK; i++) {
        const struct member *m = &members->list[i];
        const json_t *field = fields[i];

        if (field && !json_is_null(field)) {
            rc = read_member(m, field, r, reterr);
            if (rc != RC_OK)
                err_in(reterr, "%s", m->name);
        } else if (m->is_required) {
            rc = json_require(value, m->name, reterr);
        }
    }
    return rc;
}

/* Printing. */

json_t *json_of_word(const char *word)
{
    return json_new_str(str_of(word));
}

json_t *json_of_text(struct str s)
{
    return s.len > 0 ? json_new_str(s) : json_null();
}

json_t *json_of_moment(instant t)
{
    return t == INSTANT_NONE || t == INSTANT_NEVER ? json_null() : json_of_instant(t);
}

static json_t *parse_kept(struct str text)
{
    json_t *value = json_of_kept(text);

    must(value != NULL);
    return value;
}

static bool is_none(const struct member *m, int64_t value)
{
    return m->has_none && value == m->none;
}

static json_t *int_json(const struct member *m, int64_t n)
{
    return is_none(m, n) ? json_null() : json_new_int(n);
}

static json_t *span_json(const struct member *m, span d)
{
    return is_none(m, d) ? json_null() : json_of_duration(d);
}

static json_t *instant_json(const struct member *m, instant t)
{
    return is_none(m, t) ? json_null() : json_of_instant(t);
}

static json_t *text_json(const struct member *m, struct str s)
{
    if (m->has_none && s.len == 0)
        return json_null();
    if (m->kind == MEMBER_MAP)
        return s.len == 0 ? json_new_object() : parse_kept(s);
    return m->kind == MEMBER_TEXT ? json_new_str(s) : parse_kept(s);
}

static json_t *print_member(const struct member *m, const void *from, const void *initial,
                            enum spec_form form);

int member_items(const struct member *m, const void *from, const char **ret)
{
    int count;

    memcpy(ret, (const char *)from + m->offset, sizeof *ret);
    memcpy(&count, (const char *)from + m->count, sizeof count);
    return count;
}

static json_t *list_json(const struct member *m, const void *from, enum spec_form form)
{
    json_t *list = json_new_list();
    const char *items;
    int count = member_items(m, from, &items);

    for (int i = 0; i < count; i++)
        json_add(list, print_member(m->item, items + (size_t)i * m->size, m->initial, form));
    return list;
}

static json_t *object_json(const struct member *m, const void *from, const void *initial,
                           enum spec_form form)
{
    const struct str *at = (const void *)((const char *)from + m->offset);
    struct str brief = m->brief && form == SPEC_BRIEF ? m->brief(from) : (struct str){0};

    if (m->has_none && at->len == 0)
        return json_null();
    return brief.len > 0 ? json_new_str(brief) : members_print(m->members, from, initial, form);
}

static json_t *print_member(const struct member *m, const void *from, const void *initial,
                            enum spec_form form)
{
    const void *at = (const char *)from + m->offset;

    switch (m->kind) {
    case MEMBER_BOOL:
        return json_boolean(*(const bool *)at);
    case MEMBER_CHOICE:
        return json_of_word(m->words[*(const bool *)at ? 1 : 0]);
    case MEMBER_WORD:
        return json_of_word(m->text(at));
    case MEMBER_INT32:
        return int_json(m, *(const int32_t *)at);
    case MEMBER_INT64:
        return int_json(m, *(const int64_t *)at);
    case MEMBER_SPAN:
        return span_json(m, *(const span *)at);
    case MEMBER_INSTANT:
        return instant_json(m, *(const instant *)at);
    case MEMBER_TEXT:
    case MEMBER_JSON:
    case MEMBER_MAP:
        return text_json(m, *(const struct str *)at);
    case MEMBER_OBJECT:
        return object_json(m, from, initial, form);
    case MEMBER_TIME:
        return json_of_time_of_day(*(const int32_t *)at);
    case MEMBER_DATE:
        return json_of_date(*(const int32_t *)at);
    case MEMBER_LIST:
        return list_json(m, from, form);
    case MEMBER_OTHER:
        break;
    }
    return m->print ? m->print(from, form) : NULL;
}

/* Shown regardless of its value. */
static bool is_always_shown(const struct member *m, enum spec_form form)
{
    return m->show == SHOW_ALWAYS || (m->show == SHOW_FULL && form == SPEC_FULL);
}

static bool are_initial(const struct members *members, const void *from, const void *initial)
{
    for (int i = 0; i < members->count; i++)
        if (!member_is_initial(&members->list[i], from, initial))
            return false;
    return true;
}

bool member_is_initial(const struct member *m, const void *from, const void *initial)
{
    const void *at = (const char *)from + m->offset;
    const void *expected = (const char *)initial + m->offset;
    const char *items;

    switch (m->kind) {
    case MEMBER_BOOL:
    case MEMBER_CHOICE:
        return *(const bool *)at == *(const bool *)expected;
    case MEMBER_WORD:
        return m->text(at) == m->text(expected);
    case MEMBER_INT32:
    case MEMBER_TIME:
    case MEMBER_DATE:
        return *(const int32_t *)at == *(const int32_t *)expected;
    case MEMBER_INT64:
    case MEMBER_SPAN:
    case MEMBER_INSTANT:
        return *(const int64_t *)at == *(const int64_t *)expected;
    case MEMBER_TEXT:
    case MEMBER_JSON:
    case MEMBER_MAP:
        return str_eq(*(const struct str *)at, *(const struct str *)expected);
    case MEMBER_OBJECT:
        if (m->has_none &&
            ((const struct str *)at)->len + ((const struct str *)expected)->len == 0)
            return true;
        return are_initial(m->members, from, initial);
    case MEMBER_LIST:
        return member_items(m, from, &items) + member_items(m, initial, &items) == 0;
    case MEMBER_OTHER:
        break;
    }
    return m->size > 0 && memcmp(at, expected, m->size) == 0;
}

static bool is_shown(const struct member *m, const json_t *value, const void *initial,
                     enum spec_form form)
{
    json_auto_t *initial_value = NULL;

    if (is_always_shown(m, form))
        return true;
    initial_value = print_member(m, initial, initial, form);
    return !initial_value || !json_equal(value, initial_value);
}

json_t *members_print(const struct members *members, const void *from, const void *initial,
                      enum spec_form form)
{
    json_t *object = json_new_object();

    for (int i = 0; i < members->count; i++) {
        const struct member *m = &members->list[i];
        json_t *value;

        if (!is_always_shown(m, form) && member_is_initial(m, from, initial))
            continue;
        value = print_member(m, from, initial, form);
        if (value && is_shown(m, value, initial, form))
            json_put(object, m->name, value);
        else
            json_decref(value);
    }
    return object;
}

/* Names. */

enum rc name_check(struct str s, struct err *reterr)
{
    if (s.len == 0)
        return err_set(reterr, RC_INVALID, -1, 0, "is empty; write a name");
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        unsigned char before = i > 0 ? (unsigned char)s.ptr[i - 1] : 0;

        /* U+0080 to U+009F are control characters as well. */
        if (c < 0x20 || c == 0x7f || (before == 0xc2 && c < 0xa0))
            return err_set(reterr, RC_INVALID, (int)i, 1,
                           "contains a control character; remove it");
    }
    return RC_OK;
}

enum rc path_name_check(struct str s, struct err *reterr)
{
    if (str_eq(s, STR(".")) || str_eq(s, STR("..")))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "must not be `%.*s`: a URL path cannot name it; use another name",
                       STR_ARG(s));
    return name_check(s, reterr);
}
