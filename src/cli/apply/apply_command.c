/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry apply` and `belfry diff`.
 */
#include "cli/apply/apply.h"
#include "cli/frame/commands.h"
#include "cli/frame/confirm.h"
#include "cli/frame/report.h"

enum { PATHS_MAX = 64 };

enum {
    OPT_FILE = REMOTE_OPTIONS,
    OPT_PRUNE,
    OPT_LABEL,
    OPT_DIFF_COUNT,
    OPT_DRY_RUN = OPT_DIFF_COUNT,
    OPT_YES,
    OPT_APPLY_COUNT,
};

#define FILE_ROW                                                            \
    [OPT_FILE] = {"file", 'f', "PATH", NULL,                                \
                  "file, or directory of *.yaml, *.yml and *.json files;\n" \
                  "- is standard input; may be repeated (required)"}

/* The server checks the schedules even if other entries are invalid, to report all errors. */
static int compare(const struct args *args, struct apply *apply, int read_status)
{
    int status = remote_open(args, &apply->remote);

    if (status == STATUS_OK)
        status = apply_compare(apply);
    return read_status != STATUS_OK ? read_status : status;
}

/* Reads the files and compares them with the server; changes nothing. */
static int read_and_compare(const struct args *args, struct apply *apply,
                            struct manifest *manifest)
{
    const char *paths[PATHS_MAX];
    int count = args_all(args, OPT_FILE, paths, PATHS_MAX), status;
    struct err err;

    *manifest = (struct manifest){.arena = NULL};
    if (count == 0 || count > PATHS_MAX || args->operands > 0) {
        if (args->operands > 0)
            err_set(&err, RC_INVALID, -1, 0, "unexpected argument \"%.100s\"; use -f %.100s",
                    args->operand[0], args->operand[0]);
        else if (count == 0)
            err_set(&err, RC_INVALID, -1, 0, "missing option: -f PATH");
        else
            err_set(&err, RC_INVALID, -1, 0, "-f may be given at most %d times", PATHS_MAX);
        return report_usage(&err, args->command->name);
    }
    if (!args->value[OPT_PRUNE] != !args->value[OPT_LABEL]) {
        err_set(&err, RC_INVALID, -1, 0, "--prune and -l KEY=VALUE must be used together");
        return report_usage(&err, args->command->name);
    }
    status = manifest_read(paths, count, manifest);
    if (status == STATUS_OK || manifest->count > 0)
        status = compare(args, apply, status);
    if (status == STATUS_OK && args->value[OPT_PRUNE])
        status = apply_find_pruned(apply, args->value[OPT_LABEL]);
    return status;
}

static int diff_run(const struct args *args)
{
    struct manifest manifest;
    struct apply apply = {.manifest = &manifest};
    int status = read_and_compare(args, &apply, &manifest);

    if (status == STATUS_OK) {
        status = remote_output(apply.remote) == OUTPUT_JSON ? apply_show_json(&apply, false)
                                                            : apply_show(&apply);
        if (status == STATUS_OK && apply_is_different(&apply))
            status = STATUS_FAILED;
    }
    apply_free(&apply);
    return status;
}

static int apply_changes(const struct args *args, struct apply *apply)
{
    bool is_json = remote_output(apply->remote) == OUTPUT_JSON;
    size_t pruned = json_array_size(apply->pruned);
    int status = is_json ? STATUS_OK : apply_show(apply), printed;

    if (status != STATUS_OK)
        return status;
    if (args->value[OPT_DRY_RUN])
        return is_json ? apply_show_json(apply, true) : apply_show_times(apply);
    if (pruned > 0 && !args->value[OPT_YES])
        status = confirm("Delete %zu schedule%s?", pruned, pruned == 1 ? "" : "s");
    if (status != STATUS_OK)
        return status;
    status = apply_do(apply);
    if (status != STATUS_OK && status != STATUS_FAILED)
        return status;
    printed = is_json ? apply_show_json(apply, false) : apply_print_summary(apply);
    return status != STATUS_OK ? status : printed;
}

static int apply_run(const struct args *args)
{
    struct manifest manifest;
    struct apply apply = {.manifest = &manifest};
    int status = read_and_compare(args, &apply, &manifest);

    if (status == STATUS_OK)
        status = apply_changes(args, &apply);
    apply_free(&apply);
    return status;
}

static const struct option apply_options[OPT_APPLY_COUNT] = {
    REMOTE_OPTION_ROWS,
    FILE_ROW,
    [OPT_PRUNE] = {"prune", '\0', NULL, NULL,
                   "delete schedules that -l selects and no file contains"},
    [OPT_LABEL] = {"label", 'l', "KEY=VALUE", NULL,
                   "label of the schedules that --prune may delete"},
    [OPT_DRY_RUN] = {"dry-run", '\0', NULL, NULL,
                     "change nothing; print the changes and the times of\n"
                     "schedules before and after"},
    [OPT_YES] = {"yes", 'y', NULL, NULL, "delete without confirmation"},
};

const struct command apply_command = {
    .name = "apply",
    .usage = "-f PATH [OPTION]...",
    .summary = "Apply schedule files to a namespace",
    .about = "Reads schedules, calendars and gates from YAML or JSON files, compares them\n"
             "with the server, and creates or changes those that differ.  All files are read\n"
             "first; if one is invalid, every error of every document is printed with file,\n"
             "line and field, and nothing is changed.\n"
             "\n"
             "A schedule has the format of the API, with its id; a calendar is {calendar:\n"
             "NAME, dates: […]}, a gate {gate: NAME, limit: N}.  A file holds one of them, a\n"
             "list, or several YAML documents separated by ---.  `belfry export` writes such\n"
             "files.\n"
             "\n"
             "`paused: true`, or {reason: …, until: …}, pauses a schedule; `paused: false`\n"
             "resumes it like `belfry schedule resume`; without `paused` its state does not\n"
             "change.\n",
    .examples = "  belfry apply -f schedules/\n"
                "  belfry apply -f schedules/ --dry-run\n"
                "  belfry apply -f schedules/ --prune -l managed-by=git --yes\n"
                "  belfry export | belfry apply -f - --server https://other:7227\n",
    OPTIONS(apply_options),
    .run = apply_run,
};

static const struct option diff_options[OPT_DIFF_COUNT] = {
    REMOTE_OPTION_ROWS,
    FILE_ROW,
    [OPT_PRUNE] = {"prune", '\0', NULL, NULL,
                   "also list schedules that -l selects and no file contains"},
    [OPT_LABEL] = {"label", 'l', "KEY=VALUE", NULL,
                   "label of the schedules that --prune lists"},
};

const struct command diff_command = {
    .name = "diff",
    .usage = "-f PATH [OPTION]...",
    .summary = "Compare schedule files with a namespace",
    .about = "Prints what `belfry apply` would change, field by field; changes nothing.\n"
             "Exits with status 0 if there is no difference, 1 if there is one.\n",
    .examples = "  belfry diff -f schedules/\n"
                "  belfry diff -f nightly.yaml -o json\n",
    OPTIONS(diff_options),
    .run = diff_run,
};
