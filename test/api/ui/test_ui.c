/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The web page and its files: their form, header fields and paths, with every file of ui/.
 */
#include "world.h"

#include <stdlib.h>

#include "api/ui/ui_parts.h"
#include "wire/gunzip.h"

enum { FILE_BYTES_MAX = 1 << 20, PATH_BYTES = 200 };

#define GZIP "Accept-Encoding: gzip\r\n"

/* As browsers must enforce it; the test of the page in a browser needs every word of it. */
static const char policy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

static char bytes[FILE_BYTES_MAX];

/* The content of ui/NAME. */
static struct str source_of(const char *name)
{
    char path[PATH_BYTES];
    size_t len;
    FILE *f;

    snprintf(path, sizeof path, "ui/%s", name);
    f = fopen(path, "rb");
    if (!f)
        fail_msg("%s does not exist", path);
    len = fread(bytes, 1, sizeof bytes, f);
    assert_true(len < sizeof bytes);
    fclose(f);
    return (struct str){bytes, len};
}

static int ask_file(const char *set, const char *name, const char *fields)
{
    world.may_be_text = true;
    return ask(js("GET /ui/%s/%s", set, name), fields, NULL);
}

static void assert_guarded(void)
{
    assert_string_equal(field("Content-Security-Policy"), policy);
    assert_string_equal(field("Cross-Origin-Opener-Policy"), "same-origin");
    assert_string_equal(field("Referrer-Policy"), "no-referrer");
    assert_string_equal(field("Vary"), "Accept-Encoding");
}

/* By the end of the name, from the registry of media types. */
static const char *expected_type(const char *name)
{
    static const char *const types[][2] = {{".js", "text/javascript; charset=utf-8"},
                                           {".css", "text/css; charset=utf-8"},
                                           {".html", "text/html; charset=utf-8"},
                                           {".txt", "text/plain; charset=utf-8"},
                                           {".svg", "image/svg+xml"}};

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (strcmp(strrchr(name, '.'), types[i][0]) == 0)
            return types[i][1];
    fail_msg("%s has no media type", name);
    return NULL;
}

static void assert_content(const char *name)
{
    struct str source = source_of(name);

    if (!str_eq(world.call.answer, source))
        fail_msg("the bytes of %s differ", name);
}

static void every_file_is_served_as_it_is(void **state)
{
    (void)state;
    assert_true(ui_gzipped_count > 10);
    for (int i = 0; i < ui_gzipped_count; i++) {
        const char *name = ui_files[i].name;

        if (strcmp(name, "index.html") == 0)
            continue;
        assert_int_equal(ask_file(ui_set, name, NULL), 200);
        assert_content(name);
        assert_guarded();
        assert_string_equal(world.call.content_type, expected_type(name));
        assert_string_equal(field("Content-Encoding"), "");
        assert_string_equal(field("Cache-Control"), "public, max-age=31536000, immutable");
    }
}

static void a_client_that_accepts_gzip_gets_the_compressed_bytes(void **state)
{
    struct buf plain = {.ptr = malloc(FILE_BYTES_MAX), .cap = FILE_BYTES_MAX};

    (void)state;
    for (int i = 0; i < ui_gzipped_count; i++) {
        const char *name = ui_files[i].name;

        if (strcmp(name, "index.html") == 0)
            continue;
        assert_int_equal(ask_file(ui_set, name, GZIP), 200);
        assert_string_equal(field("Content-Encoding"), "gzip");
        assert_string_equal(field("Vary"), "Accept-Encoding");
        assert_ptr_equal(world.call.answer.ptr, ui_gzipped[i].ptr); /* not copied */
        plain.len = 0;
        assert_int_equal(gunzip(world.call.answer, &plain), GUNZIP_DONE);
        world.call.answer = buf_as_str(&plain);
        assert_content(name);
    }
    free(plain.ptr);
}

static void the_page_names_the_files_of_its_set(void **state)
{
    char main_js[PATH_BYTES], style[PATH_BYTES];

    (void)state;
    world.may_be_text = true;
    snprintf(main_js, sizeof main_js, "src=\"ui/%s/main.js\"", ui_set);
    snprintf(style, sizeof style, "href=\"ui/%s/style.css\"", ui_set);
    assert_int_equal(get("/"), 200);
    assert_non_null(
        memmem(world.call.answer.ptr, world.call.answer.len, main_js, strlen(main_js)));
    assert_non_null(memmem(world.call.answer.ptr, world.call.answer.len, style, strlen(style)));
    assert_null(memmem(world.call.answer.ptr, world.call.answer.len, "%SET%", 5));
    assert_string_equal(world.call.content_type, "text/html; charset=utf-8");
    assert_string_equal(field("Cache-Control"), "no-cache");
    assert_guarded();
}

static void an_unchanged_page_is_304(void **state)
{
    char etag[64];

    (void)state;
    world.may_be_text = true;
    assert_int_equal(get("/"), 200);
    snprintf(etag, sizeof etag, "%s", field("ETag"));
    assert_int_equal(ask("GET /", js("If-None-Match: %s\r\n", etag), NULL), 304);
    assert_int_equal(world.call.answer.len, 0);
    assert_string_equal(field("ETag"), etag);
    assert_guarded(); /* caches renew the fields of the page */
    assert_string_equal(world.call.content_type, "text/html; charset=utf-8");
    assert_int_equal(ask("GET /", "If-None-Match: W/\"0\"\r\n", NULL), 200);
}

/* A missing file of a set is not stored by caches: it may exist after an upgrade. */
static void other_paths_are_404(void **state)
{
    static const char *const names[] = {
        "main.j",           "main.jsx",      "lib/main.js",        "index.html",
        "vendor/lock.json", "lib%2Fmain.js", "vendor/preact.js/x", "",
    };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (ask_file(ui_set, names[i], NULL) != 404)
            fail_msg("%s is not 404", names[i]);
        assert_string_equal(field("Cache-Control"), "");
    }
    assert_int_equal(ask_file("0000000000000000", "main.js", NULL), 404);
    assert_string_equal(field("Cache-Control"), "");
    assert_int_equal(get("/ui"), 404);
    assert_int_equal(get("/ui/"), 404);
    assert_int_equal(get("//"), 404);
    assert_int_equal(post("/", NULL), 405);
}

static void a_server_without_a_page_has_none(void **state)
{
    (void)state;
    world.context.has_no_page = true;
    assert_refused(get("/"), 404, "not_found", "");
    assert_refused(ask_file(ui_set, "main.js", NULL), 404, "not_found", "");
    assert_refused(ask_file(ui_set, "vendor/htm.js", NULL), 404, "not_found", "");
}

/* Before any token, and for clients that would need one. */
static void the_page_needs_no_token(void **state)
{
    (void)state;
    world.checks_tokens = world.is_remote = world.may_be_text = true;
    assert_int_equal(get("/"), 200);
    assert_int_equal(ask_file(ui_set, "main.js", NULL), 200);
    assert_int_equal(get("/api/v1/schedules"), 401);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(every_file_is_served_as_it_is),
        API_TEST(a_client_that_accepts_gzip_gets_the_compressed_bytes),
        API_TEST(the_page_names_the_files_of_its_set),
        API_TEST(an_unchanged_page_is_304),
        API_TEST(other_paths_are_404),
        API_TEST(a_server_without_a_page_has_none),
        API_TEST(the_page_needs_no_token),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
