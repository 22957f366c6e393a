/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Belfry's side of a move: which schedules it has, and their resume.
 */
#include <stdio.h>

#include "base/must.h"
#include "cli/import/move.h"
#include "core/time/text.h"

enum { PATH_ROOM = CLIENT_PATH_MAX, HTTP_MISSING = 404, HTTP_CONFLICT = 409 };

static const char *path_of(const struct move *move, const struct moved *one, const char *tail)
{
    struct buf out = arena_buf(move->arena, PATH_ROOM);

    buf_text(&out, "/api/v1/schedules/");
    rest_escape(&out, one->id);
    buf_text(&out, tail);
    return out.cut ? NULL : out.ptr;
}

/* Sets `here` from the schedule that the server has. */
static void read_state(const struct move *move, struct moved *one, const json_t *schedule)
{
    const json_t *state = json_object_get(schedule, "state");
    struct str reason = str_of(member_text(state, "pausedReason")), note;
    bool is_paused = strcmp(member_text(state, "status"), "paused") == 0;
    uint64_t print;

    one->here = HERE_OTHER;
    if (strcmp(member_text(state, "dialect"), move->source->dialect) != 0) {
        moved_end(one, MOVE_EXISTS, "a schedule of another API has this id here");
    } else if (!is_paused) {
        one->here = HERE_RUNS;
    } else if (!handover_read_here(reason, &print, &note)) {
        moved_end(one, MOVE_EXISTS, "it is paused here, but not by an import");
    } else if (print != one->print) {
        moved_end(one, MOVE_EXISTS,
                  "it was changed there since it was imported; delete it here to import it "
                  "again");
    } else {
        one->here = HERE_WAITS;
    }
}

void move_here_read(struct move *move, struct moved *list, int count)
{
    struct rest_call *calls = arena_array(move->arena, (size_t)count, sizeof *calls);

    for (int i = 0; i < count; i++)
        if (!list[i].is_done)
            calls[i] = (struct rest_call){.method = "GET", .path = path_of(move, &list[i], "")};
    rest_batch_run(move->here, calls, count);
    for (int i = 0; i < count; i++) {
        struct moved *one = &list[i];

        if (one->is_done)
            continue;
        if (calls[i].status == HTTP_MISSING && calls[i].json)
            one->here = HERE_ABSENT;
        else if (rest_is_ok(&calls[i]) && calls[i].json)
            read_state(move, one, calls[i].json);
        else
            moved_end(one, MOVE_FAILED, "Belfry: %s", calls[i].text);
    }
    rest_calls_clear(calls, count);
}

static json_t *preview_body(struct move *move, struct moved *one)
{
    char text[INSTANT_TEXT_MAX];
    struct buf from = BUF(text);
    struct err err;
    json_t *spec = move->source->spec(move, one, &err), *body;

    if (!spec) {
        moved_end(one, MOVE_INVALID, "Belfry: %s", err.text);
        return NULL;
    }
    body = json_new_object();
    instant_format_ms(move->now, &from);
    json_put(body, "spec", spec);
    json_put(body, "id", json_new_str(one->id));
    json_put(body, "count", json_new_int(HANDOVER_TIMES));
    json_put(body, "from", json_new_str(buf_as_str(&from)));
    return body;
}

static void read_preview(struct moved *one, const struct rest_call *call)
{
    struct move_times *times = &one->times_here;
    size_t i;
    const json_t *slot;
    struct err err;

    if (!rest_is_ok(call)) {
        moved_end(one, MOVE_INVALID, "Belfry: %s", call->text);
        return;
    }
    json_array_foreach(json_object_get(call->json, "next"), i, slot)
    {
        instant due;

        if (times->count < HANDOVER_TIMES &&
            instant_parse(str_of(member_text(slot, "due")), &due, &err) == RC_OK)
            times->at[times->count++] = due;
    }
    times->is_known = true;
}

void move_here_preview(struct move *move, struct moved *list, int count)
{
    struct rest_call *calls = arena_array(move->arena, (size_t)count, sizeof *calls);

    for (int i = 0; i < count; i++)
        if (!list[i].is_done && list[i].here == HERE_ABSENT) {
            calls[i] = (struct rest_call){.method = "POST",
                                          .body = preview_body(move, &list[i])};
            calls[i].path = calls[i].body ? "/api/v1/preview" : NULL;
        }
    rest_batch_run(move->here, calls, count);
    for (int i = 0; i < count; i++) {
        if (calls[i].path)
            read_preview(&list[i], &calls[i]);
        json_decref(calls[i].body);
    }
    rest_calls_clear(calls, count);
}

/*
 * One request ends the pause and starts the slots after the source's last one.  If it is
 * repeated, the server refuses it, because the schedule is not paused any more.
 */
static json_t *resume_body(const struct moved *one)
{
    char text[INSTANT_TEXT_MAX];
    struct buf from = BUF(text);
    json_t *body = json_new_object();

    instant_format_ms(one->last + SPAN_MS, &from);
    if (!one->has_ended)
        json_put(body, "from", json_new_str(buf_as_str(&from)));
    json_put(body, "reason", json_new_str(one->note));
    return body;
}

/* Whether a resume without a good answer has taken effect. */
static void check_resumed(struct move *move, struct moved *list, int count)
{
    struct rest_call *calls = arena_array(move->arena, (size_t)count, sizeof *calls);

    for (int i = 0; i < count; i++)
        if (!list[i].is_done && list[i].is_left)
            calls[i] = (struct rest_call){.method = "GET", .path = path_of(move, &list[i], "")};
    rest_batch_run(move->here, calls, count);
    for (int i = 0; i < count; i++) {
        const json_t *state = json_object_get(calls[i].json, "state");

        if (list[i].is_done || !list[i].is_left)
            continue;
        if (rest_is_ok(&calls[i]) && strcmp(member_text(state, "status"), "paused") != 0)
            moved_end(&list[i], MOVE_TAKEN, "%s", "");
        else
            moved_end(&list[i], MOVE_FAILED, "paused on both servers; repeat the command: %s",
                      arena_str(move->arena, str_of(list[i].text)).ptr);
    }
    rest_calls_clear(calls, count);
}

void move_here_resume(struct move *move, struct moved *list, int count)
{
    struct rest_call *calls = arena_array(move->arena, (size_t)count, sizeof *calls);

    for (int i = 0; i < count; i++)
        if (!list[i].is_done && list[i].is_left) {
            must(list[i].last != INSTANT_NONE);
            calls[i] = (struct rest_call){.method = "POST",
                                          .path = path_of(move, &list[i], "/resume"),
                                          .body = resume_body(&list[i])};
        }
    rest_batch_run(move->here, calls, count);
    for (int i = 0; i < count; i++) {
        if (list[i].is_done || !list[i].is_left)
            continue;
        if (rest_is_ok(&calls[i]))
            moved_end(&list[i], MOVE_TAKEN, "%s", "");
        else
            snprintf(list[i].text, sizeof list[i].text, "%s", calls[i].text);
        json_decref(calls[i].body);
    }
    rest_calls_clear(calls, count);
    check_resumed(move, list, count);
}
