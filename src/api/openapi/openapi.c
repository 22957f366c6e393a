/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the OpenAPI document from the table of operations and the JSON texts of this folder,
 * and answers GET /openapi.json.
 */
#include "api/openapi/openapi.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/access/roles.h"
#include "api/call/request.h"
#include "api/openapi/openapi_parts.h"
#include "base/hash.h"
#include "base/must.h"

enum {
    DOCUMENT_MAX = 1 << 20, /* bytes: several times its size                           */
    NAME_TEXT_MAX = 64,     /* bytes of the name of an operation, a schema or a header */
};

/* The document while it is built, and parts of it. */
struct builder {
    json_t *document, *paths, *schemas, *tags;
    json_t *files;      /* all but the first                                             */
    json_t *both;       /* schemas for both answers and requests, as in the texts        */
    json_t *operations; /* the texts of operations, by id; each with the tag of its file */
};

static json_t *new_text(const char *text)
{
    return json_new_str(str_of(text));
}

static json_t *new_pair(const char *key, json_t *value)
{
    json_t *object = json_new_object();

    json_put(object, key, value);
    return object;
}

static json_t *read_text(int i)
{
    json_t *json = NULL;
    struct err err = {.text = ""};

    must(json_read(openapi_texts[i], &json, &err) == RC_OK);
    return json;
}

/* ---- schemas ---- */

static void add_answer_schema(struct builder *m, const char *name, const json_t *schema)
{
    char part[NAME_TEXT_MAX];

    json_put(m->schemas, name, openapi_answer_schema(m->both, schema));
    if (!openapi_is_selectable(schema))
        return;
    snprintf(part, sizeof part, "%s" OPENAPI_PART, name);
    json_put(m->schemas, part, openapi_part_schema(m->both, schema));
}

static void add_schemas(struct builder *m, const json_t *file)
{
    char name[NAME_TEXT_MAX];
    const char *key;
    json_t *schema;

    json_object_foreach(json_object_get(file, "answers"), key, schema)
        add_answer_schema(m, key, schema);
    json_object_foreach(json_object_get(file, "inputs"), key, schema)
        json_put(m->schemas, key, openapi_input_schema(m->both, schema));
    json_object_foreach(json_object_get(file, "both"), key, schema)
    {
        add_answer_schema(m, key, schema);
        snprintf(name, sizeof name, "%sInput", key);
        json_put(m->schemas, name, openapi_input_schema(m->both, schema));
    }
}

/* A name becomes {"$ref": …}; a schema is expanded. */
static json_t *make_schema(const struct builder *m, const json_t *schema, bool is_input)
{
    json_auto_t *ref = json_is_string(schema) ? new_pair("$ref", json_deep_copy(schema)) : NULL;

    return openapi_expand(m->both, ref ? ref : schema, is_input);
}

/* {"application/json": {"schema": …, "example": …}} */
static json_t *make_content(const struct builder *m, const json_t *text, bool is_input)
{
    const char *type = json_string_value(json_object_get(text, "type"));
    const json_t *example = json_object_get(text, "example");
    json_t *media = new_pair("schema",
                             make_schema(m, json_object_get(text, "schema"), is_input));

    if (example)
        json_put(media, "example", json_deep_copy(example));
    return new_pair(type ? type : "application/json", media);
}

/* ---- one operation ---- */

static void add_ref(json_t *list, const char *kind, const char *name)
{
    char ref[NAME_TEXT_MAX * 2];

    snprintf(ref, sizeof ref, "#/components/%s/%s", kind, name);
    json_add(list, new_pair("$ref", new_text(ref)));
}

/* An empty text means the default; a number, a time or a list cannot be empty. */
static bool may_be_empty(const json_t *parameter)
{
    const json_t *schema = json_object_get(parameter, "schema");
    const char *type = json_string_value(json_object_get(schema, "type"));
    const char *ref = json_string_value(json_object_get(schema, "$ref"));

    return type ? strcmp(type, "string") == 0 || strcmp(type, "boolean") == 0
                : ref && strcmp(ref, "Instant") != 0;
}

/* The variables of the path, the namespace, the other query parameters, the header fields. */
static json_t *make_parameters(const struct builder *m, const struct operation *op,
                               const json_t *text)
{
    const json_t *query = json_object_get(text, "query");
    const json_t *headers = json_object_get(text, "headers");
    json_t *list = json_new_list();

    for (const char *at = strchr(op->path, '{'); at; at = strchr(at + 1, '{')) {
        char name[NAME_TEXT_MAX];

        snprintf(name, sizeof name, "path-%.*s", (int)strcspn(at + 1, "}"), at + 1);
        add_ref(list, "parameters", name);
    }
    if (op->right != RIGHT_NONE && op->right != RIGHT_SERVER)
        add_ref(list, "parameters", "namespace");
    for (size_t i = 0; i < json_array_size(query); i++) {
        const json_t *one = json_array_get(query, i);
        json_t *parameter;

        if (json_is_string(one)) {
            add_ref(list, "parameters", json_string_value(one));
            continue;
        }
        parameter = openapi_expand(m->both, one, false);
        json_put(parameter, "in", new_text("query"));
        if (may_be_empty(one))
            json_put(parameter, "allowEmptyValue", json_true());
        json_add(list, parameter);
    }
    for (size_t i = 0; i < json_array_size(headers); i++)
        add_ref(list, "parameters", json_string_value(json_array_get(headers, i)));
    return list;
}

static json_t *make_headers(const json_t *names)
{
    json_t *headers = json_new_object();

    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        char ref[NAME_TEXT_MAX * 2];

        snprintf(ref, sizeof ref, "#/components/headers/%s", name);
        json_put(headers, name, new_pair("$ref", new_text(ref)));
    }
    return headers;
}

static json_t *make_answer(const struct builder *m, const json_t *text)
{
    const json_t *headers = json_object_get(text, "headers");
    const json_t *more = json_object_get(text, "more");
    json_t *answer = new_pair("description",
                              json_deep_copy(json_object_get(text, "description")));

    if (headers)
        json_put(answer, "headers", make_headers(headers));
    if (json_object_get(text, "schema"))
        json_put(answer, "content", make_content(m, text, false));
    for (size_t i = 0; i < json_array_size(more); i++) {
        json_auto_t *other = make_content(m, json_array_get(more, i), false);

        must(json_object_update(json_object_get(answer, "content"), other) == 0);
    }
    return answer;
}

static void add_problem(json_t *answers, int status)
{
    char name[NAME_TEXT_MAX], ref[NAME_TEXT_MAX];

    snprintf(name, sizeof name, "%d", status);
    snprintf(ref, sizeof ref, "#/components/responses/%d", status);
    json_put(answers, name, new_pair("$ref", new_text(ref)));
}

/* The errors that all operations of this kind have, and those that only this one has. */
static void add_problems(json_t *answers, const struct operation *op, const json_t *more)
{
    static const int all[] = {400, 403}, guarded[] = {401, 404, 422, 429, 503},
                     sent[] = {413, 415};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        add_problem(answers, all[i]);
    for (size_t i = 0; op->right != RIGHT_NONE && i < sizeof guarded / sizeof guarded[0]; i++)
        add_problem(answers, guarded[i]);
    for (size_t i = 0; op->body_max > 0 && i < sizeof sent / sizeof sent[0]; i++)
        add_problem(answers, sent[i]);
    for (size_t i = 0; i < json_array_size(more); i++)
        add_problem(answers, (int)json_integer_value(json_array_get(more, i)));
}

static json_t *make_answers(const struct builder *m, const struct operation *op,
                            const json_t *text)
{
    json_t *answers = json_new_object();
    const char *status;
    json_t *one;

    json_object_foreach(json_object_get(text, "answers"), status, one)
        json_put(answers, status, make_answer(m, one));
    add_problems(answers, op, json_object_get(text, "problems"));
    return answers;
}

static json_t *make_body(const struct builder *m, const struct operation *op,
                         const json_t *text)
{
    const json_t *body = json_object_get(text, "body");
    json_t *result = json_new_object();

    json_put(result, "required",
             json_is_false(json_object_get(body, "required")) ? json_false() : json_true());
    json_put(result, "content", make_content(m, body, true));
    json_put(result, "x-max-bytes", json_new_int(op->body_max));
    return result;
}

static void put_rights(json_t *json, const struct operation *op)
{
    static const char *const words[RIGHT_COUNT] = {
        [RIGHT_NONE] = "none",     [RIGHT_VIEW] = "view", [RIGHT_OPERATE] = "operate",
        [RIGHT_EDIT] = "edit",     [RIGHT_WORK] = "work", [RIGHT_ADMIN] = "admin",
        [RIGHT_SERVER] = "server",
    };
    json_t *security = json_new_list();

    if (op->right != RIGHT_NONE) {
        json_add(security, new_pair("bearer", json_new_list()));
        json_put(json, "x-roles", new_text(right_roles(op->right)));
    }
    json_put(json, "security", security);
    json_put(json, "x-right", new_text(words[op->right]));
}

static json_t *make_operation(const struct builder *m, const struct operation *op)
{
    const json_t *text = json_object_get(m->operations, op->id);
    const json_t *description = json_object_get(text, "description");
    json_t *json = new_pair("operationId", new_text(op->id));
    json_t *tags = json_new_list();

    if (json_object_get(text, "tag"))
        json_add(tags, json_deep_copy(json_object_get(text, "tag")));
    json_put(json, "tags", tags);
    json_put(json, "summary", new_text(op->summary));
    if (description)
        json_put(json, "description", json_deep_copy(description));
    put_rights(json, op);
    json_put(json, "parameters", make_parameters(m, op, text));
    if (json_object_get(text, "body"))
        json_put(json, "requestBody", make_body(m, op, text));
    json_put(json, "responses", make_answers(m, op, text));
    return json;
}

/* ---- the document ---- */

static void put_operation(struct builder *m, const struct operation *op)
{
    json_t *path = json_object_get(m->paths, op->path);
    char method[NAME_TEXT_MAX];

    snprintf(method, sizeof method, "%s", op->method);
    for (char *c = method; *c != '\0'; c++)
        *c = (char)(*c | 0x20); /* to lower case, as OpenAPI requires */
    if (!path) {
        path = json_new_object();
        json_put(m->paths, op->path, path);
    }
    json_put(path, method, make_operation(m, op));
}

/* Adds the tag of a file, its schemas for `both`, and its operations with the tag. */
static void add_file(struct builder *m, const json_t *file)
{
    const json_t *tag = json_object_get(file, "tag");
    json_t *both = json_object_get(file, "both"), *text;
    const char *id;

    json_add(m->tags, json_deep_copy(tag));
    if (both)
        must(json_object_update(m->both, both) == 0);
    json_object_foreach(json_object_get(file, "operations"), id, text)
    {
        json_t *copy = json_deep_copy(text);

        json_put(copy, "tag", json_deep_copy(json_object_get(tag, "name")));
        json_put(m->operations, id, copy);
    }
}

static struct builder read_files(void)
{
    struct builder m = {.document = read_text(0),
                        .paths = json_new_object(),
                        .schemas = json_new_object(),
                        .tags = json_new_list(),
                        .files = json_new_list(),
                        .both = json_new_object(),
                        .operations = json_new_object()};

    for (int i = 1; i < openapi_texts_count; i++) {
        json_add(m.files, read_text(i));
        add_file(&m, json_array_get(m.files, (size_t)i - 1));
    }
    return m;
}

/* Adds schemas, operations, tags and the version to the document. */
static void complete_document(struct builder *m, const char *version)
{
    json_t *document, *components;

    for (size_t i = 0; i < json_array_size(m->files); i++)
        add_schemas(m, json_array_get(m->files, i));
    for (int i = 0; i < operation_count; i++)
        if (operations[i].dialect == DIALECTS_NATIVE) /* the others are documented elsewhere */
            put_operation(m, &operations[i]);
    document = openapi_expand(m->both, m->document, false);
    json_decref(m->document);
    m->document = document;
    components = json_object_get(document, "components");
    must(json_object_update(m->schemas, json_object_get(components, "schemas")) == 0);
    json_put(components, "schemas", m->schemas);
    json_put(json_object_get(document, "info"), "version", new_text(version));
    json_put(document, "tags", m->tags);
    json_put(document, "paths", m->paths);
}

struct openapi openapi_make(const char *version, struct arena *arena)
{
    struct buf out = {.ptr = arena_take(arena, DOCUMENT_MAX), .cap = DOCUMENT_MAX};
    struct buf etag = {.ptr = arena_take(arena, NAME_TEXT_MAX), .cap = NAME_TEXT_MAX};
    struct builder m = read_files();

    complete_document(&m, version);
    json_print(m.document, JSON_STYLE_LINE, &out);
    must(!out.cut);
    buf_printf(&etag, "W/\"%016" PRIx64 "\"", hash_bytes(out.ptr, out.len, 0));
    json_decref(m.document);
    json_decref(m.files);
    json_decref(m.both);
    json_decref(m.operations);
    return (struct openapi){buf_as_str(&out), buf_as_str(&etag)};
}

/* ---- the operation ---- */

enum call_step openapi_begin(struct call *call)
{
    const struct openapi *openapi = call->context->openapi;

    call_field(call, STR("ETag"), openapi->etag);
    if (request_has_etag(call, openapi->etag))
        return call_answer(call, 304, (struct str){NULL, 0});
    return call_answer(call, 200, openapi->json);
}
