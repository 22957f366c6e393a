/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the writer next to the checkpointer, and the answers that it creates for the io thread.
 * test/e2e tests what clients see.
 */
#include "server/writer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "api/access/keyring.h"
#include "base/arena.h"
#include "db/db.h"

enum {
    MAILBOX_SIZE = 4096,
    WAL_PAGES = 4, /* a turn or two */
    TURNS_AFTER = 20,
    MANY = 100,   /* commands        */
    CORRUPT = 70, /* the exit status */
};

struct fixture {
    char dir[64], path[96], url[128];
    struct config *config;
    struct log log;
    struct mailbox *to_writer, *to_io;
    struct serve_seam seam;
    struct db_fault fault;
    struct counters counters;
    struct commit_signal signal;
    _Atomic int64_t finished[LANE_COUNT];
    int answers, settled; /* tickets returned; those with an answer */
};

static bool take_line(void *arg, struct str line)
{
    (void)arg;
    (void)line;
    return true;
}

enum stop_message { STOP_NOT, STOP_SENDING, STOP_SENT };

/* A VFS whose second database file, that of the checkpointer, uses `sync`. */
static struct {
    sqlite3_vfs vfs, *below;
    sqlite3_io_methods methods;
    int (*xSync)(sqlite3_file *file, int flags);
    int (*sync)(sqlite3_file *file, int flags);
    struct mailbox *to_writer;
    int opened;
    _Atomic enum stop_message stop; /* whether the writer must end                 */
    atomic_bool is_last;            /* it has run its last turn                    */
    atomic_bool loses, has_lost;    /* the writer must lose its connection; it has */
    int turns_left;                 /* after the loss                              */
} disk;

static int sync_normally(sqlite3_file *file, int flags)
{
    return disk.xSync(file, flags);
}

/* A turn that has taken the message finds STOP_SENT: after_turn() waits for it. */
static void stop_writer(void)
{
    atomic_store(&disk.stop, STOP_SENDING);
    assert_true(mailbox_push(disk.to_writer, &(struct writer_msg){.kind = WRITER_MSG_STOP}));
    atomic_store(&disk.stop, STOP_SENT);
}

static int fail_sync(sqlite3_file *file, int flags)
{
    (void)file;
    (void)flags;
    return SQLITE_IOERR_FSYNC;
}

static int fail_at_the_end(sqlite3_file *file, int flags)
{
    stop_writer();
    while (!atomic_load(&disk.is_last))
        continue;
    return fail_sync(file, flags);
}

static int wait_for_loss(sqlite3_file *file, int flags)
{
    atomic_store(&disk.loses, !atomic_load(&disk.has_lost));
    while (!atomic_load(&disk.has_lost))
        continue;
    return sync_normally(file, flags);
}

static enum rc lose(void *arg, enum db_point point)
{
    (void)arg;
    (void)point;
    if (!atomic_exchange(&disk.loses, false))
        return RC_OK;
    atomic_store(&disk.has_lost, true);
    return RC_LOST;
}

static void after_turn(void *arg, enum serve_point point)
{
    bool is_stopping;

    (void)arg;
    if (point != SERVE_AFTER_TURN)
        return;
    while (atomic_load(&disk.stop) == STOP_SENDING)
        continue;
    is_stopping = atomic_load(&disk.stop) == STOP_SENT;
    if (is_stopping && mailbox_room(disk.to_writer) == MAILBOX_SIZE)
        atomic_store(&disk.is_last, true);
    if (is_stopping || !atomic_load(&disk.has_lost))
        return;
    if (disk.turns_left-- > 0)
        assert_true(
            mailbox_push(disk.to_writer, &(struct writer_msg){.kind = WRITER_MSG_WAKE}));
    else
        stop_writer();
}

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                     int *ret_flags)
{
    int code = disk.below->xOpen(disk.below, name, file, flags, ret_flags);

    (void)vfs;
    if (code == SQLITE_OK && (flags & SQLITE_OPEN_MAIN_DB) && ++disk.opened == 2) {
        disk.methods = *file->pMethods;
        disk.xSync = disk.methods.xSync;
        disk.methods.xSync = disk.sync;
        file->pMethods = &disk.methods;
    }
    return code;
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    char db[sizeof f->url + sizeof "BELFRY_DB=?vfs=disk"];
    const char *const env[] = {db, NULL};
    struct err err = {.text = ""};

    assert_non_null(f);
    snprintf(f->dir, sizeof f->dir, "/tmp/belfry-writer-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    snprintf(f->path, sizeof f->path, "%s/test.db", f->dir);
    snprintf(f->url, sizeof f->url, "sqlite:%s", f->path);
    snprintf(db, sizeof db, "BELFRY_DB=%s?vfs=disk", f->url);
    if (config_read(&(struct config_sources){.env = env}, &f->config, &err) != RC_OK)
        fail_msg("%s", err.text);
    log_open(&f->log, (struct log_sink){.take = take_line}, LEVEL_INFO, LOG_LOGFMT);
    f->to_writer = mailbox_new(MAILBOX_SIZE, sizeof(struct writer_msg), NULL, NULL);
    f->to_io = mailbox_new(MAILBOX_SIZE, sizeof(struct io_msg), NULL, NULL);
    f->fault = (struct db_fault){.ask = lose};
    f->seam = (struct serve_seam){.at = after_turn, .fault = &f->fault, .wal_pages = WAL_PAGES};
    disk.opened = 0;
    disk.turns_left = TURNS_AFTER;
    disk.to_writer = f->to_writer;
    disk.stop = STOP_NOT;
    disk.is_last = disk.loses = disk.has_lost = false;
    disk.below = sqlite3_vfs_find("unix");
    disk.vfs = *disk.below;
    disk.vfs.zName = "disk";
    disk.vfs.xOpen = open_file;
    assert_int_equal(sqlite3_vfs_register(&disk.vfs, 0), SQLITE_OK);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    static const char *const ends[] = {"", "-wal", "-shm", ".lock"};
    struct fixture *f = *state;
    char path[128];

    assert_int_equal(sqlite3_vfs_unregister(&disk.vfs), SQLITE_OK);
    mailbox_free(f->to_writer);
    mailbox_free(f->to_io);
    config_free(f->config);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        snprintf(path, sizeof path, "%s%s", f->path, ends[i]);
        unlink(path);
    }
    rmdir(f->dir);
    free(f);
    return 0;
}

static struct writer *start(struct fixture *f, int (*sync)(sqlite3_file *file, int flags))
{
    disk.sync = sync;
    return writer_start(&(struct writer_options){
        .config = f->config,
        .log = &f->log,
        .to_writer = f->to_writer,
        .to_io = f->to_io,
        .seam = &f->seam,
        .node = STR("node"),
        .finished = f->finished,
        .address = STR("here"),
        .counters = &f->counters,
        .signal = &f->signal,
    });
}

static void take_back(struct fixture *f, struct ticket *t)
{
    f->answers++;
    f->settled += t->is_settled;
    assert_int_equal(t->step, t->is_settled ? CALL_ANSWER : CALL_COMMANDS);
    assert_int_equal(t->call.replies[0].rc, RC_NOT_FOUND);
    arena_free(t->call.arena);
    free(t);
}

/* Handles messages until the writer has ended. */
static void wait_for_end(struct fixture *f)
{
    struct io_msg msg = {.kind = IO_MSG_STATE};

    while (msg.kind != IO_MSG_OVER) {
        mailbox_wait(f->to_io, INSTANT_NEVER);
        if (mailbox_take(f->to_io, &msg, 1) == 0)
            continue;
        if (msg.kind == IO_MSG_NAMESPACE)
            arena_free(msg.namespace_msg->arena);
        if (msg.kind == IO_MSG_KEYS)
            keyring_free(msg.keys);
        if (msg.kind == IO_MSG_TICKET)
            take_back(f, msg.ticket);
    }
}

static enum call_step settled(struct call *call)
{
    assert_non_null(call->context->part_cache); /* the writer's own */
    assert_int_equal(call->replies[0].rc, RC_NOT_FOUND);
    return CALL_ANSWER;
}

/* A command for a missing schedule, with this many bytes of user text. */
static void send_command(struct fixture *f, const struct operation *operation, size_t text)
{
    struct ticket *t = calloc(1, sizeof *t);
    struct arena *arena = arena_new(1 << 20);
    struct draft *draft = arena_take(arena, sizeof *draft);
    struct command *command = arena_take(arena, sizeof *command);

    assert_non_null(t);
    draft->spec = (struct str){arena_take(arena, text / 2 + 1), text / 2};
    draft->action = (struct str){arena_take(arena, text / 2 + 1), text / 2};
    *command = (struct command){
        .kind = COMMAND_UPDATE, .namespace = 1, .name = STR("none"), .save.draft = draft};
    t->call.arena = arena;
    t->call.operation = operation;
    t->call.commands = command;
    t->call.command_count = 1;
    t->step = CALL_COMMANDS;
    assert_true(
        mailbox_push(f->to_writer, &(struct writer_msg){.kind = WRITER_MSG_CALL, .ticket = t}));
}

/* Runs all commands in one turn and stops. */
static void make_turn(struct fixture *f)
{
    struct writer *writer;

    assert_true(mailbox_push(f->to_writer, &(struct writer_msg){.kind = WRITER_MSG_STOP}));
    writer = start(f, sync_normally);
    wait_for_end(f);
    assert_int_equal(writer_state(writer).status, 0);
    assert_null(writer_join(writer));
}

static void the_writer_creates_short_answers_if_the_operation_allows_it(void **state)
{
    const struct operation anywhere = {.settled = settled, .settles_early = true};
    const struct operation with_io = {.settled = settled};
    struct fixture *f = *state;

    send_command(f, &anywhere, 2000);
    send_command(f, &anywhere, 3000); /* too long for the writer */
    send_command(f, &with_io, 0);
    send_command(f, NULL, 0); /* without an operation */
    make_turn(f);
    assert_int_equal(f->answers, 4);
    assert_int_equal(f->settled, 1);
}

static void the_answers_of_one_turn_are_limited_to_64_kib(void **state)
{
    const struct operation anywhere = {.settled = settled, .settles_early = true};
    struct fixture *f = *state;

    for (int i = 0; i < MANY; i++)
        send_command(f, &anywhere, 2000);
    make_turn(f);
    assert_int_equal(f->answers, MANY);
    assert_in_range(f->settled, 20, 32); /* limited by 64 KiB */
}

static void assert_wal_is_kept(const struct fixture *f)
{
    char wal[sizeof f->path + sizeof "-wal"];
    struct err err = {.text = ""};
    struct db *db = NULL;
    struct stat st;

    snprintf(wal, sizeof wal, "%s-wal", f->path);
    assert_int_equal(stat(wal, &st), 0);
    assert_true(st.st_size > 0);
    if (db_open(f->url, NULL, &db, &err) != RC_OK)
        fail_msg("%s", err.text);
    db_close(db);
}

static void a_failed_sync_of_the_checkpointer_ends_the_writer(void **state)
{
    struct fixture *f = *state;
    struct writer *writer = start(f, fail_sync);

    wait_for_end(f);
    assert_int_equal(writer_state(writer).status, CORRUPT);
    assert_null(writer_join(writer));
    assert_wal_is_kept(f);
}

static void a_failed_sync_during_the_last_turn_keeps_the_wal(void **state)
{
    struct fixture *f = *state;
    struct writer *writer = start(f, fail_at_the_end);

    wait_for_end(f);
    assert_true(atomic_load(&disk.is_last));
    assert_int_equal(writer_state(writer).status, CORRUPT);
    assert_null(writer_join(writer));
    assert_wal_is_kept(f);
}

/* A new connection runs a checkpoint, and only one thread may do that. */
static void a_reconnect_waits_for_the_checkpointer(void **state)
{
    struct fixture *f = *state;
    struct writer *writer = start(f, wait_for_loss);

    wait_for_end(f);
    assert_true(atomic_load(&disk.has_lost));
    assert_int_equal(disk.opened, 3);
    assert_int_equal(writer_state(writer).status, 0);
    assert_null(writer_join(writer));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            the_writer_creates_short_answers_if_the_operation_allows_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_answers_of_one_turn_are_limited_to_64_kib, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_failed_sync_of_the_checkpointer_ends_the_writer,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_failed_sync_during_the_last_turn_keeps_the_wal,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reconnect_waits_for_the_checkpointer, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
