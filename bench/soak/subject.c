/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts, fills, watches and stops the server that is soaked.
 */
#include "subject.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/must.h"
#include "core/time/text.h"
#include "db/db.h"
#include "io/clock.h"
#include "io/file.h"
#include "request.h"

enum {
    NAP_MS = 20,
    START_MS = 60000,
    STOP_MS = 120000,
    REQUEST_MS = 60000,
    TEXT_MAX = 16 * 1024, /* of a file of /proc, and of the log's beginning */
    CREATE_AT_ONCE = 500, /* schedules per request: about 200 KB */
    SCHEDULE_BYTES = 512,
    ROWS_BYTES = 1 << 20,
};

static pid_t pid;

static struct str read_text(const char *path, char text[static TEXT_MAX])
{
    FILE *file = fopen(path, "re");
    size_t n = file ? fread(text, 1, TEXT_MAX - 1, file) : 0;

    if (file)
        fclose(file);
    text[n] = '\0';
    return (struct str){text, n};
}

/* The number after the first `name` in a text; -1: missing. */
static int64_t number_after(const char *text, const char *name)
{
    const char *at = strstr(text, name);

    return at ? strtoll(at + strlen(name), NULL, 10) : -1;
}

/* ---- start and end ---- */

static _Noreturn void become(const struct soak *soak, pid_t parent)
{
    char log_path[SOAK_PATH_MAX + 32], db[SOAK_PATH_MAX + 32];
    int log;

    snprintf(log_path, sizeof log_path, "%s/serve.log", soak->dir);
    snprintf(db, sizeof db, "sqlite:%s/belfry.db", soak->dir);
    must(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    log = open(log_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    must(log >= 0 && dup2(log, STDOUT_FILENO) >= 0 && dup2(log, STDERR_FILENO) >= 0);
    execl(soak->program, soak->program, "serve", "--db", soak->db ? soak->db : db,
          "--state_dir", soak->dir, "--listen", "127.0.0.1:0", "--grpc", "none",
          "--http_allow_private", "--http_per_host", "256", "--retention", "1m", (char *)NULL);
    _exit(127);
}

static bool has_ended(int *ret_status)
{
    int status;

    if (waitpid(pid, &status, WNOHANG) != pid)
        return false;
    pid = 0;
    *ret_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
}

void subject_start(struct soak *soak)
{
    char path[SOAK_PATH_MAX + 32], text[TEXT_MAX];
    pid_t parent = getpid();
    int status;

    snprintf(path, sizeof path, "%s/serve.log", soak->dir);
    pid = fork();
    must(pid >= 0);
    if (pid == 0)
        become(soak, parent);
    for (int waited = 0; waited < START_MS; waited += NAP_MS) {
        read_text(path, text);
        if (strstr(text, "msg=ready")) {
            soak->port = (uint16_t)number_after(text, " port=");
            return;
        }
        if (has_ended(&status))
            DIE("the server has ended with %d:\n%s", status, text);
        request_nap(NAP_MS);
    }
    DIE("the server is not ready:\n%s", text);
}

int subject_stop(void)
{
    int status = 0;

    must(kill(pid, SIGTERM) == 0);
    for (int waited = 0; waited < STOP_MS; waited += NAP_MS) {
        if (has_ended(&status))
            return status;
        request_nap(NAP_MS);
    }
    DIE("the server does not end");
}

void subject_kill(void)
{
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    pid = 0;
}

/* ---- schedules ---- */

static void write_schedule(const struct soak *soak, int i, struct buf *out)
{
    buf_printf(out,
               "%s{\"id\":\"s%d\",\"spec\":{\"intervals\":[{\"every\":\"1s\",\"phase\":\"%dms\""
               "}],\"start\":\"",
               i % CREATE_AT_ONCE ? "," : "", i, (int)(i * INT64_C(1000) / soak->rate));
    instant_format_ms(soak->start, out);
    buf_text(out, "\",\"end\":\"");
    instant_format_ms(soak->end - SPAN_MS, out);
    buf_text(out, "\"},\"action\":");
    if (i % SOAK_HTTP_ONE_IN == 0)
        buf_printf(out, "{\"type\":\"http\",\"url\":\"http://127.0.0.1:%d/soak\"}}",
                   (int)soak->receiver_port);
    else
        buf_text(out, "{\"type\":\"queue\",\"queue\":\"" SOAK_QUEUE "\"}}");
}

void subject_fill(struct soak *soak)
{
    static char text[CREATE_AT_ONCE * SCHEDULE_BYTES];

    for (int i = 0; i < soak->rate;) {
        struct buf body = BUF(text);
        struct request_answer answer;

        buf_text(&body, "{\"items\":[");
        do
            write_schedule(soak, i++, &body);
        while (i < soak->rate && i % CREATE_AT_ONCE);
        buf_text(&body, "]}");
        must(!body.cut);
        if (request_do(&(struct request){.port = soak->port,
                                         .method = "POST",
                                         .path = "/api/v1/bulk/schedules",
                                         .body = buf_as_str(&body),
                                         .patience_ms = REQUEST_MS},
                       &answer) != REQUEST_ANSWERED)
            DIE("schedules could not be created: there was no answer");
        if (answer.status != 200 || memmem(answer.body.ptr, answer.body.len, "\"error\"", 7))
            DIE("schedules could not be created: %d %.*s", answer.status, STR_ARG(answer.body));
    }
    if (clock_now() >= soak->start)
        DIE("creating the schedules took too long: their first slots have passed");
}

/* ---- observations from outside ---- */

static int count_entries(const char *path)
{
    DIR *dir = opendir(path);
    int count = 0;

    must(dir != NULL);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count - 2; /* itself and its parent */
}

static int64_t size_of(const struct soak *soak, const char *name)
{
    char path[SOAK_PATH_MAX + 32];
    struct stat stat_of;

    snprintf(path, sizeof path, "%s/%s", soak->dir, name);
    return stat(path, &stat_of) == 0 ? (int64_t)stat_of.st_size : 0;
}

/*
 * User and system time are the 14th and 15th fields; the second is a name that may contain
 * anything.
 */
static int64_t read_cpu(const char *text)
{
    const char *at = strrchr(text, ')');
    int64_t ticks;
    char *end;

    must(at != NULL);
    for (int field = 2; field < 14; field++) {
        at = strchr(at + 1, ' ');
        must(at != NULL);
    }
    ticks = strtoll(at, &end, 10);
    ticks += strtoll(end, NULL, 10);
    return ticks * (1000000 / sysconf(_SC_CLK_TCK));
}

struct subject_state subject_state(const struct soak *soak)
{
    char path[64], text[TEXT_MAX];
    struct subject_state state = {.file = size_of(soak, "belfry.db"),
                                  .wal = size_of(soak, "belfry.db-wal")};
    int status;

    if (has_ended(&status))
        DIE("the server has ended with %d; its log is %s/serve.log", status, soak->dir);
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    read_text(path, text);
    state.rss = number_after(text, "VmRSS:") * 1024;
    state.anonymous = number_after(text, "RssAnon:") * 1024;
    state.threads = (int)number_after(text, "Threads:");
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    read_text(path, text);
    state.cpu_us = read_cpu(text);
    snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
    state.descriptors = count_entries(path);
    return state;
}

struct subject_count subject_count(const struct soak *soak)
{
    static const struct db_stmt sums = {
        "SELECT sum(started), sum(skipped), sum(missed), sum(dropped + cancelled),"
        " sum(succeeded), sum(failed), sum(open + waiting), (SELECT count(*) FROM history)"
        " FROM cursors",
        NULL};
    struct db_options options = {.readonly = true, .deadline_ms = REQUEST_MS};
    struct arena *arena = arena_new(ROWS_BYTES);
    struct db_result row = {0};
    struct subject_count count;
    char url[SOAK_PATH_MAX + 32];
    struct db *db = NULL;
    struct err err;

    snprintf(url, sizeof url, "sqlite:%s/belfry.db", soak->dir);
    if (db_open(url, &options, &db, &err) != RC_OK)
        DIE("%s: %s", url, err.text);
    db_send(db, &sums, NULL, &row);
    if (db_flush(db, arena, &err) != RC_OK)
        DIE("%s: %s", url, err.text);
    count = (struct subject_count){
        .started = db_int_at(&row, 0, 0),
        .skipped = db_int_at(&row, 0, 1),
        .missed = db_int_at(&row, 0, 2),
        .other = db_int_at(&row, 0, 3),
        .succeeded = db_int_at(&row, 0, 4),
        .failed = db_int_at(&row, 0, 5),
        .open = db_int_at(&row, 0, 6),
        .history = db_int_at(&row, 0, 7),
    };
    db_close(db);
    arena_free(arena);
    return count;
}
