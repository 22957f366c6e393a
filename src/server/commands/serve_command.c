/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry serve`: reads the configuration, tunes malloc() and runs the server.
 */
#include "server/commands/serve_command.h"

#include <malloc.h>
#include <unistd.h>

#include "cli/frame/report.h"
#include "server/commands/config_command.h"
#include "server/serve.h"

enum { OPT_FILE = CONFIG_KEYS, OPT_HELP_FLAG, OPT_COUNT };

enum {
    HEAP_ROOM = 32 << 20,  /* per thread: a large turn and half of the database cache */
    BLOCK_LARGE = 4 << 20, /* larger blocks get their own pages, returned on free()   */
};

static enum rc load(void *arg, struct config **ret, struct err *reterr)
{
    const struct args *args = arg;

    return config_command_load(args->value[OPT_FILE], args, ret, reterr);
}

/*
 * By default, the C library grows and trims the heap of a thread page by page.  Each step is a
 * system call that stops the other threads, and the kernel clears pages that come back.  Pages
 * that are never used cost nothing.
 */
static void keep_heaps(void)
{
    (void)mallopt(M_TOP_PAD, HEAP_ROOM);
    (void)mallopt(M_TRIM_THRESHOLD, HEAP_ROOM);
    (void)mallopt(M_MMAP_THRESHOLD, BLOCK_LARGE);
}

static int serve_run_command(const struct args *args)
{
    struct config *config = NULL;
    struct err err;
    int status;

    if (args->operands > 0) {
        err_set(&err, RC_INVALID, -1, 0,
                "unexpected argument \"%.100s\"; did you mean --listen %.100s?",
                args->operand[0], args->operand[0]);
        return report_usage(&err, "serve");
    }
    status = config_command_require(args->value[OPT_FILE], args, &config);
    if (status != STATUS_OK)
        return status;
    keep_heaps();
    status = serve_run(
        &(struct serve_options){.config = config, .reload = load, .arg = (void *)args});
    config_free(config);
    return status;
}

const struct command *serve_command(void)
{
    static struct option options[OPT_COUNT] = {
        [OPT_FILE] = {"file", 'f', "FILE", NULL, "file of key = value lines (default none)"},
        [OPT_HELP_FLAG] = {"help", 'h', NULL, NULL, "print this help"},
    };
    static const struct command command = {
        .name = "serve",
        .usage = "[--file FILE] [--KEY VALUE]...",
        .summary = "Run the server",
        .about =
            "Stores schedules, starts their runs when they are due, and serves the API.\n"
            "Without flags it keeps belfry.db in the state directory and listens on loopback.\n"
            "/readyz returns 200 when the server is ready.  SIGTERM drains: the server starts\n"
            "nothing new and gives runs time to finish; a second SIGTERM ends the drain.\n"
            "SIGHUP reloads the configuration.  `belfry config` shows every key and its\n"
            "value.\n",
        .examples = "  belfry serve\n"
                    "  belfry serve --db sqlite:/srv/belfry.db --listen 127.0.0.1:8080\n"
                    "  belfry serve --db postgres://belfry@db/belfry --file belfry.conf\n",
        .options = options,
        .option_count = OPT_COUNT,
        .own_from = CONFIG_KEYS,
        .run = serve_run_command,
    };

    config_command_options(options);
    return &command;
}
