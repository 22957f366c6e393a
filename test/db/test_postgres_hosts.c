/* SPDX-License-Identifier: Apache-2.0 */
/*
 * URLs with several hosts, of which some do not answer, stay silent or reset connections.
 */
#include "harness.h"

#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "db/hosts.h"

enum { FAILURES_MAX = 8, FILLERS = 4 };

/* What the callback of struct db_hosts got. */
struct failures {
    int count;
    char host[FAILURES_MAX][64], why[FAILURES_MAX][256];
};

/* Three hosts that cannot be used. */
struct bad_hosts {
    int silent, gone, resetting; /* listeners */
    int fillers[FILLERS];
    int ports[3];
    pid_t resetter;
};

static void note(void *arg, const char *host, const char *why)
{
    struct failures *seen = arg;

    assert_true(seen->count < FAILURES_MAX);
    snprintf(seen->host[seen->count], sizeof seen->host[0], "%s", host);
    snprintf(seen->why[seen->count], sizeof seen->why[0], "%s", why);
    seen->count++;
}

static int listen_on_loopback(int backlog, struct sockaddr_in *ret)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    socklen_t len = sizeof *ret;

    *ret = (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    assert_int_equal(bind(fd, (struct sockaddr *)ret, len), 0);
    assert_int_equal(listen(fd, backlog), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)ret, &len), 0);
    return fd;
}

/* Resets every connection. */
static pid_t start_resetter(int fd)
{
    const struct linger reset = {.l_onoff = 1};
    pid_t pid = fork();

    assert_true(pid >= 0);
    while (pid == 0) {
        int client = accept(fd, NULL, NULL);

        if (client < 0)
            _exit(1);
        (void)setsockopt(client, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        close(client);
    }
    return pid;
}

static void start_bad_hosts(struct bad_hosts *bad)
{
    struct sockaddr_in silent, gone, resetting;

    bad->silent = listen_on_loopback(8, &silent);
    bad->gone = listen_on_loopback(0, &gone);
    bad->resetting = listen_on_loopback(8, &resetting);
    bad->resetter = start_resetter(bad->resetting);
    /* The kernel ignores connections while the backlog is full, as if the host were gone. */
    for (int i = 0; i < FILLERS; i++) {
        bad->fillers[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        (void)connect(bad->fillers[i], (const struct sockaddr *)&gone, sizeof gone);
    }
    bad->ports[0] = ntohs(silent.sin_port);
    bad->ports[1] = ntohs(gone.sin_port);
    bad->ports[2] = ntohs(resetting.sin_port);
}

static void stop_bad_hosts(struct bad_hosts *bad)
{
    assert_int_equal(kill(bad->resetter, SIGKILL), 0);
    assert_int_equal(waitpid(bad->resetter, NULL, 0), bad->resetter);
    for (int i = 0; i < FILLERS; i++)
        close(bad->fillers[i]);
    close(bad->silent);
    close(bad->gone);
    close(bad->resetting);
}

/* The directory of the server's socket, from the URL of with_postgres.sh. */
static const char *directory_of(const struct fixture *f)
{
    const char *at = strstr(f->url, "host=");

    assert_non_null(at);
    return at + strlen("host=");
}

static void check_failure(const struct failures *seen, int i, int port, const char *why)
{
    char host[64];

    snprintf(host, sizeof host, "127.0.0.1:%d", port);
    assert_string_equal(seen->host[i], host);
    assert_non_null(strstr(seen->why[i], why));
}

static void each_host_has_a_deadline_of_its_own(void **state)
{
    struct fixture *f = *state;
    struct bad_hosts bad;
    struct failures seen = {0};
    struct db_hosts hosts = {.failed = note, .arg = &seen};
    struct db_options options = {.hosts = &hosts};
    struct db *db = NULL;
    char url[512];

    start_bad_hosts(&bad);
    snprintf(url, sizeof url,
             "postgres:///postgres?user=belfry&host=127.0.0.1,127.0.0.1,127.0.0.1,%s"
             "&port=%d,%d,%d,5432&sslmode=disable&gssencmode=disable",
             directory_of(f), bad.ports[0], bad.ports[1], bad.ports[2]);
    OK(db_open(url, &options, &db, err));
    db_close(db);
    assert_int_equal(seen.count, 3);
    check_failure(&seen, 0, bad.ports[0], "no answer from PostgreSQL within 2000 ms");
    check_failure(&seen, 1, bad.ports[1], "no answer from PostgreSQL within 2000 ms");
    check_failure(&seen, 2, bad.ports[2], "cannot connect to PostgreSQL");
    assert_int_equal(hosts.preferred, 3);

    /* The next connection begins with the host that answered. */
    options.readonly = true;
    OK(db_open(url, &options, &db, err));
    db_close(db);
    assert_int_equal(seen.count, 3);
    stop_bad_hosts(&bad);
}

static void connect_timeout_is_the_deadline_of_each_host(void **state)
{
    struct bad_hosts bad;
    struct failures seen = {0};
    struct db_hosts hosts = {.failed = note, .arg = &seen, .preferred = 1};
    struct db *db = NULL;
    char url[512];

    (void)state;
    start_bad_hosts(&bad);
    snprintf(url, sizeof url,
             "postgres://belfry@127.0.0.1:%d,127.0.0.1:%d/postgres"
             "?sslmode=disable&gssencmode=disable&connect_timeout=3",
             bad.ports[0], bad.ports[1]);
    REFUSED(db_open(url, &(struct db_options){.hosts = &hosts}, &db, err), RC_BUSY,
            "none of the 2 database hosts");
    assert_int_equal(seen.count, 2);
    check_failure(&seen, 0, bad.ports[1], "within 3000 ms");
    check_failure(&seen, 1, bad.ports[0], "within 3000 ms");
    stop_bad_hosts(&bad);
}

/* A standby, and a primary that is set so, reject writes: the writer tries the next host. */
static void a_writer_passes_over_hosts_that_are_read_only(void **state)
{
    struct fixture *f = *state;
    struct failures seen = {0};
    struct db_hosts hosts = {.failed = note, .arg = &seen};
    struct db_options options = {.hosts = &hosts};
    struct db *db = NULL;
    char url[512];

    exec(f->db, "ALTER ROLE belfry SET default_transaction_read_only = on");
    snprintf(url, sizeof url, "postgres:///postgres?user=belfry&host=%s,%s&port=5432",
             directory_of(f), directory_of(f));
    REFUSED(db_open(url, &options, &db, err), RC_BUSY, "none of the 2 database hosts");
    assert_int_equal(seen.count, 2);
    assert_non_null(strstr(seen.why[0], "read-only"));
    options.readonly = true;
    OK(db_open(url, &options, &db, err));
    db_close(db);
    exec(f->db, "ALTER ROLE belfry RESET default_transaction_read_only");
}

static void hosts_and_ports_that_do_not_match_are_refused(void **state)
{
    static const struct {
        const char *url, *why;
    } urls[] = {
        {"postgres:///x?host=a,b&port=1,2,3", "2 hosts and 3 ports"},
        {"postgres:///x?host=a,,b&port=1", "host 2 of the database URL is empty"},
        {"postgres:///x?host=a,b&hostaddr=127.0.0.1", "2 hosts and 1 addresses"},
        {"postgres://a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a/x", "17 hosts; the limit is 16"},
    };
    struct db *db = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++)
        REFUSED(db_open(urls[i].url, NULL, &db, err), RC_INVALID, urls[i].why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DB_TEST(each_host_has_a_deadline_of_its_own),
        DB_TEST(connect_timeout_is_the_deadline_of_each_host),
        DB_TEST(a_writer_passes_over_hosts_that_are_read_only),
        DB_TEST(hosts_and_ports_that_do_not_match_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
