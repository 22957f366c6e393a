/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients with an address that is not loopback.  The program works in its own network
 * namespace, whose loopback device has a second address.  It is skipped if it cannot create
 * one.
 */
#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "request.h"

enum {
    SKIPPED = 77,
    PER_ADDRESS = 32, /* docs/security.md */
    CLIENTS = 2 * PER_ADDRESS,
    TEXT_MAX = 1024,
};

static const char other_address[] = "192.0.2.1";

static struct sockaddr_in address_of(const char *text, uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};

    assert_int_equal(inet_pton(AF_INET, text, &address.sin_addr), 1);
    return address;
}

static void set_address(int fd, const char *device, const char *text)
{
    struct sockaddr_in address = address_of(text, 0);
    struct ifreq request = {0};

    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", device);
    memcpy(&request.ifr_addr, &address, sizeof address);
    assert_int_equal(ioctl(fd, SIOCSIFADDR, &request), 0);
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    assert_int_equal(ioctl(fd, SIOCSIFFLAGS, &request), 0);
}

static bool enter_network(void)
{
    int fd;

    if (unshare(CLONE_NEWNET) != 0)
        return false;
    fd = socket(AF_INET, SOCK_DGRAM, 0);
    assert_true(fd >= 0);
    set_address(fd, "lo", "127.0.0.1");
    set_address(fd, "lo:1", other_address);
    close(fd);
    return true;
}

static struct server *start(void **state)
{
    struct world *world = *state;

    return server_start(
        world, &(struct server_start){.is_bare = true,
                                      .args = WORDS("--db", world->url, "--listen", "0.0.0.0:0",
                                                    "--grpc", "none", "--insecure")});
}

/* Both ends of the connection have the other address. */
static int connect_from_other(const struct server *d)
{
    struct sockaddr_in from = address_of(other_address, 0),
                       to = address_of(other_address, d->port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&from, sizeof from), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

/* Sends a request that keeps the connection open; returns the status of the answer. */
static int get_on(int fd, const char *token)
{
    char text[TEXT_MAX];
    int len = snprintf(text, sizeof text,
                       "GET /api/v1/schedules HTTP/1.1\r\nHost: localhost\r\n%s%s\r\n\r\n",
                       token ? "Authorization: Bearer " : "Accept: */*", token ? token : "");
    ssize_t n;

    if (send(fd, text, (size_t)len, MSG_NOSIGNAL) != len)
        return 0;
    n = recv(fd, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    return n > 12 ? atoi(text + 9) : 0;
}

static void close_all(const int *fds, int count)
{
    for (int i = 0; i < count; i++)
        close(fds[i]);
}

static void connections_with_a_token_do_not_count_against_their_address(void **state)
{
    struct server *d = start(state);
    char token[TEXT_MAX / 2];
    int fds[CLIENTS];

    snprintf(token, sizeof token, "%s",
             text_at(api(d, 201, "POST", "/api/v1/tokens",
                         "{'name':'a','role':'admin','namespace':'*'}"),
                     "token"));
    for (int i = 0; i < CLIENTS; i++) {
        fds[i] = connect_from_other(d);
        assert_int_equal(get_on(fds[i], token), 200);
    }
    close_all(fds, CLIENTS);
    assert_int_equal(server_stop(d), 0);
}

/* A further client is turned away before it sends a request. */
static void other_connections_count_against_their_address(void **state)
{
    struct server *d = start(state);
    int fds[PER_ADDRESS + 1];

    api(d, 201, "POST", "/api/v1/tokens", "{'name':'a','role':'admin','namespace':'*'}");
    for (int i = 0; i <= PER_ADDRESS; i++)
        fds[i] = connect_from_other(d);
    for (int i = 0; i < PER_ADDRESS; i++)
        assert_int_equal(get_on(fds[i], "wrong"), 401);
    assert_int_not_equal(get_on(fds[PER_ADDRESS], "wrong"), 401);
    close_all(fds, PER_ADDRESS + 1);
    assert_int_equal(server_stop(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(connections_with_a_token_do_not_count_against_their_address),
        E2E_TEST(other_connections_count_against_their_address),
    };

    if (!enter_network())
        return SKIPPED;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
