/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The web page over HTTP/1.1 and HTTP/2: complete answers with the fields that the server adds
 * to those of the operation (test/api/ui).  test_head.c has HEAD.
 */
#include "request.h"

#include <sys/socket.h>

#include "h2_client.h"

enum { ANSWER_BYTES = 512 * 1024, PATH_BYTES = 100 };

struct page {
    char text[ANSWER_BYTES];
    size_t len;
    const char *body;
};

/* The whole answer to a GET over HTTP/1.1. */
static void get_page(struct server *d, const char *path, const char *fields, struct page *ret)
{
    char head[500];
    int fd = request_connect(d);
    int len = snprintf(head, sizeof head,
                       "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n",
                       path, fields);
    ssize_t n;

    assert_int_equal(send(fd, head, (size_t)len, MSG_NOSIGNAL), len);
    ret->len = 0;
    while ((n = recv(fd, ret->text + ret->len, sizeof ret->text - 1 - ret->len, 0)) > 0)
        ret->len += (size_t)n;
    close(fd);
    ret->text[ret->len] = '\0';
    ret->body = strstr(ret->text, "\r\n\r\n");
    assert_non_null(ret->body);
    ret->body += 4;
}

static int count_in(const char *text, const char *end, const char *part)
{
    int count = 0;

    for (const char *at = strstr(text, part); at && at < end; at = strstr(at + 1, part))
        count++;
    return count;
}

/* The field is in the head, once. */
static void assert_field(const struct page *page, const char *field)
{
    if (count_in(page->text, page->body, field) != 1)
        fail_msg("%s: %d times in %s", field, count_in(page->text, page->body, field),
                 page->text);
}

static bool has_field(const struct page *page, const char *field)
{
    return count_in(page->text, page->body, field) > 0;
}

/* "/ui/SET/main.js", as the page names it. */
static void find_main(const struct page *index, char ret[PATH_BYTES])
{
    const char *at = strstr(index->body, "src=\"ui/"), *end;

    assert_non_null(at);
    at += strlen("src=\"");
    end = strchr(at, '"');
    assert_true(end - at < PATH_BYTES);
    snprintf(ret, PATH_BYTES, "/%.*s", (int)(end - at), at);
}

static void the_page_and_its_files_have_their_fields(void **state)
{
    static struct page page;
    struct server *d = server_start(*state, NULL);
    char path[PATH_BYTES];

    get_page(d, "/", "", &page);
    assert_field(&page, "HTTP/1.1 200 OK\r\n");
    assert_field(&page, "\r\nContent-Security-Policy: default-src 'none'; script-src 'self'; ");
    assert_field(&page, "\r\nX-Content-Type-Options: nosniff\r\n");
    assert_field(&page, "\r\nReferrer-Policy: no-referrer\r\n");
    assert_field(&page, "\r\nCross-Origin-Opener-Policy: same-origin\r\n");
    assert_field(&page, "\r\nCache-Control: no-cache\r\n");
    assert_field(&page, "\r\nETag: W/\"");
    assert_field(&page, "\r\nVary: ");
    assert_false(has_field(&page, "Set-Cookie"));
    find_main(&page, path);

    get_page(d, path, "Accept-Encoding: gzip\r\n", &page);
    assert_field(&page, "HTTP/1.1 200 OK\r\n");
    assert_field(&page, "\r\nContent-Type: text/javascript; charset=utf-8\r\n");
    assert_field(&page, "\r\nCache-Control: public, max-age=31536000, immutable\r\n");
    assert_field(&page, "\r\nContent-Encoding: gzip\r\n");
    assert_field(&page, "\r\nVary: Accept-Encoding\r\n");
    assert_memory_equal(page.body, "\x1f\x8b", 2);

    get_page(d, path, "", &page);
    assert_false(has_field(&page, "Content-Encoding"));
    assert_field(&page, "\r\nVary: Accept-Encoding\r\n");
    assert_non_null(strstr(page.body, "import "));
    assert_int_equal(server_stop(d), 0);
}

/* A page that was loaded before an upgrade asks for files of the set before. */
static void files_of_another_version_are_404_and_not_stored(void **state)
{
    static struct page page;
    struct server *d = server_start(*state, NULL);

    get_page(d, "/ui/0123456789abcdef/main.js", "Accept-Encoding: gzip\r\n", &page);
    assert_field(&page, "HTTP/1.1 404 Not Found\r\n");
    assert_field(&page, "\r\nCache-Control: no-store\r\n");
    assert_false(has_field(&page, "immutable"));
    assert_int_equal(server_stop(d), 0);
}

static void the_page_is_served_over_http_2(void **state)
{
    static struct page page;
    struct server *d = server_start(*state, NULL);
    char path[PATH_BYTES];
    struct h2c_answer *index, *file;
    struct h2c *h;

    get_page(d, "/", "", &page);
    find_main(&page, path);
    h = h2c_open(request_connect(d));
    index = h2c_ask(
        h, &(struct h2c_request){.method = "GET", .path = "/", .authority = "localhost"});
    file = h2c_ask(h, &(struct h2c_request){.method = "GET",
                                            .path = path,
                                            .authority = "localhost",
                                            .name = "accept-encoding",
                                            .value = "gzip"});
    h2c_await(h, index);
    h2c_await(h, file);
    assert_int_equal(index->body_len, page.len - (size_t)(page.body - page.text));
    assert_memory_equal(index->body, page.body, index->body_len);
    assert_non_null(strstr(index->head, ":status: 200\n"));
    assert_non_null(strstr(index->head, "\ncontent-security-policy: default-src 'none'; "));
    assert_non_null(strstr(file->head, "\ncontent-encoding: gzip\n"));
    assert_non_null(
        strstr(file->head, "\ncache-control: public, max-age=31536000, immutable\n"));
    assert_memory_equal(file->body, "\x1f\x8b", 2);
    h2c_close(h);
    assert_int_equal(server_stop(d), 0);
}

static void a_server_without_the_page_answers_404(void **state)
{
    static struct page page;
    struct server *d = server_start(*state,
                                    &(struct server_start){.args = WORDS("--page=false")});

    get_page(d, "/", "", &page);
    assert_field(&page, "HTTP/1.1 404 Not Found\r\n");
    assert_field(&page, "\r\nCache-Control: no-store\r\n");
    assert_int_equal(server_stop(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(the_page_and_its_files_have_their_fields),
        E2E_TEST(files_of_another_version_are_404_and_not_stored),
        E2E_TEST(the_page_is_served_over_http_2),
        E2E_TEST(a_server_without_the_page_answers_404),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
