/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Repairs a copy of an invalid document error by error; see api/native/native_errors.h.
 */
#include "api/native/native_errors.h"

#include "base/must.h"

enum {
    PATH_MAX_STEPS = JSON_DEPTH_MAX,
    KEY_PLAIN_MAX = 32, /* bytes; errors do not name longer keys */
};

/* ---- paths ---- */

/* One step from a value to a value in it. */
struct step {
    json_t *in;
    char key[ERR_FIELD_MAX]; /* of an object */
    size_t index;            /* of an array  */
    const char *list;        /* name of the array, for its items */
};

/* As much of a path as exists in the document. */
struct path {
    struct step steps[PATH_MAX_STEPS];
    int count;
    json_t *end;      /* the value that the steps lead to       */
    const char *rest; /* what the path names in it, or ""       */
    const char *name; /* the last key                           */
};

/* A key may contain dots; the longest key that the path continues with is meant. */
static const char *find_key(const json_t *object, const char *path)
{
    const char *key, *found = NULL;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        size_t len = strlen(key);

        if (len < ERR_FIELD_MAX && strncmp(path, key, len) == 0 && len > 0 &&
            strchr(".[", path[len]) && (!found || len > strlen(found)))
            found = key;
    }
    return found;
}

static bool step_into_object(struct path *p)
{
    struct step *step = &p->steps[p->count];
    const char *key = find_key(p->end, p->rest);

    if (!key)
        return false;
    *step = (struct step){.in = p->end};
    memcpy(step->key, key, strlen(key) + 1);
    p->end = json_object_get(p->end, key);
    p->rest += strlen(key);
    p->name = step->key;
    return true;
}

static bool step_into_array(struct path *p)
{
    struct step *step = &p->steps[p->count];
    struct str rest = str_of(p->rest + 1);
    int64_t index;

    if (p->rest[0] != '[' || str_take_number(&rest, JSON_VALUES_MAX, &index) == 0 ||
        (size_t)index >= json_array_size(p->end))
        return false;
    *step = (struct step){.in = p->end, .index = (size_t)index, .list = p->name};
    p->end = json_array_get(p->end, (size_t)index);
    p->rest = rest.ptr + (rest.len > 0);
    return true;
}

static void find_path(json_t *document, const char *field, struct path *p)
{
    bool goes_on = true;

    *p = (struct path){.end = document, .rest = field, .name = ""};
    while (goes_on && p->rest[0] != '\0' && p->count < PATH_MAX_STEPS) {
        goes_on = json_is_object(p->end)  ? step_into_object(p)
                  : json_is_array(p->end) ? step_into_array(p)
                                          : false;
        p->count += goes_on;
        if (goes_on && p->rest[0] == '.')
            p->rest++;
    }
}

/* ---- valid values ---- */

struct valid {
    const char *name, *json;
};

/*
 * Values of required fields, and of fields that others are compared with: they must not lead
 * to errors that the document does not have.
 */
static const struct valid valid_members[] = {
    {"id", "\"x\""},
    {"action", "{\"type\":\"queue\",\"queue\":\"x\"}"},
    {"url", "\"http://x.invalid/\""},
    {"argv", "[\"/x\"]"},
    {"queue", "\"x\""},
    {"name", "\"x\""},
    {"expr", "\"@yearly\""},
    {"every", "\"365000d\""},
    {"from", "\"00:00\""},
    {"to", "\"00:01\""},
    {"gap", "\"skip\""},
    {"fold", "\"first\""},
    {"key", "\"x\""},
    {"limit", "1"},
    {"delay", "\"0s\""},
    {"max", "\"366d\""},
    {"for", "\"1d\""},
    {"expires", "\"9999-01-01T00:00:00Z\""},
};

static const struct valid valid_items[] = {
    {"cron", "\"@yearly\""},     {"calendars", "{}"}, {"intervals", "{\"every\":\"365000d\"}"},
    {"timesOfDay", "\"00:00\""}, {"at", "\"now\""},   {"dates", "\"2000-01-01\""},
    {"named", "\"x\""},          {"argv", "\"/x\""},
};

#define FIND_VALID(table, name) find_valid(table, sizeof(table) / sizeof(table)[0], name)

/* The caller owns the result; NULL: not in the table. */
static json_t *find_valid(const struct valid *table, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0) {
            json_t *value = json_loads(table[i].json, JSON_DECODE_ANY, NULL);

            must(value);
            return value;
        }
    return NULL;
}

/* ---- repairing ---- */

/* An error of `type` concerns the whole action: its type decides which fields are valid. */
static bool is_about_parent(const char *key)
{
    return strcmp(key, "type") == 0;
}

/* An expression and its dialect are replaced together: one is valid only with the other. */
static void repair_member(json_t *object, const char *key)
{
    json_t *valid = FIND_VALID(valid_members, key);

    if (strcmp(key, "dialect") == 0 || strcmp(key, "expr") == 0) {
        json_object_del(object, "dialect");
        json_put(object, "expr", FIND_VALID(valid_members, "expr"));
        json_decref(valid);
    } else if (valid) {
        json_put(object, key, valid);
    } else {
        json_object_del(object, key);
    }
}

/* Positions in the array must not change: further errors name them. */
static void repair_item(const struct step *step)
{
    json_t *valid = FIND_VALID(valid_items, step->list);

    must(json_array_set_new(step->in, step->index, valid ? valid : json_null()) == 0);
}

/* Errors name an object instead of its key if the key is not plain; removes such keys. */
static bool remove_odd_keys(json_t *object)
{
    size_t before = json_object_size(object);
    const char *key;
    json_t *value;
    void *next;

    json_object_foreach_safe(object, next, key, value)
    {
        bool is_plain = key[0] != '\0';

        for (const char *c = key; *c != '\0'; c++)
            is_plain = is_plain && (char_is_alpha(*c) || char_is_digit(*c) || *c == '_');
        if (!is_plain || strlen(key) > KEY_PLAIN_MAX)
            json_object_del(object, key);
    }
    return json_object_size(object) < before;
}

/* Repairs what the path names, or with `above` that many levels above it; false: cannot. */
static bool repair(json_t *document, const char *field, int above)
{
    struct path p;
    json_t *valid = NULL;
    int last;

    find_path(document, field, &p);
    if (p.rest[0] == '\0' && json_is_object(p.end) && remove_odd_keys(p.end))
        return true;
    if (p.rest[0] != '\0' && json_is_object(p.end) && above == 0) {
        valid = FIND_VALID(valid_members, p.rest);
        if (valid && !is_about_parent(p.rest)) {
            json_put(p.end, p.rest, valid);
            return true;
        }
        json_decref(valid);
    }
    last = p.count - 1 - above;
    if (last > 0 && json_is_object(p.steps[last].in) && is_about_parent(p.steps[last].key))
        last--;
    if (last < 0)
        return false;
    if (json_is_object(p.steps[last].in))
        repair_member(p.steps[last].in, p.steps[last].key);
    else
        repair_item(&p.steps[last]);
    return true;
}

/* ---- all errors ---- */

/* How often the field was in error before; a repair that did not help goes one level up. */
static int count_before(const struct native_errors *errors, const int *repeats,
                        const char *field)
{
    for (int i = 0; i < errors->count; i++)
        if (strcmp(errors->list[i].field, field) == 0)
            return 1 + repeats[i];
    return 0;
}

static void note_repeat(const struct native_errors *errors, int *repeats, const char *field)
{
    for (int i = 0; i < errors->count; i++)
        if (strcmp(errors->list[i].field, field) == 0)
            repeats[i]++;
}

struct native_errors native_errors_find(const struct call *call, const json_t *document,
                                        native_read_fn *read, const struct err *first,
                                        size_t *bytes)
{
    struct err list[NATIVE_ERRORS_MAX];
    int repeats[NATIVE_ERRORS_MAX] = {0};
    struct native_errors found = {.list = list};
    json_auto_t *copy = json_deep_copy(document);
    struct call reader = *call;
    size_t length = json_length(document);
    struct err err = *first;
    bool is_valid = false;

    must(copy);
    reader.arena = arena_new(CALL_ARENA_MAX);
    while (!is_valid && found.count < NATIVE_ERRORS_MAX && *bytes >= length) {
        int before = count_before(&found, repeats, err.field);

        if (before == 0)
            found.list[found.count++] = err;
        else
            note_repeat(&found, repeats, err.field);
        if (!repair(copy, err.field, before))
            break;
        *bytes -= length;
        is_valid = read(&reader, copy, &err) == RC_OK;
        arena_reset(reader.arena);
    }
    arena_free(reader.arena);
    if (found.count == 0)
        found.list[found.count++] = *first;
    found.list = arena_array(call->arena, (size_t)found.count, sizeof *found.list);
    memcpy(found.list, list, (size_t)found.count * sizeof *found.list);
    found.has_more = !is_valid && json_is_object(document);
    return found;
}
