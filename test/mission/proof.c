/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the tests that the lists name: in the source of the test files, and in the JSON files
 * that Meson writes about its tests and targets.
 */
#include "proof.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 4096, TITLE_BYTES = 512 };

struct proofs {
    struct arena *arena;
    const char *root;
    json_t *tests;   /* [{"name", "depends": [id]}]                      */
    json_t *targets; /* [{"id", "target_sources": [{"sources": [path]}]}] */
};

static json_t *load_json(const char *build, const char *name)
{
    char path[PATH_BYTES];
    json_error_t error;
    json_t *json;

    snprintf(path, sizeof path, "%s/meson-info/%s", build, name);
    json = json_load_file(path, 0, &error);
    if (!json)
        printf("%s: %s\n", path, error.text);
    return json;
}

struct proofs *proofs_open(struct arena *arena, const char *root, const char *build)
{
    struct proofs *proofs = arena_take(arena, sizeof *proofs);

    *proofs = (struct proofs){arena, root, load_json(build, "intro-tests.json"),
                              load_json(build, "intro-targets.json")};
    return proofs->tests && proofs->targets ? proofs : proofs_close(proofs);
}

struct proofs *proofs_close(struct proofs *proofs)
{
    if (proofs) {
        json_decref(proofs->tests);
        json_decref(proofs->targets);
    }
    return NULL;
}

/* True if a Meson test has this name or, if `whole` is false, a name that begins with it. */
static bool meson_has(const struct proofs *proofs, const char *name, bool whole)
{
    size_t i, len = strlen(name);
    json_t *test;

    json_array_foreach(proofs->tests, i, test)
    {
        const char *got = json_string_value(json_object_get(test, "name"));

        if (got && strncmp(got, name, len) == 0 && (!whole || got[len] == '\0'))
            return true;
    }
    return false;
}

static bool meson_runs(const struct proofs *proofs, const char *target)
{
    size_t i, j;
    json_t *test, *id;

    json_array_foreach(proofs->tests, i, test)
    {
        json_array_foreach(json_object_get(test, "depends"), j, id)
        {
            if (json_string_value(id) && strcmp(json_string_value(id), target) == 0)
                return true;
        }
    }
    return false;
}

/* True if the absolute `path` ends in `file`, a path from the root of the tree. */
static bool is_file(const json_t *path, const char *file)
{
    const char *text = json_string_value(path);
    size_t len = text ? strlen(text) : 0, n = strlen(file);

    return len > n && text[len - n - 1] == '/' && strcmp(text + len - n, file) == 0;
}

static bool target_has(const json_t *target, const char *file)
{
    size_t i, j;
    json_t *sources, *path;

    json_array_foreach(json_object_get(target, "target_sources"), i, sources)
    {
        json_array_foreach(json_object_get(sources, "sources"), j, path)
        {
            if (is_file(path, file))
                return true;
        }
    }
    return false;
}

static bool program_is_run(const struct proofs *proofs, const char *file)
{
    size_t i;
    json_t *target;

    json_array_foreach(proofs->targets, i, target)
    {
        const char *id = json_string_value(json_object_get(target, "id"));

        if (id && target_has(target, file) && meson_runs(proofs, id))
            return true;
    }
    return false;
}

/* Overwrites comments with blanks, so that a case that is commented out is not found. */
static void blank_comments(char *text)
{
    for (char *from = strstr(text, "/*"); from; from = strstr(from, "/*")) {
        char *end = strstr(from + 2, "*/");

        end = end ? end + 2 : from + strlen(from);
        memset(from, ' ', (size_t)(end - from));
    }
}

/* True if a list of cases contains the case, as MACRO(name) or MACRO(name, ...). */
static bool is_listed(char *text, const char *name)
{
    size_t len = strlen(name);

    for (char *list = strstr(text, "struct CMUnitTest"); list;
         list = strstr(list, "struct CMUnitTest")) {
        char *end = strstr(list, "};");

        blank_comments(list);
        list += strlen("struct CMUnitTest");
        for (char *at = strstr(list, name); at && end && at < end; at = strstr(at + 1, name))
            if (at[-1] == '(' && (at[len] == ')' || at[len] == ','))
                return true;
    }
    return false;
}

static const char *problem_with_c(const struct proofs *proofs, const struct test_ref *ref)
{
    char *text = file_text(proofs->arena, proofs->root, ref->path);

    if (!text)
        return "file not found";
    if (!is_listed(text, ref->name))
        return "this case is not in the case list of the file";
    return program_is_run(proofs, ref->path) ? NULL : "no Meson test runs this file";
}

/* True if the file contains test('TITLE', with any of the three quotes. */
static bool has_title(const char *text, const char *title)
{
    char call[TITLE_BYTES];

    for (const char *quote = "'\"`"; *quote != '\0'; quote++) {
        snprintf(call, sizeof call, "test(%c%s%c", *quote, title, *quote);
        if (strstr(text, call))
            return true;
    }
    return false;
}

/* For test/clients/X/F.test.mjs: the Meson test clients/X exists, and its runner names F. */
static bool script_is_run(const struct proofs *proofs, const char *path)
{
    static const char *const runners[] = {"%.*s/run", "%.*s/meson.build", "test/clients/run"};
    const char *slash = strrchr(path, '/');
    int folder = (int)(slash - path);
    char name[PATH_BYTES];

    snprintf(name, sizeof name, "%.*s", folder - 5, path + 5); /* without test/ */
    if (!meson_has(proofs, name, false))
        return false;
    for (size_t i = 0; i < sizeof runners / sizeof runners[0]; i++) {
        char *text;

        if (runners[i][0] == '%')
            snprintf(name, sizeof name, "%.*s%s", folder, path, runners[i] + 4);
        else
            snprintf(name, sizeof name, "%s", runners[i]);
        text = file_text(proofs->arena, proofs->root, name);
        if (text && (strstr(text, slash + 1) || strstr(text, "*.test.mjs")))
            return true;
    }
    return false;
}

static const char *problem_with_script(const struct proofs *proofs, const struct test_ref *ref)
{
    char *text = file_text(proofs->arena, proofs->root, ref->path);

    if (!text)
        return "file not found";
    if (!has_title(text, ref->name))
        return "the file has no test with this title";
    return script_is_run(proofs, ref->path) ? NULL : "no Meson test runs this file";
}

static const char *problem_with(const struct proofs *proofs, const struct test_ref *ref)
{
    size_t len = ref->path ? strlen(ref->path) : 0;

    if (!ref->path)
        return meson_has(proofs, ref->name, true) ? NULL : "no Meson test has this name";
    if (len > 2 && strcmp(ref->path + len - 2, ".c") == 0)
        return problem_with_c(proofs, ref);
    return problem_with_script(proofs, ref);
}

int proofs_check(const struct proofs *proofs, const struct table *table)
{
    int found = 0;

    for (const struct promise *promise = table->promises; promise; promise = promise->next)
        for (const struct test_ref *ref = promise->tests; ref; ref = ref->next) {
            const char *problem = problem_with(proofs, ref);

            if (problem)
                found += print_finding(table->file, ref->line, "%s%s%s: %s",
                                       ref->path ? ref->path : "", ref->path ? ":" : "",
                                       ref->name, problem);
        }
    return found;
}
