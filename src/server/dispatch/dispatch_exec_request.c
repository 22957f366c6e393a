/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The input of a program: arguments, a clean environment, and the run as JSON on standard
 * input.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "core/time/text.h"
#include "model/action_check.h"
#include "model/template.h"
#include "model/trace.h"
#include "server/dispatch/dispatch_exec_parts.h"

/* Directories that exist on every system and that users cannot write to. */
#define SAFE_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

enum { OWN_VARS = 16, NUMBER_BYTES = 24 };

struct vars {
    struct exec_var *list;
    int count;
    struct arena *arena;
};

static void add(struct vars *vars, const char *name, struct str value)
{
    vars->list[vars->count++] = (struct exec_var){str_of(name), value};
}

static void add_number(struct vars *vars, const char *name, int64_t number)
{
    char text[NUMBER_BYTES];
    struct buf buf = BUF(text);

    buf_printf(&buf, "%" PRId64, number);
    add(vars, name, arena_str(vars->arena, buf_as_str(&buf)));
}

static void add_instant(struct vars *vars, const char *name, instant at)
{
    char text[INSTANT_TEXT_MAX];
    struct buf buf = BUF(text);

    instant_format_ms(at, &buf);
    add(vars, name, arena_str(vars->arena, buf_as_str(&buf)));
}

static bool has(const struct vars *vars, const char *name)
{
    for (int i = 0; i < vars->count; i++)
        if (str_eq(vars->list[i].name, str_of(name)))
            return true;
    return false;
}

static void add_missing(struct vars *vars, const char *name, struct str value)
{
    if (!has(vars, name))
        add(vars, name, value);
}

/*
 * Sets HOME only for the server's own user.  The supervisor looks up that of another user,
 * because it may take long.
 */
static void add_user_vars(struct vars *vars, struct str user)
{
    const char *home = getenv("HOME"), *name = getenv("USER");
    bool is_own_user = user.len == 0;

    if (is_own_user && name)
        user = str_of(name);
    if (user.len > 0) {
        add_missing(vars, "USER", user);
        add_missing(vars, "LOGNAME", user);
    }
    if (is_own_user)
        add_missing(vars, "HOME", home ? str_of(home) : STR("/"));
}

static void add_run(struct vars *vars, const struct dispatch_order *order,
                    const struct payload *payload)
{
    const struct run *run = &order->assignment.run;
    char trace[TRACE_TEXT_MAX];

    add(vars, "BELFRY_RUN", order->assignment.id);
    add(vars, "BELFRY_SCHEDULE", order->assignment.name);
    add(vars, "BELFRY_NAMESPACE", order->namespace_name);
    add_number(vars, "BELFRY_ATTEMPT", run->attempt);
    add_number(vars, "BELFRY_FENCE", run->fence);
    add_instant(vars, "BELFRY_SCHEDULED_TIME", run->slot);
    add_instant(vars, "BELFRY_EXECUTION_TIME", payload_executed_at(payload));
    add_missing(vars, "TRACEPARENT",
                arena_str(vars->arena, trace_print(run, order->assignment.id, trace)));
}

static enum rc fill_argv(const struct exec_action *action, struct filling *filling,
                         struct arena *arena, struct str *argv, struct err *reterr)
{
    struct template_place place = {.max = EXEC_ARG_BYTES_MAX};
    enum rc rc = RC_OK;

    for (int i = 0; i < action->argv.count && rc == RC_OK; i++) {
        rc = template_fill(filling, place, action->argv.list[i], arena, &argv[i], reterr);
        if (rc != RC_OK)
            err_in(reterr, "action.argv[%d]", i);
    }
    return rc;
}

static enum rc fill_env(const struct exec_action *action, struct filling *filling,
                        struct vars *vars, struct err *reterr)
{
    struct template_place place = {.max = EXEC_ARG_BYTES_MAX};
    enum rc rc = RC_OK;

    for (int i = 0; i < action->env.count && rc == RC_OK; i++) {
        struct exec_var *var = &vars->list[vars->count++];

        var->name = action->env.list[i].name;
        rc = template_fill(filling, place, action->env.list[i].value, vars->arena, &var->value,
                           reterr);
        if (rc != RC_OK)
            err_in(reterr, "action.env.%.*s", STR_ARG(var->name));
    }
    return rc;
}

static enum rc check_program(struct str program, struct err *reterr)
{
    enum rc rc = exec_path_check(program, reterr);

    if (rc != RC_OK)
        err_in(reterr, "action.argv[0]");
    return rc;
}

enum rc exec_request_of(const struct dispatch *dispatch, struct exec_request *ret,
                        struct err *reterr)
{
    const struct exec_action *action = &dispatch->action.exec;
    struct payload payload = dispatch_payload(dispatch);
    struct filling filling = {.payload = &payload};
    struct vars vars = {.arena = dispatch->arena};
    struct str *argv = arena_array(dispatch->arena, (size_t)action->argv.count, sizeof *argv);
    enum rc rc = fill_argv(action, &filling, dispatch->arena, argv, reterr);

    vars.list = arena_array(dispatch->arena, (size_t)action->env.count + OWN_VARS,
                            sizeof *vars.list);
    if (rc == RC_OK)
        rc = check_program(argv[0], reterr);
    if (rc == RC_OK)
        rc = fill_env(action, &filling, &vars, reterr);
    filling_end(&filling);
    if (rc != RC_OK)
        return rc;
    add_run(&vars, dispatch->order, &payload);
    add_missing(&vars, "PATH", STR(SAFE_PATH));
    add_missing(&vars, "LANG", STR("C.UTF-8"));
    add_user_vars(&vars, action->user);
    *ret = (struct exec_request){
        .argv = argv,
        .argc = action->argv.count,
        .env = vars.list,
        .env_count = vars.count,
        .cwd = action->cwd,
        .user = action->user,
        .input = dispatch_payload_text(dispatch, &payload),
        .caps = {.cpu = action->limits.cpu,
                 .memory = action->limits.memory,
                 .file_size = action->limits.file_size,
                 .open_files = action->limits.open_files,
                 .processes = action->limits.processes},
    };
    return RC_OK;
}
