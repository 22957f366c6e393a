/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What only PostgreSQL has: a server that can be slow, silent, full or lost during a commit,
 * rows that others lock, and notifications.
 */
#include "harness.h"

#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { DEADLINE_MS = 3000, CONNECTIONS = 24, WAIT_MS = 20000 };

static const struct db_stmt insert = {"INSERT INTO p (id, n) VALUES ($1, 0)", "i"};
static const struct db_stmt insert_new = {
    "INSERT INTO p (id, n) VALUES ($1, 0) ON CONFLICT (id) DO NOTHING", "i"};
static const struct db_stmt update = {"UPDATE p SET n = n + 1 WHERE id = $1", "i"};
static const struct db_stmt count = {"SELECT count(*) FROM p", NULL};
static const struct db_stmt backend = {"SELECT pg_backend_pid()", NULL};
static const struct db_stmt terminate = {"SELECT pg_terminate_backend(CAST($1 AS INT), 10000)",
                                         "i"};

static void make_table(struct fixture *f)
{
    exec(f->db, "CREATE TABLE p (id {int} PRIMARY KEY, n {int})");
}

static void send_row(struct db *db, const struct db_stmt *stmt, int64_t id,
                     struct db_result *ret)
{
    db_send(db, stmt, (struct db_value[]){db_int(id)}, ret);
}

static struct db *open_with_deadline(const struct fixture *f)
{
    return open_with(f->url, &(struct db_options){.deadline_ms = DEADLINE_MS});
}

static void end_backend(struct fixture *f, int64_t pid)
{
    struct db_result got = query(f, f->db, &terminate, (struct db_value[]){db_int(pid)});

    assert_int_equal(db_int_at(&got, 0, 0), 1);
}

/*
 * Waits for a transaction that inserted `id` and has not yet committed; returns whether it did.
 */
static bool was_committed(struct fixture *f, int64_t id)
{
    struct db *db = open_with(f->url, &(struct db_options){.lock_ms = WAIT_MS});
    struct db_result got = {.changed = -1};

    send_row(db, &insert_new, id, &got);
    OK(db_flush(db, f->arena, err));
    db_close(db);
    return got.changed == 0;
}

static void the_session_is_set_up_for_safety(void **state)
{
    static const struct {
        const char *sql, *writer, *reader;
    } settings[] = {
        {"SELECT current_setting('lock_timeout')", "250ms", "250ms"},
        {"SELECT current_setting('statement_timeout')", "6s", "5s"},
        {"SELECT current_setting('idle_in_transaction_session_timeout')", "1500ms", "10s"},
        {"SELECT current_setting('TimeZone')", "UTC", "UTC"},
        {"SELECT current_setting('application_name')", "belfry", "belfry"},
        {"SELECT current_setting('client_min_messages')", "warning", "warning"},
        {"SELECT current_setting('synchronous_commit')", "on", "on"},
        {"SELECT current_setting('default_transaction_read_only')", "off", "on"},
        {"SELECT current_setting('client_encoding')", "UTF8", "UTF8"},
    };
    static struct db_stmt statements[sizeof settings / sizeof settings[0]];
    struct fixture *f = *state;
    struct db *writer = NULL, *reader = NULL;

    exec(f->db, "ALTER ROLE belfry SET synchronous_commit = off");
    OK(db_open(f->url, NULL, &writer, err));
    OK(db_open(f->url, &(struct db_options){.readonly = true}, &reader, err));
    exec(f->db, "ALTER ROLE belfry RESET synchronous_commit");
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        struct db_result got;

        statements[i].sql = settings[i].sql;
        got = query(f, writer, &statements[i], NULL);
        assert_string_equal(db_text_at(&got, 0, 0).ptr, settings[i].writer);
        got = query(f, reader, &statements[i], NULL);
        assert_string_equal(db_text_at(&got, 0, 0).ptr, settings[i].reader);
    }
    db_close(writer);
    db_close(reader);
}

static void writers_read_what_is_committed(void **state)
{
    static const struct db_stmt level = {
        "SELECT current_setting('transaction_isolation') = 'read committed'", NULL};
    struct fixture *f = *state;
    struct db_result got;

    db_begin(f->db);
    db_send(f->db, &level, NULL, &got);
    OK(db_commit(f->db, f->arena, err));
    assert_int_equal(db_int_at(&got, 0, 0), 1);
}

/* Without {skip} this would wait for the lock and end in RC_BUSY. */
static void rows_that_others_hold_are_passed_over(void **state)
{
    static const struct db_stmt claim = {
        "UPDATE p SET n = 9 WHERE id IN (SELECT id FROM p WHERE n < 9 ORDER BY id"
        " LIMIT $1{skip}) RETURNING id",
        "i"};
    struct fixture *f = *state;
    struct db *other = open_with(f->url, NULL);
    struct db_result got;

    make_table(f);
    for (int i = 1; i <= 5; i++)
        query(f, f->db, &insert, (struct db_value[]){db_int(i)});
    db_begin(other);
    send_row(other, &update, 1, NULL);
    send_row(other, &update, 3, NULL);
    OK(db_flush(other, f->arena, err));
    got = query(f, f->db, &claim, (struct db_value[]){db_int(2)});
    assert_int_equal(got.changed, 2);
    assert_int_equal(db_int_at(&got, 0, 0) + db_int_at(&got, 1, 0), 2 + 4);
    db_rollback(other);
    got = query(f, f->db, &claim, (struct db_value[]){db_int(5)});
    assert_int_equal(got.changed, 3);
    db_close(other);
}

static void a_lock_is_not_waited_for_beyond_its_timeout(void **state)
{
    struct fixture *f = *state;
    struct db *other = open_with(f->url, NULL);

    make_table(f);
    query(f, f->db, &insert, (struct db_value[]){db_int(1)});
    db_begin(other);
    send_row(other, &update, 1, NULL);
    OK(db_flush(other, f->arena, err));
    send_row(f->db, &update, 1, NULL);
    REFUSED(db_flush(f->db, f->arena, err), RC_BUSY, "55P03");
    db_close(other);
    send_row(f->db, &update, 1, NULL);
    OK(db_flush(f->db, f->arena, err));
}

static void a_backend_that_is_ended_in_a_transaction_leaves_nothing(void **state)
{
    struct fixture *f = *state;
    struct db *db = open_with(f->url, NULL);
    int64_t pid = query_int(f, db, &backend);

    make_table(f);
    db_begin(db);
    send_row(db, &insert, 1, NULL);
    OK(db_flush(db, f->arena, err));
    end_backend(f, pid);
    send_row(db, &insert, 2, NULL);
    REFUSED(db_flush(db, f->arena, err), RC_LOST, "connection to PostgreSQL is lost");
    assert_true(db_is_dead(db));
    assert_int_equal(db_socket(db), -1);
    REFUSED(db_commit(db, f->arena, err), RC_LOST, "lost");
    db_begin(db);
    send_row(db, &insert, 3, NULL);
    REFUSED(db_commit(db, f->arena, err), RC_LOST, "lost");
    db_close(db);
    db = open_with(f->url, NULL);
    assert_int_equal(query_int(f, db, &count), 0);
    db_close(db);
}

/* The server's last message is read as the answer to the commit, which may have happened. */
static void a_backend_that_is_ended_before_the_commit_leaves_doubt(void **state)
{
    struct fixture *f = *state;
    struct db *db = open_with(f->url, NULL);
    int64_t pid = query_int(f, db, &backend);

    make_table(f);
    db_begin(db);
    send_row(db, &insert, 1, NULL);
    OK(db_flush(db, f->arena, err));
    end_backend(f, pid);
    REFUSED(db_commit(db, f->arena, err), RC_UNKNOWN, "is not known");
    assert_true(db_is_dead(db));
    db_close(db);
    assert_false(was_committed(f, 1));
}

/* A statement before the commit is answered with the end: the commit was not read. */
static void a_backend_that_is_ended_before_a_statement_leaves_no_doubt(void **state)
{
    struct fixture *f = *state;
    struct db *db = open_with(f->url, NULL);
    int64_t pid = query_int(f, db, &backend);

    make_table(f);
    db_begin(db);
    send_row(db, &insert, 1, NULL);
    OK(db_flush(db, f->arena, err));
    end_backend(f, pid);
    send_row(db, &insert, 2, NULL);
    REFUSED(db_commit(db, f->arena, err), RC_LOST, "lost");
    db_close(db);
    assert_false(was_committed(f, 1));
}

/* SHUT_RD: the commit is sent, its answer is not received. */
static void a_lost_answer_to_a_commit_is_unknown_and_it_happened(void **state)
{
    struct fixture *f = *state;
    struct db *db = open_with(f->url, NULL);

    make_table(f);
    db_begin(db);
    send_row(db, &insert, 1, NULL);
    OK(db_flush(db, f->arena, err));
    assert_int_equal(shutdown(db_socket(db), SHUT_RD), 0);
    REFUSED(db_commit(db, f->arena, err), RC_UNKNOWN, "is not known");
    assert_true(db_is_dead(db));
    db_close(db);
    assert_true(was_committed(f, 1));
}

/* The reverse: the commit is not sent. */
static void a_lost_commit_is_unknown_and_it_did_not_happen(void **state)
{
    struct fixture *f = *state;
    struct db *db = open_with(f->url, NULL);

    make_table(f);
    db_begin(db);
    send_row(db, &insert, 1, NULL);
    OK(db_flush(db, f->arena, err));
    assert_int_equal(shutdown(db_socket(db), SHUT_RDWR), 0);
    REFUSED(db_commit(db, f->arena, err), RC_UNKNOWN, "is not known");
    db_close(db);
    assert_false(was_committed(f, 1));
}

static void a_write_outside_a_transaction_is_in_doubt_like_a_commit(void **state)
{
    struct fixture *f = *state;
    struct db *db = open_with(f->url, NULL);

    make_table(f);
    send_row(db, &insert, 1, NULL);
    assert_int_equal(shutdown(db_socket(db), SHUT_RDWR), 0);
    REFUSED(db_flush(db, f->arena, err), RC_UNKNOWN, "is not known");
    /* Later statements were never sent. */
    send_row(db, &insert, 2, NULL);
    REFUSED(db_flush(db, f->arena, err), RC_LOST, "lost");
    db_close(db);
}

static void a_reader_is_never_in_doubt(void **state)
{
    struct fixture *f = *state;
    struct db *db = open_reader(f);

    make_table(f);
    db_begin(db);
    db_send(db, &count, NULL, NULL);
    assert_int_equal(shutdown(db_socket(db), SHUT_RDWR), 0);
    REFUSED(db_commit(db, f->arena, err), RC_LOST, "lost");
    db_close(db);
}

static void a_stopped_server_is_given_up_at_the_deadline(void **state)
{
    struct fixture *f = *state;
    struct db *db = open_with_deadline(f);
    int64_t pid = query_int(f, db, &backend);

    make_table(f);
    db_begin(db);
    send_row(db, &insert, 1, NULL);
    assert_int_equal(kill((pid_t)pid, SIGSTOP), 0);
    REFUSED(db_flush(db, f->arena, err), RC_LOST, "within the deadline");
    assert_int_equal(kill((pid_t)pid, SIGCONT), 0);
    assert_true(db_is_dead(db));
    db_close(db);
    assert_false(was_committed(f, 1));
}

static void a_commit_to_a_stopped_server_is_unknown(void **state)
{
    struct fixture *f = *state;
    struct db *db = open_with_deadline(f);
    int64_t pid = query_int(f, db, &backend);

    make_table(f);
    exec(db, "SET idle_in_transaction_session_timeout = 0"); /* it would end the backend */
    db_begin(db);
    send_row(db, &insert, 1, NULL);
    OK(db_flush(db, f->arena, err));
    assert_int_equal(kill((pid_t)pid, SIGSTOP), 0);
    REFUSED(db_commit(db, f->arena, err), RC_UNKNOWN, "within the deadline");
    assert_int_equal(kill((pid_t)pid, SIGCONT), 0);
    db_close(db);
    assert_true(was_committed(f, 1));
}

/* More than the socket's buffers hold, so that sending blocks as well. */
static void a_server_that_does_not_read_is_given_up_at_the_deadline(void **state)
{
    static const struct db_stmt swallow = {"SELECT length($1)", "b"};
    enum { SIZE = 8 << 20 };
    struct fixture *f = *state;
    struct db *db = open_with_deadline(f);
    int64_t pid = query_int(f, db, &backend);
    char *bytes = calloc(1, SIZE);

    assert_non_null(bytes);
    db_begin(db);
    db_send(db, &swallow, (struct db_value[]){db_blob((struct str){bytes, SIZE})}, NULL);
    assert_int_equal(kill((pid_t)pid, SIGSTOP), 0);
    REFUSED(db_flush(db, f->arena, err), RC_LOST, "within the deadline");
    assert_int_equal(kill((pid_t)pid, SIGCONT), 0);
    db_close(db);
    free(bytes);
}

/* The commit is already sent when the answer before it turns out to be too large. */
static void a_too_large_answer_before_a_commit_is_unknown(void **state)
{
    static const struct db_stmt many = {"SELECT generate_series(1, $1)", "i"};
    struct fixture *f = *state;
    struct db *db = open_with(f->url, NULL);
    struct db_result got;

    make_table(f);
    db_begin(db);
    send_row(db, &insert, 1, NULL);
    db_send(db, &many, (struct db_value[]){db_int(DB_ROWS_MAX + 1)}, &got);
    REFUSED(db_commit(db, f->arena, err), RC_UNKNOWN, "more than 16384 rows");
    assert_true(db_is_dead(db));
    db_close(db);
    assert_true(was_committed(f, 1));
}

static void notifications_reach_listeners(void **state)
{
    struct fixture *f = *state;
    struct db *other = open_with(f->url, NULL);
    struct pollfd socket = {.fd = db_socket(other), .events = POLLIN};
    struct db_note note = {.channel = ""};
    bool any = true;

    OK(db_listen(other, "queue_ready", err));
    OK(db_poll_note(other, &note, &any, err));
    assert_false(any);
    OK(db_notify(f->db, "queue_ready", STR("reports"), err));
    OK(db_notify(f->db, "not_heard", STR("reports"), err));
    OK(db_notify(f->db, "queue_ready", STR(""), err));
    for (int i = 0; i < 2; i++) {
        for (any = false; !any;) {
            OK(db_poll_note(other, &note, &any, err));
            assert_true(any || poll(&socket, 1, WAIT_MS) == 1);
        }
        assert_string_equal(note.channel, "queue_ready");
        assert_string_equal(note.payload, i == 0 ? "reports" : "");
    }
    OK(db_poll_note(other, &note, &any, err));
    assert_false(any);
    db_close(other);
}

/* Notifications that arrive with an answer are kept until they are polled. */
static void notifications_are_kept_during_other_statements(void **state)
{
    struct fixture *f = *state;
    struct db_note note = {.channel = ""};
    bool any = false;

    make_table(f);
    OK(db_listen(f->db, "wake", err));
    OK(db_notify(f->db, "wake", STR("me"), err));
    assert_int_equal(query_int(f, f->db, &count), 0);
    OK(db_poll_note(f->db, &note, &any, err));
    assert_true(any);
    assert_string_equal(note.payload, "me");
}

static void a_listener_learns_that_the_server_is_gone(void **state)
{
    struct fixture *f = *state;
    struct db *db = open_with(f->url, NULL);
    struct pollfd socket = {.fd = db_socket(db), .events = POLLIN};
    struct err why = {.rc = RC_OK};
    struct db_note note;
    bool any = false;

    OK(db_listen(db, "wake", err));
    end_backend(f, query_int(f, db, &backend));
    for (int i = 0; i < 10 && why.rc == RC_OK; i++) {
        assert_int_equal(poll(&socket, 1, WAIT_MS), 1);
        (void)db_poll_note(db, &note, &any, &why);
    }
    assert_int_equal(why.rc, RC_LOST);
    assert_true(db_is_dead(db));
    REFUSED(db_notify(db, "wake", STR(""), err), RC_LOST, "lost");
    db_close(db);
}

static void a_server_without_room_says_to_try_again(void **state)
{
    struct fixture *f = *state;
    struct db *many[CONNECTIONS] = {NULL};
    struct err why = {.rc = RC_OK};

    for (int i = 0; i < CONNECTIONS && why.rc == RC_OK; i++)
        (void)db_open(f->url, NULL, &many[i], &why);
    for (int i = 0; i < CONNECTIONS; i++)
        db_close(many[i]);
    assert_int_equal(why.rc, RC_BUSY);
    assert_non_null(strstr(why.text, "53300"));
}

static enum rc open_changed(struct fixture *f, const char *from, const char *to,
                            struct err *err)
{
    const char *at = strstr(f->url, from);
    char url[2 * URL_MAX];
    struct db *db = NULL;
    enum rc rc;

    assert_non_null(at);
    snprintf(url, sizeof url, "%.*s%s%s", (int)(at - f->url), f->url, to, at + strlen(from));
    rc = db_open(url, &(struct db_options){.deadline_ms = WAIT_MS}, &db, err);
    db_close(db);
    return rc;
}

/* Answers one client as PostgreSQL does when authentication_timeout has passed. */
static void reject_late(int listener)
{
    static const char answer[] = "E\0\0\0\x43"
                                 "SFATAL\0VFATAL\0C57014\0"
                                 "Mcanceling authentication due to timeout\0";
    int fd = accept(listener, NULL, NULL);
    char startup[1024];

    if (fd < 0 || recv(fd, startup, sizeof startup, 0) <= 0 ||
        send(fd, answer, sizeof answer, 0) != (ssize_t)sizeof answer)
        _exit(1);
    _exit(0);
}

/* To a reader, this state means that its statement took too long; a writer may retry. */
static void a_rejected_connection_means_something_else_to_a_reader(void **state)
{
    static const enum rc expected[] = {RC_BUSY, RC_LIMIT};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct sockaddr_in address = {.sin_family = AF_INET,
                                      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        socklen_t len = sizeof address;
        int listener = socket(AF_INET, SOCK_STREAM, 0);
        pid_t server;
        int status;
        struct db *db = NULL;
        char url[96];

        assert_int_equal(bind(listener, (struct sockaddr *)&address, len), 0);
        assert_int_equal(listen(listener, 1), 0);
        assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
        server = fork();
        if (server == 0)
            reject_late(listener);
        snprintf(url, sizeof url,
                 "postgres://x@127.0.0.1:%d/x?sslmode=disable&gssencmode=disable",
                 ntohs(address.sin_port));
        REFUSED(db_open(url, &(struct db_options){.readonly = i == 1}, &db, err), expected[i],
                "57014");
        assert_int_equal(waitpid(server, &status, 0), server);
        assert_int_equal(status, 0);
        close(listener);
    }
}

static void causes_of_a_failed_connection_are_distinguished(void **state)
{
    struct fixture *f = *state;

    REFUSED(open_changed(f, "/postgres?", "/nothing?", err), RC_INVALID, "3D000");
    REFUSED(open_changed(f, "belfry@", "nobody:secret@", err), RC_INVALID, "28000");
    REFUSED(open_changed(f, "host=/tmp/", "host=/nowhere/", err), RC_BUSY, "cannot connect");
    REFUSED(open_changed(f, "belfry@", "belfry:sec%ret@", err), RC_INVALID,
            "invalid database URL");
}

static void a_database_of_another_encoding_is_refused(void **state)
{
    struct fixture *f = *state;

    exec(f->db, "DROP DATABASE IF EXISTS latin");
    exec(f->db, "CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0");
    REFUSED(open_changed(f, "/postgres?", "/latin?", err), RC_INVALID, "ENCODING 'UTF8'");
    exec(f->db, "DROP DATABASE latin WITH (FORCE)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DB_TEST(the_session_is_set_up_for_safety),
        DB_TEST(writers_read_what_is_committed),
        DB_TEST(rows_that_others_hold_are_passed_over),
        DB_TEST(a_lock_is_not_waited_for_beyond_its_timeout),
        DB_TEST(a_backend_that_is_ended_in_a_transaction_leaves_nothing),
        DB_TEST(a_backend_that_is_ended_before_the_commit_leaves_doubt),
        DB_TEST(a_backend_that_is_ended_before_a_statement_leaves_no_doubt),
        DB_TEST(a_lost_answer_to_a_commit_is_unknown_and_it_happened),
        DB_TEST(a_lost_commit_is_unknown_and_it_did_not_happen),
        DB_TEST(a_write_outside_a_transaction_is_in_doubt_like_a_commit),
        DB_TEST(a_reader_is_never_in_doubt),
        DB_TEST(a_stopped_server_is_given_up_at_the_deadline),
        DB_TEST(a_commit_to_a_stopped_server_is_unknown),
        DB_TEST(a_server_that_does_not_read_is_given_up_at_the_deadline),
        DB_TEST(a_too_large_answer_before_a_commit_is_unknown),
        DB_TEST(notifications_reach_listeners),
        DB_TEST(notifications_are_kept_during_other_statements),
        DB_TEST(a_listener_learns_that_the_server_is_gone),
        DB_TEST(a_server_without_room_says_to_try_again),
        DB_TEST(causes_of_a_failed_connection_are_distinguished),
        DB_TEST(a_rejected_connection_means_something_else_to_a_reader),
        DB_TEST(a_database_of_another_encoding_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
