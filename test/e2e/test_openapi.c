/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of /openapi.json as a client gets it.
 */
#include <sys/socket.h>

#include "request.h"

enum { REQUEST_MAX = 512, ANSWER_MAX = 1 << 20 };

/* The complete answer to a GET with further header fields. */
static const char *get_with(struct server *d, const char *fields, size_t *ret_len)
{
    static char answer[ANSWER_MAX];
    char request[REQUEST_MAX];
    int fd = request_connect(d);
    size_t len = 0;
    ssize_t n;

    snprintf(request, sizeof request,
             "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n",
             fields);
    assert_int_equal(send(fd, request, strlen(request), MSG_NOSIGNAL), strlen(request));
    while (len < ANSWER_MAX - 1 && (n = recv(fd, answer + len, ANSWER_MAX - 1 - len, 0)) > 0)
        len += (size_t)n;
    close(fd);
    answer[len] = '\0';
    *ret_len = len;
    return answer;
}

static void the_description_has_the_version_of_the_server(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *document = api(d, 200, "GET", "/openapi.json", NULL);
    const json_t *version = api(d, 200, "GET", "/version", NULL);

    assert_string_equal(text_at(document, "openapi"), "3.1.0");
    assert_string_equal(text_at(document, "info.version"), text_at(version, "version"));
    assert_int_equal(server_stop(d), 0);
}

static void an_etag_saves_a_second_download(void **state)
{
    struct server *d = server_start(*state, NULL);
    char fields[REQUEST_MAX], etag[64];
    const char *answer, *at;
    size_t len, whole;

    answer = get_with(d, "", &whole);
    at = strstr(answer, "ETag: ");
    assert_non_null(at);
    snprintf(etag, sizeof etag, "%.*s", (int)strcspn(at + 6, "\r"), at + 6);
    snprintf(fields, sizeof fields, "If-None-Match: %s\r\n", etag);
    answer = get_with(d, fields, &len);
    assert_int_equal(strncmp(answer, "HTTP/1.1 304 ", 13), 0);
    assert_non_null(strstr(answer, etag));
    assert_string_equal(strstr(answer, "\r\n\r\n"), "\r\n\r\n");
    answer = get_with(d, "Accept-Encoding: gzip\r\n", &len);
    assert_non_null(strstr(answer, "Content-Encoding: gzip"));
    assert_non_null(strstr(answer, etag));
    assert_true(len < whole / 4);
    assert_int_equal(server_stop(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(the_description_has_the_version_of_the_server),
        E2E_TEST(an_etag_saves_a_second_download),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
