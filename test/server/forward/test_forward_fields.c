/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Header fields on their way through Belfry: RFC 9110, 7.6.1, and the credentials of both
 * sides.
 */
#include "server/forward/forward_fields.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ROOM = 8 };

static struct arena *arena;
static struct http1_field room[ROOM];

static int make_arena(void **state)
{
    (void)state;
    arena = arena_new(1 << 20);
    return 0;
}

static int free_arena(void **state)
{
    (void)state;
    arena = arena_free(arena);
    return 0;
}

static const char *print_fields(int count)
{
    struct buf out = arena_buf(arena, 1024);

    for (int i = 0; i < count; i++)
        buf_printf(&out, "%.*s=%.*s ", STR_ARG(room[i].name), STR_ARG(room[i].value));
    return out.ptr;
}

/* As for gRPC. */
static int send_fields(const struct http1_request *request,
                       const struct upstream_settings *upstream, bool keeps_credentials)
{
    return forward_fields_request(
        request, &(struct forward_rules){upstream, keeps_credentials, true}, arena, room, ROOM);
}

static void connection_fields_and_credentials_stay(void **state)
{
    static const char *const names[] = {
        "Connection",
        "Content-Length",
        "Host",
        "Keep-Alive",
        "Expect",
        "Proxy-Connection",
        "TE",
        "Trailer",
        "Upgrade",
        "Transfer-Encoding",
        "HTTP2-Settings",
        "Authorization",
        "Authorization-Extras",
        "X-Authorization",
        "Proxy-Authorization",
        "Cookie",
        "grpc-encoding",
    };
    const struct upstream_settings upstream = {0};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct http1_request request = {.field_count = 2};

        request.fields[0] = (struct http1_field){str_of(names[i]), STR("secret")};
        request.fields[1] = (struct http1_field){STR("Client-Name"), STR("temporal-go")};
        assert_string_equal(print_fields(send_fields(&request, &upstream, false)),
                            "client-name=temporal-go te=trailers ");
    }
}

static void the_upstream_replaces_fields_of_the_client(void **state)
{
    struct pair pairs[] = {{STR("Authorization"), STR("Bearer up")}, {STR("X-A"), STR("up")}};
    const struct upstream_settings upstream = {.headers = {pairs, 2}};
    struct http1_request request = {.field_count = 2};

    (void)state;
    request.fields[0] = (struct http1_field){STR("authorization"), STR("Bearer client")};
    request.fields[1] = (struct http1_field){STR("x-a"), STR("client")};
    for (int keeps = 0; keeps < 2; keeps++)
        assert_string_equal(print_fields(send_fields(&request, &upstream, keeps)),
                            "authorization=Bearer up x-a=up te=trailers ");
}

static void credentials_pass_if_they_are_not_belfrys(void **state)
{
    const struct upstream_settings upstream = {0};
    struct http1_request request = {.field_count = 1};

    (void)state;
    request.fields[0] = (struct http1_field){STR("Authorization"), STR("Bearer client")};
    assert_string_equal(print_fields(send_fields(&request, &upstream, true)),
                        "authorization=Bearer client te=trailers ");
}

static void too_many_fields_are_rejected(void **state)
{
    const struct upstream_settings upstream = {0};
    struct http1_request request = {.field_count = ROOM};
    struct http1_field fields[ROOM + 1];

    (void)state;
    for (int i = 0; i <= ROOM; i++)
        fields[i] = (struct http1_field){STR("a"), STR("b")};
    assert_int_equal(send_fields(&request, &upstream, true), -1);
    assert_int_equal(forward_fields_answer(fields, ROOM, true, arena, room, ROOM), ROOM);
    assert_int_equal(forward_fields_answer(fields, ROOM + 1, true, arena, room, ROOM), -1);
}

static void an_answer_passes_without_connection_fields(void **state)
{
    const struct http1_field fields[] = {{STR("content-type"), STR("application/grpc")},
                                         {STR("content-length"), STR("5")},
                                         {STR("keep-alive"), STR("1")},
                                         {STR("grpc-encoding"), STR("gzip")},
                                         {STR("grpc-status-details-bin"), STR("AA")}};

    (void)state;
    assert_string_equal(print_fields(forward_fields_answer(fields, 5, true, arena, room, ROOM)),
                        "content-type=application/grpc grpc-encoding=gzip "
                        "grpc-status-details-bin=AA ");
}

#define WITH_ARENA(name) cmocka_unit_test_setup_teardown(name, make_arena, free_arena)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_ARENA(connection_fields_and_credentials_stay),
        WITH_ARENA(the_upstream_replaces_fields_of_the_client),
        WITH_ARENA(credentials_pass_if_they_are_not_belfrys),
        WITH_ARENA(too_many_fields_are_rejected),
        WITH_ARENA(an_answer_passes_without_connection_fields),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
