/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the worker's options, and the program, directory and environment that it starts with.
 */
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/must.h"
#include "cli/worker/worker_options.h"
#include "core/time/text.h"
#include "io/host_name.h"
#include "model/grant_fields.h"

#define DRAIN_MAX SPAN_DAY

enum { FIELD_SHOWN_MAX = 20 }; /* bytes of an unknown field in an error */

static enum rc read_span(const char *text, const char *name, span *ret, struct err *reterr)
{
    span value = 0;

    if (!text)
        return RC_OK;
    if (duration_parse(str_of(text), &value, reterr) != RC_OK || value > DRAIN_MAX)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "--%s must be a duration up to 1d, such as 30s, not \"%.100s\"", name,
                       text);
    *ret = value;
    return RC_OK;
}

static enum rc read_jobs(const char *text, int *ret, struct err *reterr)
{
    struct str s = str_of(text);
    int64_t n = 0;

    if (!text)
        return RC_OK;
    if (str_take_number(&s, WORKER_JOBS_MAX, &n) == 0 || s.len > 0 || n < 1 ||
        n > WORKER_JOBS_MAX)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "--concurrency must be 1 to %d, not \"%.100s\"", WORKER_JOBS_MAX, text);
    *ret = (int)n;
    return RC_OK;
}

static enum rc read_queues(const struct args *args, struct worker_options *o,
                           struct err *reterr)
{
    int count = args_all(args, OPT_QUEUE, o->queues, WORKER_QUEUES_MAX);

    if (count == 0)
        return err_set(reterr, RC_INVALID, -1, 0, "missing option: --queue NAME");
    if (count > WORKER_QUEUES_MAX)
        return err_set(reterr, RC_INVALID, -1, 0, "--queue may be given at most %d times",
                       WORKER_QUEUES_MAX);
    for (int i = 0; i < count; i++)
        if (o->queues[i][0] == '\0' || strlen(o->queues[i]) > WORKER_NAME_MAX ||
            !str_is_utf8(str_of(o->queues[i])))
            return err_set(reterr, RC_INVALID, -1, 0, "--queue must be UTF-8 of 1 to %d bytes",
                           WORKER_NAME_MAX);
    o->queue_count = count;
    return RC_OK;
}

/* The default, host and process id, is unique and easy to find. */
static enum rc read_name(const char *text, struct worker_options *o, struct err *reterr)
{
    struct buf name = BUF(o->name);
    char host[HOST_NAME_SIZE];

    if (text) {
        buf_text(&name, text);
    } else {
        host_name_read(host);
        buf_printf(&name, "%s:%d", host[0] != '\0' ? host : "worker", (int)getpid());
    }
    if (name.cut || name.len == 0 || !str_is_utf8(buf_as_str(&name)))
        return err_set(reterr, RC_INVALID, -1, 0, "--name must be UTF-8 of 1 to %d bytes",
                       WORKER_NAME_MAX);
    return RC_OK;
}

/* The fields for the program, and those that the worker itself needs. */
static enum rc read_fields(const char *text, field_set *ret, struct err *reterr)
{
    static const field_set always = FIELD(GRANT_FIELD_SCHEDULE) | FIELD(GRANT_FIELD_SLOT) |
                                    FIELD(GRANT_FIELD_ATTEMPT) | FIELD(GRANT_FIELD_QUEUE) |
                                    FIELD(GRANT_FIELD_LEASE_UNTIL) |
                                    FIELD(GRANT_FIELD_NAMESPACE);
    struct err why;
    field_set fields;

    if (!text)
        return RC_OK;
    if (fields_from_text(str_of(text), &grant_fields, &fields, &why) != RC_OK)
        return why.rc == RC_LIMIT
                   ? err_set(reterr, RC_INVALID, -1, 0, "--fields %s", why.text)
                   : err_set(reterr, RC_INVALID, -1, 0, "--fields: \"%.*s\" %s",
                             why.len < FIELD_SHOWN_MAX ? why.len : FIELD_SHOWN_MAX,
                             text + why.at, why.text);
    *ret = fields | always;
    return RC_OK;
}

enum rc worker_options_read(const struct args *args, struct worker_options *ret,
                            struct err *reterr)
{
    struct worker_options o = {
        .jobs = 1,
        .server = setting_find(args->value[OPT_SERVER], "BELFRY_SERVER", SERVER_DEFAULT),
        .namespace = setting_find(args->value[OPT_NAMESPACE], "BELFRY_NAMESPACE", ""),
        .ca_file = setting_find(args->value[OPT_CACERT], "BELFRY_CACERT", NULL),
        .drain = 30 * SPAN_S,
        .kill_after = 10 * SPAN_S,
        .fields = FIELDS_ALL,
        .is_once = args->value[OPT_ONCE] != NULL,
        .is_quiet = args->value[OPT_QUIET] != NULL,
        .program = args->program,
    };
    enum rc rc = read_queues(args, &o, reterr);

    if (!rc)
        rc = read_jobs(args->value[OPT_CONCURRENCY], &o.jobs, reterr);
    if (!rc)
        rc = read_name(args->value[OPT_NAME], &o, reterr);
    if (!rc)
        rc = read_span(args->value[OPT_DRAIN], "drain", &o.drain, reterr);
    if (!rc)
        rc = read_span(args->value[OPT_KILL_AFTER], "kill-after", &o.kill_after, reterr);
    if (!rc)
        rc = read_fields(args->value[OPT_FIELDS], &o.fields, reterr);
    if (!rc)
        rc = token_find(args->value[OPT_TOKEN], o.token, reterr);
    if (!rc && o.ca_file && access(o.ca_file, R_OK) != 0)
        rc = err_set(reterr, RC_INVALID, -1, 0, "--cacert: cannot read %.200s", o.ca_file);
    if (rc)
        return rc;
    if (args->operands > 0)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "unexpected argument \"%.100s\"; put -- before the program",
                       args->operand[0]);
    if (!o.program || !o.program[0])
        return err_set(reterr, RC_INVALID, -1, 0, "missing program; use -- PROGRAM [ARG]...");
    if (o.is_once)
        o.jobs = 1;
    *ret = o;
    return RC_OK;
}

static bool is_program(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* Searches PATH like a shell. */
static enum rc find_program(struct worker *worker, struct err *reterr)
{
    const char *name = worker->options.program[0], *path = getenv("PATH");
    struct str rest = str_of(path ? path : "/usr/local/bin:/usr/bin:/bin"), dir;
    bool is_path = strchr(name, '/') != NULL;

    if (is_path)
        rest = STR(".");
    for (bool has_more = true; has_more;) {
        struct buf out = BUF(worker->program);

        has_more = str_cut(rest, ':', &dir, &rest);
        if (!has_more)
            dir = rest;
        if (name[0] != '/') {
            if (dir.len == 0 || dir.ptr[0] != '/')
                buf_printf(&out, "%s/", worker->cwd);
            if (!is_path && dir.len > 0)
                buf_printf(&out, "%.*s/", (int)dir.len, dir.ptr);
        }
        buf_text(&out, name);
        if (!out.cut && is_program(worker->program))
            return RC_OK;
    }
    return err_set(reterr, RC_NOT_FOUND, -1, 0, "program \"%.200s\" not found", name);
}

static enum rc check_files(const struct worker_options *o, struct err *reterr)
{
    rlim_t need = (rlim_t)o->jobs * WORKER_FILES_EACH + WORKER_FILES_OWN;
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= need)
        return RC_OK;
    return err_set(reterr, RC_LIMIT, -1, 0,
                   "--concurrency %d needs %d open files; the limit is %d, see ulimit -n",
                   o->jobs, (int)need, (int)limit.rlim_cur);
}

/* Variables that each run sets, and the token, which programs must not see. */
static bool is_reserved(struct str name)
{
    static const char *const names[] = {
        "BELFRY_TOKEN",     "BELFRY_RUN",     "BELFRY_SCHEDULE", "BELFRY_QUEUE",
        "BELFRY_NAMESPACE", "BELFRY_ATTEMPT", "BELFRY_FENCE",    "BELFRY_SCHEDULED_TIME",
        "BELFRY_SERVER"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (str_eq(name, str_of(names[i])))
            return true;
    return false;
}

static enum rc read_environment(struct worker *worker, struct err *reterr)
{
    size_t count = 0;

    while (environ[count])
        count++;
    if (count + WORKER_VARS > EXEC_WORD_COUNT_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0, "the environment has more than %d variables",
                       EXEC_WORD_COUNT_MAX - WORKER_VARS);
    worker->env = calloc(count + WORKER_VARS, sizeof *worker->env);
    must(worker->env);
    for (size_t i = 0; i < count; i++) {
        struct exec_var *var = &worker->env[worker->env_count];

        if (str_cut(str_of(environ[i]), '=', &var->name, &var->value) && var->name.len > 0 &&
            !is_reserved(var->name))
            worker->env_count++;
    }
    return RC_OK;
}

static enum rc read_arguments(struct worker *worker, struct err *reterr)
{
    char **words = worker->options.program;
    int count = 0;

    while (words[count])
        count++;
    if (count > EXEC_WORD_COUNT_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0, "the program has more than %d arguments",
                       EXEC_WORD_COUNT_MAX);
    worker->argv = calloc((size_t)count, sizeof *worker->argv);
    must(worker->argv);
    worker->argc = count;
    worker->argv[0] = str_of(worker->program);
    for (int i = 1; i < count; i++)
        worker->argv[i] = str_of(words[i]);
    return RC_OK;
}

enum rc worker_context_read(struct worker *worker, struct err *reterr)
{
    enum rc rc = RC_OK;

    if (!getcwd(worker->cwd, sizeof worker->cwd))
        rc = err_set(reterr, RC_NOT_FOUND, -1, 0, "cannot find the current directory");
    if (!rc)
        rc = find_program(worker, reterr);
    if (!rc)
        rc = check_files(&worker->options, reterr);
    if (!rc)
        rc = read_arguments(worker, reterr);
    if (!rc)
        rc = read_environment(worker, reterr);
    return rc;
}
