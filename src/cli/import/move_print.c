/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints what became of the schedules of a move.
 */
#include "cli/frame/report.h"
#include "cli/import/move.h"
#include "core/time/text.h"

enum { COLUMN = 26 }; /* "2026-11-16T08:30:00.000Z" and two spaces */

static const char *const result_words[MOVE_RESULTS] = {
    [MOVE_PREVIEWED] = "would be created",
    [MOVE_CREATED] = "created",
    [MOVE_WAITING] = "waiting",
    [MOVE_TAKEN] = "taken over",
    [MOVE_TAKEN_BEFORE] = "taken over before",
    [MOVE_STAYS_PAUSED] = "paused by its owner",
    [MOVE_DIFFERENT] = "different times",
    [MOVE_EXISTS] = "exists",
    [MOVE_INVALID] = "invalid",
    [MOVE_FAILED] = "failed",
};

static const char *const result_names[MOVE_RESULTS] = {
    [MOVE_PREVIEWED] = "previewed",
    [MOVE_CREATED] = "created",
    [MOVE_WAITING] = "waiting",
    [MOVE_TAKEN] = "takenOver",
    [MOVE_TAKEN_BEFORE] = "takenOverBefore",
    [MOVE_STAYS_PAUSED] = "paused",
    [MOVE_DIFFERENT] = "different",
    [MOVE_EXISTS] = "exists",
    [MOVE_INVALID] = "invalid",
    [MOVE_FAILED] = "failed",
};

static bool is_good(enum move_result result)
{
    return result <= MOVE_STAYS_PAUSED;
}

static bool is_compared(const struct moved *one)
{
    return one->times_there.is_known && one->times_here.is_known;
}

/* ---- JSON ---- */

static json_t *times_json(const struct move_times *times)
{
    json_t *list = json_new_list();

    for (int i = 0; i < times->count; i++) {
        char text[INSTANT_TEXT_MAX];
        struct buf out = BUF(text);

        instant_format_ms(times->at[i], &out);
        json_add(list, json_new_str(buf_as_str(&out)));
    }
    return times->is_known ? list : (json_decref(list), json_null());
}

static json_t *moved_json(const struct moved *one)
{
    json_t *json = json_new_object();

    json_put(json, "id", json_new_str(one->id));
    json_put(json, "result", json_new_str(str_of(result_names[one->result])));
    json_put(json, "reason", one->text[0] ? json_new_str(str_of(one->text)) : json_null());
    json_put(json, "there", times_json(&one->times_there));
    json_put(json, "here", times_json(&one->times_here));
    json_put(json, "equal", is_compared(one) ? json_boolean(one->is_equal) : json_null());
    if (one->result == MOVE_TAKEN) {
        char text[INSTANT_TEXT_MAX];
        struct buf out = BUF(text);

        instant_format_ms(one->last, &out);
        json_put(json, "slotsAfter", json_new_str(buf_as_str(&out)));
    }
    return json;
}

/* ---- text ---- */

static void print_time(struct printer *out, const struct move_times *times, int i, int width)
{
    char text[INSTANT_TEXT_MAX] = "";
    struct buf time = BUF(text);

    if (i < times->count)
        instant_format_ms(times->at[i], &time);
    else if (!times->is_known)
        buf_text(&time, i == 0 ? "unknown" : "");
    else if (i == 0)
        buf_text(&time, "never");
    printer_printf(out, "%-*s", width, text);
}

static void print_times(struct move *move, const struct moved *one)
{
    const struct move_times *a = &one->times_there, *b = &one->times_here;
    int rows = a->count > b->count ? a->count : b->count;

    if (!a->is_known && !b->is_known)
        return;
    printer_printf(&move->out, "    %-*s%s\n", COLUMN, move->source->name, "Belfry");
    for (int i = 0; i < (rows > 0 ? rows : 1); i++) {
        bool differs = is_compared(one) &&
                       (i >= a->count || i >= b->count || a->at[i] != b->at[i]) && rows > 0;

        printer_text(&move->out, "    ");
        print_time(&move->out, a, i, COLUMN);
        print_time(&move->out, b, i, differs ? COLUMN : 0);
        printer_text(&move->out, !differs ? "\n" : one->is_equal ? "jitter\n" : "differs\n");
    }
}

static void print_text(struct move *move, const struct moved *one)
{
    enum tint tint = is_good(one->result) ? TINT_GOOD : TINT_BAD;

    printer_safe(&move->out, one->id);
    printer_text(&move->out, ": ");
    printer_tint(&move->out, tint);
    printer_text(&move->out, result_words[one->result]);
    printer_tint(&move->out, TINT_END);
    if (one->text[0] != '\0') {
        printer_text(&move->out, ": ");
        printer_safe(&move->out, str_of(one->text));
    }
    printer_text(&move->out, "\n");
    print_times(move, one);
}

void move_print(struct move *move, const struct moved *one)
{
    progress_close(&move->progress);
    if (move->output == OUTPUT_JSON)
        json_add(move->json, moved_json(one));
    else if (move->output == OUTPUT_NAME)
        printer_printf(&move->out, "%.*s\n", STR_ARG(one->id));
    else
        print_text(move, one);
    if (!is_good(one->result) && move->output != OUTPUT_TABLE)
        report_note("%.*s: %s: %s", STR_ARG(one->id), result_words[one->result], one->text);
}

int move_print_summary(struct move *move)
{
    bool is_first = true;
    int bad = 0;

    for (int i = 0; i < MOVE_RESULTS; i++)
        bad += is_good((enum move_result)i) ? 0 : move->counts[i];
    if (move->output == OUTPUT_JSON)
        print_json(&move->out, move->json);
    if (move->output == OUTPUT_TABLE) {
        printer_printf(&move->out, "%d schedules", move->id_count);
        for (int i = 0; i < MOVE_RESULTS; i++) {
            if (move->counts[i] == 0)
                continue;
            printer_printf(&move->out, "%s%d %s", is_first ? ": " : ", ", move->counts[i],
                           result_words[i]);
            is_first = false;
        }
        printer_text(&move->out, "\n");
    }
    if (printer_close(&move->out) != STATUS_OK)
        return STATUS_FAILED;
    return bad > 0 ? STATUS_FAILED : STATUS_OK;
}
