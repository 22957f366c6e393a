/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets a hint of an adaptive schedule.
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
