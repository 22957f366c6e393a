/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts one crontab line into a schedule that behaves as cron does: it runs the shell with
 * the settings as environment, HOME as directory and the text after % as input; runs may
 * overlap, and missed runs are not repeated.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/must.h"
#include "cli/import/crontab_clock.h"
#include "cli/import/import.h"
#include "core/spec/spec_def.h"

/* Longer than the largest gap between two times of any line: 29 February on a given weekday. */
#define VERIFIED_S (INT64_C(36525) * IMPORT_YEARS / 100 * 86400)

/* ---- the document ---- */

/*
 * `${` begins a template in an exec action; `$${` gives the shell a literal `${`.  The input of
 * a queue action has no templates.
 */
static json_t *verbatim(struct str text, bool has_templates)
{
    struct buf out = {.cap = 2 * text.len + 1};
    json_t *value;

    if (!has_templates)
        return json_new_str(text);
    out.ptr = malloc(out.cap);
    must(out.ptr);
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '$' && i + 1 < text.len && text.ptr[i + 1] == '{')
            buf_char(&out, '$');
        buf_char(&out, text.ptr[i]);
    }
    must(!out.cut);
    value = json_new_str(buf_as_str(&out));
    free(out.ptr);
    return value;
}

static json_t *make_argv(const struct crontab_line *line, bool has_templates)
{
    struct str shell = crontab_setting(line, STR("SHELL"));
    json_t *argv = json_new_list();

    if (shell.len == 0)
        shell = STR("/bin/sh");
    if (line->has_input) {
        json_add(argv, json_new_str(STR("/bin/sh")));
        json_add(argv, json_new_str(STR("-c")));
        json_add(argv, json_new_str(STR("printf '%s\\n' \"$2\" | \"$0\" -c \"$1\"")));
        json_add(argv, verbatim(shell, has_templates));
        json_add(argv, verbatim(line->command, has_templates));
        json_add(argv, verbatim(line->input, has_templates));
        return argv;
    }
    json_add(argv, verbatim(shell, has_templates));
    json_add(argv, json_new_str(STR("-c")));
    json_add(argv, verbatim(line->command, has_templates));
    return argv;
}

/* Settings for cron itself, not for the command. */
static bool is_cron_setting(struct str name)
{
    static const char *const names[] = {"MAILTO",       "MAILFROM", "CRON_TZ",
                                        "RANDOM_DELAY", "LOGNAME",  "CONTENT_TYPE"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (str_eq(name, str_of(names[i])))
            return true;
    return false;
}

/* Members of an exec action, which are the input of a queue action. */
static void put_program(json_t *to, const struct crontab_line *line, bool has_templates,
                        struct arena *arena)
{
    json_t *env = json_new_object();
    struct str home = crontab_setting(line, STR("HOME"));

    json_put(to, "argv", make_argv(line, has_templates));
    if (home.len > 0)
        json_put(to, "cwd", json_new_str(home));
    if (line->user.len > 0)
        json_put(to, "user", json_new_str(line->user));
    for (int i = 0; i < line->env_count; i++)
        if (!is_cron_setting(line->env[i].name))
            json_put(env, arena_str(arena, line->env[i].name).ptr,
                     verbatim(line->env[i].value, has_templates));
    if (json_object_size(env) > 0)
        json_put(to, "env", env);
    else
        json_decref(env);
}

static json_t *make_action(const struct crontab_line *line, struct str queue,
                           struct arena *arena)
{
    json_t *action = json_new_object(), *input;

    if (queue.len == 0) {
        json_put(action, "type", json_new_str(STR("exec")));
        put_program(action, line, true, arena);
        return action;
    }
    input = json_new_object();
    json_put(action, "type", json_new_str(STR("queue")));
    json_put(action, "queue", json_new_str(queue));
    put_program(input, line, false, arena);
    json_put(action, "input", input);
    return action;
}

static json_t *make_document(const struct imported *in, struct str queue, struct arena *arena)
{
    const struct crontab_line *line = in->line;
    json_t *document = json_new_object(), *cron = json_new_object(), *list = json_new_list();
    json_t *spec = json_new_object();

    json_put(cron, "expr", json_new_str(line->when));
    json_put(cron, "dialect", json_new_str(STR("vixie")));
    json_add(list, cron);
    json_put(spec, "cron", list);
    json_put(spec, "timezone", json_new_str(in->zone));
    json_put(document, "id", json_new_str(str_of(in->id)));
    if (line->comment.len > 0)
        json_put(document, "description", json_new_str(line->comment));
    json_put(document, "labels", json_pack("{s:s}", "imported-from", "crontab"));
    json_put(document, "spec", spec);
    json_put(document, "action", make_action(line, queue, arena));
    json_put(document, "policies",
             json_pack("{s:s,s:{s:s}}", "overlap", "allowAll", "catchup", "mode", "none"));
    return document;
}

/* ---- times ---- */

bool import_is_reboot(const struct crontab_line *line)
{
    return str_eq(line->when, STR("@reboot"));
}

static enum rc compile(const struct import_options *options, struct arena *arena,
                       struct imported *in, struct err *reterr)
{
    struct cron_def cron = {.expr = in->line->when, .dialect = DIALECT_VIXIE};
    struct spec_def def = spec_def_empty();
    struct zoneinfo *known = options->zones;
    struct zone_source zones = {zoneinfo_find_in, &known};
    enum rc rc;

    if (memchr(in->line->when.ptr, '~', in->line->when.len))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "a~b is random: cron chooses it whenever it reads the crontab; write a "
                       "fixed value");
    def.cron = &cron;
    def.cron_count = 1;
    def.zone = in->zone;
    rc = spec_compile(&def, str_of(in->id), &zones, arena, &in->spec, reterr);
    return rc == RC_OK ? rc : (reterr->rc = RC_INVALID);
}

/* Stores the times up to `until` and returns how many; also sets the times that are shown. */
static int find_times(const struct import_options *options, struct imported *in, int64_t until,
                      int64_t *ret)
{
    struct spec_ctx ctx = spec_ctx(options->now);
    struct spec_walk walk;
    struct slot slot;
    int count = 0;

    spec_walk_begin(&walk, &in->spec, &ctx, instant_of_seconds(instant_seconds(options->now)));
    while (count < IMPORT_PROVED && spec_walk_next(&walk, &slot)) {
        bool is_verified = instant_seconds(slot.at) <= until;

        if (!is_verified && in->next_count == IMPORT_SHOWN)
            break;
        if (in->next_count < IMPORT_SHOWN)
            in->next[in->next_count++] = slot;
        if (is_verified)
            ret[count++] = instant_seconds(slot.at);
    }
    return count;
}

/* Compares the next times of the schedule with those of crontab_clock; they must be equal. */
static enum rc verify_times(const struct import_options *options, struct imported *in,
                            struct err *reterr)
{
    static int64_t theirs[IMPORT_PROVED], ours[IMPORT_PROVED];
    int64_t after = instant_seconds(options->now), until = after + VERIFIED_S;
    struct crontab_clock clock;
    int count, found;

    if (!crontab_clock_read(in->line->when, &clock))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "crontab(5) does not define this syntax, so the times cannot be "
                       "verified");
    count = find_times(options, in, until, ours);
    if (count == IMPORT_PROVED)
        until = ours[count - 1];
    found = crontab_clock_next(&clock, in->spec.zones[0].tz, after, until, theirs,
                               IMPORT_PROVED);
    for (int i = 0; i < count || i < found; i++)
        if (i >= count || i >= found || ours[i] != theirs[i])
            return err_set(reterr, RC_INVALID, -1, 0,
                           "time %d differs from cron(8): %" PRId64 " instead of %" PRId64
                           " seconds since 1970",
                           i + 1, i < count ? ours[i] : -1, i < found ? theirs[i] : -1);
    in->proved = count;
    return RC_OK;
}

enum rc import_line(const struct import_options *options, struct arena *arena,
                    struct imported *in, struct err *reterr)
{
    enum rc rc;

    in->zone = in->line->zone.len > 0 ? in->line->zone : options->zone;
    rc = compile(options, arena, in, reterr);
    if (rc == RC_OK)
        rc = verify_times(options, in, reterr);
    if (rc == RC_OK)
        in->document = make_document(in, options->queue, arena);
    return rc;
}
