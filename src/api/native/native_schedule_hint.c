/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets a hint of an adaptive schedule.
 */
#include "api/call/change.h"
#include "api/native/native.h"
#include "model/governor_json.h"

#define HINT_LIFE SPAN_H /* of a hint without `expires` */

/* An hour from now; if the wanted run is not before that, an hour after the run. */
static instant default_expiry(const struct governor_def *hint, instant now)
{
    instant wanted = instant_after(now, hint->hint_interval);
    instant expires = instant_after(now, HINT_LIFE);

    if (hint->hint_at != INSTANT_NEVER && hint->hint_at > wanted)
        wanted = hint->hint_at;
    return expires > wanted ? expires : instant_after(wanted, HINT_LIFE);
}

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
        hint.hint_expires = default_expiry(&hint, call->now);
    if (hint.hint_expires <= call->now)
        return change_refuse(call, "expires", "must be later than now");
    if (hint.hint_at != INSTANT_NEVER && hint.hint_expires <= hint.hint_at)
        return change_refuse(call, "expires", "must be later than at");
    command->hint = (struct hint_args){hint.hint_interval, hint.hint_at, hint.hint_expires,
                                       hint.hint_reason};
    return CALL_COMMANDS;
}
