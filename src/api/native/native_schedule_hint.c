/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets and clears hints of an adaptive schedule, resets its failure count, and archives it.
 */
#include "api/call/change.h"
#include "api/native/native.h"
#include "api/schedules/native_draft.h"
#include "model/governor_json.h"

#define HINT_LIFE SPAN_H /* of a hint without `expires` */

enum call_step schedule_hint_begin(struct call *call)
{
    struct command *command = change_command(call, COMMAND_HINT);
    struct governor_def hint = governor_def_empty();
    enum call_step step;

    if (!change_begin(call, &hint_members, &hint, &step))
        return step;
    if (hint.hint_interval == 0 && hint.hint_at == INSTANT_NEVER)
        return change_refuse(call, "interval",
                             "is missing; a hint needs interval, at, or both");
    if (hint.hint_at <= call->now)
        return change_refuse(call, "at", "must be later than now");
    if (hint.hint_interval > 0 && hint.hint_interval < call->context->min_interval)
        return change_refuse(call, "interval",
                             "is shorter than the minimum interval of this server");
    if (hint.hint_expires == INSTANT_NONE)
        hint.hint_expires = call->now + HINT_LIFE;
    if (hint.hint_expires <= call->now)
        return change_refuse(call, "expires", "must be later than now");
    command->hint = (struct hint_args){hint.hint_interval, hint.hint_at, hint.hint_expires,
                                       hint.hint_reason};
    return CALL_COMMANDS;
}

static enum call_step begin_without_body(struct call *call, enum command_kind kind)
{
    static const struct members none = {NULL, 0};
    enum call_step step;

    change_command(call, kind);
    return change_begin(call, &none, NULL, &step) ? CALL_COMMANDS : step;
}

enum call_step schedule_unhint_begin(struct call *call)
{
    return begin_without_body(call, COMMAND_UNHINT);
}

enum call_step schedule_archive_begin(struct call *call)
{
    return begin_without_body(call, COMMAND_CLOSE);
}

enum call_step schedule_reset_begin(struct call *call)
{
    return begin_without_body(call, COMMAND_RESET);
}
