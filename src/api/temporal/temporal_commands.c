/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The namespaces that the commands of a workflow task name.
 *
 * A workflow may start, signal and cancel workflows of other namespaces.  Temporal authorizes
 * these commands one by one, or rejects them, depending on its version and settings; but here
 * it only sees the credentials of the upstream.
 */
#include "api/temporal/temporal.h"

enum { REQUEST_COMMANDS = 2 }; /* of RespondWorkflowTaskCompletedRequest */

/* The attributes of temporal.api.command.v1.Command that have a namespace, and its number. */
static const struct {
    uint32_t attributes, namespace;
} targets[] = {
    {2, 3},  /* schedule an activity: only in old servers */
    {9, 1},  /* cancel another workflow                   */
    {12, 1}, /* start a child workflow                    */
    {13, 1}, /* signal another workflow                   */
};

/*
 * Whether all fields with this number are empty or `home`.  Repeated messages are merged, so
 * that each counts.
 */
static bool has_only(struct str message, uint32_t number, struct str home)
{
    struct str value;
    uint32_t n;

    while (proto_next_bytes(&message, &n, &value))
        if (n == number && value.len > 0 && !str_eq(value, home))
            return false;
    return message.len == 0;
}

static bool stays(struct str command, struct str home)
{
    struct str value;
    uint32_t n;

    while (proto_next_bytes(&command, &n, &value))
        for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
            if (n == targets[i].attributes && !has_only(value, targets[i].namespace, home))
                return false;
    return command.len == 0;
}

bool temporal_commands_stay(struct str message, struct str home)
{
    struct str value;
    uint32_t n;

    while (proto_next_bytes(&message, &n, &value))
        if (n == REQUEST_COMMANDS && !stays(value, home))
            return false;
    return message.len == 0;
}
