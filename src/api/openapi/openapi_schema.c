/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expands the short forms of the JSON texts into JSON Schema, for answers and for requests.
 */
#include <stdio.h>
#include <string.h>

#include "api/openapi/openapi_parts.h"
#include "base/must.h"

enum { REF_MAX = 128 }; /* bytes of a reference */

static json_t *new_text(const char *text)
{
    return json_new_str(str_of(text));
}

/* Makes a full reference of "Schedule" or "parameters/limit"; `name` has `len` bytes. */
static json_t *make_ref(const json_t *both, const char *name, size_t len, bool is_input)
{
    bool has_input = is_input && json_object_getn(both, name, len);
    char ref[REF_MAX];

    snprintf(ref, sizeof ref, "#/components/%s%.*s%s", memchr(name, '/', len) ? "" : "schemas/",
             (int)len, name, has_input ? "Input" : "");
    return new_text(ref);
}

static json_t *new_ref(json_t *name)
{
    json_t *ref = json_new_object();

    json_put(ref, "$ref", name);
    return ref;
}

static json_t *new_null(void)
{
    json_t *null = json_new_object();

    json_put(null, "type", new_text("null"));
    return null;
}

static json_t *either(json_t *one, json_t *other)
{
    json_t *result = json_new_object(), *any = json_new_list();

    json_add(any, one);
    json_add(any, other);
    json_put(result, "anyOf", any);
    return result;
}

/* "#/components/schemas/Run" becomes "#/components/schemas/RunPart". */
static json_t *part_ref(const json_t *ref)
{
    char name[REF_MAX];

    snprintf(name, sizeof name, "%s" OPENAPI_PART, json_string_value(ref));
    return new_ref(new_text(name));
}

/*
 * {"$ref": "Window?", "description": …}: the question mark means "or null".  A tilde means "or
 * only the members that `fields` selects".
 */
static json_t *expand_ref(const json_t *both, const json_t *object, bool is_input)
{
    const char *name = json_string_value(json_object_get(object, "$ref"));
    const json_t *description = json_object_get(object, "description");
    size_t len = strlen(name);
    bool is_nullable = name[len - 1] == '?', is_selectable = name[len - 1] == '~';
    json_t *result = new_ref(make_ref(both, name, len - is_nullable - is_selectable, is_input));

    if (is_nullable)
        result = either(result, new_null());
    if (is_selectable)
        result = either(result, part_ref(json_object_get(result, "$ref")));
    if (description)
        json_put(result, "description", json_deep_copy(description));
    return result;
}

static json_t *expand_mapping(const json_t *both, const json_t *mapping, bool is_input)
{
    json_t *result = json_new_object();
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)mapping, key, value)
        json_put(result, key,
                 make_ref(both, json_string_value(value), json_string_length(value), is_input));
    return result;
}

static json_t *expand_object(const json_t *both, const json_t *object, bool is_input)
{
    json_t *result;
    const char *key;
    json_t *value;

    if (json_is_string(json_object_get(object, "$ref")))
        return expand_ref(both, object, is_input);
    result = json_new_object();
    json_object_foreach((json_t *)object, key, value)
    {
        bool is_mapping = strcmp(key, "mapping") == 0;
        bool is_example = strcmp(key, "example") == 0;

        json_put(result, key,
                 is_mapping   ? expand_mapping(both, value, is_input)
                 : is_example ? json_deep_copy(value)
                              : openapi_expand(both, value, is_input));
    }
    return result;
}

json_t *openapi_expand(const json_t *both, const json_t *value, bool is_input)
{
    const char *text = json_string_value(value);
    json_t *list;

    if (text && text[0] == '@')
        return openapi_term(text + 1);
    if (json_is_object(value))
        return expand_object(both, value, is_input);
    if (!json_is_array(value))
        return json_deep_copy(value);
    list = json_new_list();
    for (size_t i = 0; i < json_array_size(value); i++)
        json_add(list, openapi_expand(both, json_array_get(value, i), is_input));
    return list;
}

bool openapi_has_word(const json_t *list, const char *word)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strcmp(json_string_value(json_array_get(list, i)), word) == 0)
            return true;
    return false;
}

json_t *openapi_answer_schema(const json_t *both, const json_t *schema)
{
    const json_t *absent = json_object_get(schema, "absent");
    json_t *result = openapi_expand(both, schema, false), *required, *value;
    const char *key;

    json_object_del(result, "absent");
    json_object_del(result, "also");
    if (!json_object_get(result, "properties"))
        return result;
    required = json_new_list();
    json_object_foreach(json_object_get(result, "properties"), key,
                        value) if (!openapi_has_word(absent, key))
        json_add(required, new_text(key));
    json_put(result, "required", required);
    return result;
}

/* Whether `fields` can omit members of the schema, or of one that it extends. */
bool openapi_is_selectable(const json_t *schema)
{
    const json_t *all = json_object_get(schema, "allOf");

    for (size_t i = 0; i < json_array_size(all); i++)
        if (json_object_get(json_array_get(all, i), "x-always"))
            return true;
    return json_object_get(schema, "x-always") != NULL;
}

static void require_always(json_t *schema)
{
    json_t *always = json_object_get(schema, "x-always");

    if (always)
        json_put(schema, "required", json_deep_copy(always));
}

json_t *openapi_part_schema(const json_t *both, const json_t *schema)
{
    json_t *result = openapi_answer_schema(both, schema);
    json_t *all = json_object_get(result, "allOf");

    json_put(result, "description", new_text("The members that `fields` selects."));
    require_always(result);
    for (size_t i = 0; i < json_array_size(all); i++) {
        json_t *one = json_array_get(all, i), *ref = json_object_get(one, "$ref");

        require_always(one);
        if (ref)
            must(json_array_set_new(all, i, part_ref(ref)) == 0);
    }
    return result;
}

/* Read-only members are ignored in requests, so that an answer can be sent back unchanged. */
static json_t *ignored_schema(void)
{
    json_t *schema = json_new_object();

    json_put(schema, "description",
             new_text("Read-only; ignored in requests, so that an answer can be sent back."));
    return schema;
}

/* Requests may use other forms of the value. */
static json_t *any_of(json_t *schema, json_t *also)
{
    json_t *result = json_new_object(), *forms = json_new_list();

    json_add(forms, schema);
    must(json_array_extend(forms, also) == 0);
    json_decref(also);
    json_put(result, "anyOf", forms);
    return result;
}

/* Whether one of the forms of a value is null. */
static bool has_null(const json_t *forms)
{
    for (size_t i = 0; i < json_array_size(forms); i++) {
        const char *type = json_string_value(json_object_get(json_array_get(forms, i), "type"));

        if (type && strcmp(type, "null") == 0)
            return true;
    }
    return false;
}

static void allow_null(json_t *schema)
{
    json_t *type = json_object_get(schema, "type"), *words = json_object_get(schema, "enum");
    json_t *types = json_is_array(type) ? json_incref(type) : json_new_list();

    if (json_is_string(type))
        json_add(types, json_deep_copy(type));
    if (!openapi_has_word(types, "null"))
        json_add(types, new_text("null"));
    json_put(schema, "type", types);
    if (words && !json_is_null(json_array_get(words, json_array_size(words) - 1)))
        json_add(words, json_null());
}

/* In requests, null means the default.  `schema` is the schema of an optional member. */
static json_t *nullable(json_t *schema)
{
    json_t *forms = json_object_get(schema, "anyOf");

    forms = forms ? forms : json_object_get(schema, "oneOf");
    if (json_object_get(schema, "type") && !json_object_get(schema, "const")) {
        allow_null(schema);
    } else if (forms) {
        if (!has_null(forms))
            json_add(forms, new_null());
    } else if (json_object_get(schema, "$ref") || json_object_get(schema, "const")) {
        return either(json_incref(schema), new_null());
    }
    return json_incref(schema);
}

json_t *openapi_input_schema(const json_t *both, const json_t *schema)
{
    json_t *result = openapi_expand(both, schema, true), *properties, *also, *value;
    const char *key;
    void *next;

    json_object_del(result, "absent");
    json_object_del(result, "x-always");
    also = json_incref(json_object_get(result, "also"));
    json_object_del(result, "also");
    properties = json_object_get(result, "properties");
    json_object_foreach_safe(properties, next, key, value)
    {
        if (json_is_true(json_object_get(value, "readOnly")))
            json_put(properties, key, ignored_schema());
        else if (!openapi_has_word(json_object_get(result, "required"), key))
            json_put(properties, key, nullable(value));
    }
    if (properties)
        json_put(result, "additionalProperties", json_false());
    return also ? any_of(result, also) : result;
}
