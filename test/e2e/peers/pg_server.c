/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stops, freezes and restarts the PostgreSQL server of a test.
 */
#include "peers/pg_server.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "db/db.h"

enum { ARGS_MAX = 64, FILE_MAX = 4096 };

/* Reads up to `cap` - 1 bytes and terminates them; false when the file cannot be read. */
static bool read_file(const char *path, char *ret, size_t cap, size_t *ret_len)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, ret, cap - 1) : -1;

    if (fd >= 0)
        close(fd);
    if (n < 0)
        return false;
    ret[n] = '\0';
    *ret_len = (size_t)n;
    return true;
}

static bool read_pid(const struct pg_server *pg_server, pid_t *ret)
{
    char path[WORLD_PATH_MAX + 32], text[FILE_MAX];
    size_t len;

    snprintf(path, sizeof path, "%s/data/postmaster.pid", pg_server->dir);
    if (!read_file(path, text, sizeof text, &len))
        return false;
    *ret = (pid_t)strtol(text, NULL, 10);
    return *ret > 0;
}

void pg_server_find(const struct world *world, struct pg_server *ret)
{
    const char *host = strstr(world->url, "host=");
    struct pg_server pg_server = {0};
    char path[64];
    ssize_t len;

    assert_non_null(host);
    host += strlen("host=");
    snprintf(pg_server.dir, sizeof pg_server.dir, "%.*s", (int)strcspn(host, "&"), host);
    assert_true(read_pid(&pg_server, &pg_server.pid));
    snprintf(path, sizeof path, "/proc/%d/exe", (int)pg_server.pid);
    len = readlink(path, pg_server.program, sizeof pg_server.program - 1);
    assert_true(len > 0);
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)pg_server.pid);
    assert_true(read_file(path, pg_server.args, sizeof pg_server.args, &pg_server.args_len));
    *ret = pg_server;
}

void pg_server_stop(struct pg_server *pg_server)
{
    pid_t pid;

    assert_int_equal(kill(pg_server->pid, SIGINT), 0);
    if (pg_server->is_ours)
        assert_int_equal(waitpid(pg_server->pid, NULL, 0), pg_server->pid);
    UNTIL(!read_pid(pg_server, &pid));
    pg_server->is_ours = false;
}

/* PostgreSQL refuses to run as root, so it runs as the owner of its files. */
static void run(const struct pg_server *pg_server)
{
    const char *args[ARGS_MAX + 1] = {NULL};
    struct stat info;
    int count = 0, null = open("/dev/null", O_RDWR);

    for (size_t i = 0; i < pg_server->args_len && count < ARGS_MAX;
         i += strlen(pg_server->args + i) + 1)
        args[count++] = pg_server->args + i;
    prctl(PR_SET_PDEATHSIG, SIGQUIT);
    if (chdir(pg_server->dir) != 0 || stat("data", &info) != 0)
        _exit(1);
    if (geteuid() == 0 && (setgid(info.st_gid) != 0 || setuid(info.st_uid) != 0))
        _exit(1);
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    prctl(PR_SET_PDEATHSIG, SIGQUIT); /* again: setuid() resets it */
    execv(pg_server->program, (char *const *)args);
    _exit(1);
}

static bool lets_in(const struct world *world)
{
    struct db_options options = {.readonly = true};
    struct db *db = NULL;
    struct err err;

    if (db_open(world->url, &options, &db, &err) != RC_OK)
        return false;
    db_close(db);
    return true;
}

void pg_server_start(const struct world *world, struct pg_server *pg_server)
{
    pg_server->pid = fork();
    assert_true(pg_server->pid >= 0);
    if (pg_server->pid == 0)
        run(pg_server);
    pg_server->is_ours = true;
    UNTIL(lets_in(world));
}

static void signal_all(const struct pg_server *pg_server, int signal)
{
    char path[64], text[FILE_MAX];
    size_t len;

    /* First the parent, which starts the others. */
    assert_int_equal(kill(pg_server->pid, signal), 0);
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pg_server->pid,
             (int)pg_server->pid);
    assert_true(read_file(path, text, sizeof text, &len));
    for (char *at = text, *end; (end = strchr(at, ' ')) != NULL; at = end + 1)
        kill((pid_t)strtol(at, NULL, 10), signal);
}

void pg_server_freeze(const struct pg_server *pg_server)
{
    signal_all(pg_server, SIGSTOP);
}

void pg_server_thaw(const struct pg_server *pg_server)
{
    signal_all(pg_server, SIGCONT);
}

void pg_server_free(struct pg_server *pg_server)
{
    if (!pg_server->is_ours)
        return;
    kill(pg_server->pid, SIGQUIT);
    waitpid(pg_server->pid, NULL, 0);
    pg_server->is_ours = false;
}
