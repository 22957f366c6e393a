/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simulates a server and its actors: see fake_world.h.
 */
#include "fake_world.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/must.h"
#include "base/prng.h"
#include "engine/engine.h"
#include "forms.h"
#include "io/file.h"
#include "model/schedule_draft.h"
#include "sim/zones.h"
#include "store/schema.h"

enum {
    ARENA_MAX = 64 << 20,
    SCHEDULES = 8,
    HELD_MAX = 4096,  /* runs that are under way */
    LINE_MAX = 2048,  /* of a document */
    STEP_MS = 50,     /* from one turn to the next */
    DEATH_MS = 3000,  /* from one death of the process to the next */
    DRAIN_MS = 20000, /* after which nothing may be open */
    DATABASE_MAX = 64 << 20,
};

/* 2026-03-01T12:00:00Z */
#define BEGIN INT64_C(1772366400000000)

/* A run that an executor works on. */
struct held {
    struct run_id run;
    char id[RUN_ID_TEXT_MAX];
    int64_t fence;
    bool is_grant;
    instant ends;
};

struct maker {
    struct fake_world *world;
    struct prng prng;
    struct arena *arena;
    struct zones *zones;
    struct db *db;
    struct engine *engine;
    instant now;
    int64_t number, queues[FORM_QUEUES], namespace;
    struct held held[HELD_MAX];
    int held_count;
};

static void write_line(struct maker *m, const char *line)
{
    buf_printf(&m->world->journal, "%s\n", line);
    must(!m->world->journal.cut);
}

static void must_succeed(enum rc rc, const struct err *err)
{
    if (rc != RC_OK)
        fprintf(stderr, "fake world: %s: %s\n", rc_name(rc), err->text);
    must(rc == RC_OK);
}

/* ---- the process ---- */

static void boot(struct maker *m)
{
    struct engine_options options = {.node = STR("one"), .zones = zones_source(m->zones)};
    struct err err = {0};

    must_succeed(db_open(m->world->url, NULL, &m->db, &err), &err);
    must_succeed(schema_migrate(m->db, m->now, m->arena, &err), &err);
    m->engine = engine_new(&options);
    must_succeed(engine_boot(m->engine, m->db, m->now, &err), &err);
}

/* Calls that the process made end with it; the runs of workers do not. */
static void die(struct maker *m)
{
    int count = 0;

    m->engine = engine_free(m->engine);
    m->db = db_close(m->db);
    for (int i = 0; i < m->held_count; i++)
        if (m->held[i].is_grant)
            m->held[count++] = m->held[i];
    m->held_count = count;
}

static struct reply turn(struct maker *m, const struct command *command);

/* ---- reports and deliveries ---- */

static void take_assignment(struct maker *m, const struct assignment *work, bool is_grant)
{
    struct held *h = &m->held[m->held_count++];
    int64_t slot_ms = work->run.slot / SPAN_MS;
    char line[LINE_MAX];

    must(m->held_count < HELD_MAX);
    *h = (struct held){.run = {work->run.schedule, slot_ms, (uint32_t)work->run.pass},
                       .fence = work->run.fence,
                       .is_grant = is_grant,
                       .ends = m->now + prng_between(&m->prng, 0, 900) * SPAN_MS};
    snprintf(h->id, sizeof h->id, "%.*s", STR_ARG(work->id));
    if (is_grant)
        snprintf(line, sizeof line, "grant\t%" PRId64 "\t%s\t%d\t%" PRId64, m->now, h->id,
                 (int)work->run.attempt, h->fence);
    else
        snprintf(line, sizeof line, "sent\t%" PRId64 "\t%s\t%d\t%" PRId64 "\t%s\t%" PRId64,
                 m->now, h->id, (int)work->run.attempt, h->fence, h->id, slot_ms);
    write_line(m, line);
}

static int list_reports(struct maker *m, struct report *ret, struct held *ret_of)
{
    int count = 0, kept = 0;

    for (int i = 0; i < m->held_count; i++) {
        const struct held *h = &m->held[i];
        bool fails = prng_below(&m->prng, 8) == 0;

        if (h->ends > m->now || count == TURN_REPORTS_MAX) {
            m->held[kept++] = *h;
            continue;
        }
        ret_of[count] = *h;
        ret[count++] = (struct report){
            .kind = h->is_grant && prng_below(&m->prng, 12) == 0 ? REPORT_RELEASE : REPORT_DONE,
            .run = h->run,
            .fence = h->fence,
            .outcome = fails ? OUTCOME_FAILED : OUTCOME_SUCCEEDED,
            .is_retryable = true,
            .error = fails ? STR("no") : STR(""),
            .result = STR("{}")};
    }
    m->held_count = kept;
    return count;
}

static void tell_report(struct maker *m, const struct held *h, const struct report *r,
                        enum rc rc)
{
    char line[LINE_MAX];

    if (!h->is_grant)
        return;
    must(rc == RC_OK || rc == RC_CONFLICT);
    snprintf(line, sizeof line, "report\t%" PRId64 "\t%s\t%" PRId64 "\t%s\t%s\t%s", m->now,
             h->id, h->fence, r->kind == REPORT_DONE ? "done" : "release",
             r->outcome == OUTCOME_SUCCEEDED ? "succeeded" : "failed",
             rc == RC_OK ? "ok" : "stale");
    write_line(m, line);
}

static struct reply turn(struct maker *m, const struct command *command)
{
    static struct report reports[TURN_REPORTS_MAX];
    static struct held of[TURN_REPORTS_MAX];
    struct poll poll = {.tag = 1,
                        .queues = {m->queues[0], m->queues[1]},
                        .queue_count = m->queues[0] ? FORM_QUEUES : 0,
                        .max = 20,
                        .worker = STR("w"),
                        .is_new = true};
    struct turn_in in = {.now = m->now,
                         .rows = TURN_ROWS_MAX,
                         .commands = command,
                         .command_count = command ? 1 : 0,
                         .reports = reports,
                         .report_count = list_reports(m, reports, of),
                         .polls = &poll,
                         .poll_count = poll.queue_count ? 1 : 0,
                         .capacity = {[LANE_HTTP] = 50}};
    struct turn_out out = {0};
    struct err err = {0};

    must_succeed(engine_turn(m->engine, &in, &out, &err), &err);
    for (int i = 0; i < out.report_count; i++)
        tell_report(m, &of[i], &reports[i], out.report_replies[i].rc);
    for (int i = 0; i < out.dispatch_count; i++)
        take_assignment(m, &out.dispatches[i], false);
    for (int i = 0; i < out.grant_count; i++)
        take_assignment(m, &out.grants[i], true);
    return command ? out.replies[0] : (struct reply){0};
}

/* ---- operators ---- */

static void ask(struct maker *m, const char *kind, const char *name, const char *body)
{
    char line[LINE_MAX];

    snprintf(line, sizeof line, "ask\t%" PRId64 "\t%" PRId64 "\t%s\t%s\t%s", m->now,
             ++m->number, kind, name, body);
    write_line(m, line);
}

static void write_reply(struct maker *m, const struct reply *reply)
{
    char line[LINE_MAX], run[RUN_ID_TEXT_MAX] = "";

    if (reply->run.schedule)
        run_id_format(&reply->run, run);
    snprintf(line, sizeof line, "reply\t%" PRId64 "\t%" PRId64 "\t%s\t%" PRId64 "\t%s", m->now,
             m->number, reply->rc == RC_OK ? "ok" : "fail", reply->version, run);
    write_line(m, line);
}

static void run_command(struct maker *m, enum command_kind kind, const char *word,
                        const char *name)
{
    struct command command = command_new(kind);
    struct reply reply;

    command.namespace = m->namespace;
    command.name = str_of(name);
    command.by = STR("op");
    ask(m, word, name, "{}");
    reply = turn(m, &command);
    write_reply(m, &reply);
}

static void write_schedule(struct maker *m, bool is_new, const char *name, struct str body)
{
    struct schedule_doc doc;
    struct schedule_draft made;
    struct draft_options options = {.zones = zones_source(m->zones)};
    struct err err = {0};

    must_succeed(schedule_from_text(body, m->arena, false, &doc, &err), &err);
    must_succeed(schedule_draft(&doc, &options, m->arena, &made, &err), &err);
    struct draft draft = {.plan = made.plan,
                          .queue = made.queue,
                          .spec = made.texts.spec,
                          .action = made.texts.action,
                          .policies = made.texts.policies,
                          .description = made.description};
    struct command command = {.kind = is_new ? COMMAND_CREATE : COMMAND_PUT,
                              .namespace = m->namespace,
                              .name = str_of(name),
                              .by = STR("op"),
                              .save = {.draft = &draft}};
    struct reply reply;

    ask(m, is_new ? "create" : "put", name, body.ptr);
    reply = turn(m, &command);
    write_reply(m, &reply);
}

static void draw_schedule(struct maker *m, bool is_new, const char *name, bool rests)
{
    char text[LINE_MAX];
    struct buf body = BUF(text);
    struct form form = {.prng = &m->prng, .id = str_of(name), .receiver = 1, .now = m->now};

    if (rests)
        form_rest(&form, &body);
    else
        form_draw(&form, &body);
    write_schedule(m, is_new, name, buf_as_str(&body));
}

static void operate(struct maker *m)
{
    char name[32];

    snprintf(name, sizeof name, "s%d", (int)prng_below(&m->prng, SCHEDULES));
    switch (prng_below(&m->prng, 20)) {
    case 0:
        draw_schedule(m, false, name, false);
        break;
    case 1:
        run_command(m, COMMAND_PAUSE, "pause", name);
        break;
    case 2:
    case 3:
        run_command(m, COMMAND_RESUME, "resume", name);
        break;
    case 4:
    case 5:
        run_command(m, COMMAND_TRIGGER, "trigger", name);
        break;
    default:
        (void)turn(m, NULL);
        break;
    }
}

/* ---- the world ---- */

static void create_objects(struct maker *m)
{
    struct command command = {.kind = COMMAND_NAMESPACE, .name = STR("default")};

    m->namespace = turn(m, &command).schedule;
    for (int i = 0; i < FORM_QUEUES; i++) {
        char name[16];

        snprintf(name, sizeof name, "torture-%d", i);
        command = (struct command){
            .kind = COMMAND_QUEUE, .namespace = m->namespace, .name = str_of(name)};
        m->queues[i] = turn(m, &command).schedule;
    }
    for (int i = 0; i < SCHEDULES; i++) {
        char name[16];

        snprintf(name, sizeof name, "s%d", i);
        draw_schedule(m, true, name, false);
    }
    draw_schedule(m, true, "gone", false);
}

static void live(struct maker *m, int seconds)
{
    create_objects(m);
    for (int ms = STEP_MS; ms < seconds * 1000; ms += STEP_MS) {
        m->now += STEP_MS * SPAN_MS + prng_between(&m->prng, 0, 20);
        if (ms % DEATH_MS == 0) {
            die(m);
            boot(m);
        }
        operate(m);
        arena_reset(m->arena);
    }
    run_command(m, COMMAND_TRIGGER, "trigger", "gone");
    run_command(m, COMMAND_DELETE, "delete", "gone");
    for (int i = 0; i < SCHEDULES; i++) {
        char name[16];

        m->now += SPAN_MS;
        snprintf(name, sizeof name, "s%d", i);
        run_command(m, COMMAND_RESUME, "resume", name);
        draw_schedule(m, false, name, true);
    }
    for (int ms = 0; ms < DRAIN_MS; ms += STEP_MS) {
        m->now += STEP_MS * SPAN_MS;
        (void)turn(m, NULL);
    }
}

static void begin_world(struct fake_world *world)
{
    *world = (struct fake_world){
        .dir = "/tmp/belfry-fake-XXXXXX",
        .journal = {.ptr = malloc(FAKE_WORLD_JOURNAL_MAX), .cap = FAKE_WORLD_JOURNAL_MAX}};
    must(world->journal.ptr && mkdtemp(world->dir));
    snprintf(world->url, sizeof world->url, "sqlite:%s/belfry.db", world->dir);
}

void fake_world_make(struct fake_world *world, uint64_t seed, int seconds)
{
    struct maker *m = calloc(1, sizeof *m);

    must(m);
    begin_world(world);
    *m = (struct maker){
        .world = world, .arena = arena_new(ARENA_MAX), .zones = zones_new(), .now = BEGIN};
    prng_seed(&m->prng, seed);
    boot(m);
    live(m, seconds);
    die(m);
    zones_free(m->zones);
    arena_free(m->arena);
    free(m);
}

/* A closed database is one file. */
void fake_world_copy(const struct fake_world *world, struct fake_world *ret)
{
    char *bytes = malloc(DATABASE_MAX), path[128];
    ssize_t length;
    int fd;

    must(bytes);
    begin_world(ret);
    buf_str(&ret->journal, buf_as_str(&world->journal));
    snprintf(path, sizeof path, "%s/belfry.db", world->dir);
    length = file_read_at(AT_FDCWD, path, bytes, DATABASE_MAX);
    must(length > 0 && length < DATABASE_MAX);
    snprintf(path, sizeof path, "%s/belfry.db", ret->dir);
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    must(fd >= 0 && write(fd, bytes, (size_t)length) == length);
    close(fd);
    free(bytes);
}

void fake_world_damage(struct fake_world *world, const char *sql)
{
    struct db *db = NULL;
    struct err err = {0};

    must_succeed(db_open(world->url, NULL, &db, &err), &err);
    must_succeed(db_exec(db, str_of(sql), &err), &err);
    db_close(db);
}

void fake_world_free(struct fake_world *world)
{
    static const char *const names[] = {"", "-wal", "-shm", ".lock"};
    char path[128];

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/belfry.db%s", world->dir, names[i]);
        unlink(path);
    }
    rmdir(world->dir);
    free(world->journal.ptr);
}
