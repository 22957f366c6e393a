/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows how up to date the plans of agents are, from the state of the engine.
 */
#include "api/agents/agents.h"
#include "api/call/answer.h"
#include "api/call/request.h"
#include "api/schedules/view.h"
#include "core/spec/local.h"
#include "store/key.h"
#include "store/nodes.h"
#include "store/zones.h"

enum call_step agents_planner_begin(struct call *call)
{
    (void)call;
    return CALL_READ;
}

/* Each turn updates the plans that its changes affect, so plans are as of the last turn. */
static instant last_turn(const struct db_result *rows)
{
    instant last = INSTANT_NONE;

    for (int i = 0; i < rows->rows; i++) {
        struct node node;

        nodes_read(rows, i, &node);
        if (node.turned_at > last)
            last = node.turned_at;
    }
    return last;
}

/* The last midnight of the zone, unless the zone was not in use then. */
static instant last_rebuild(const struct call *call, const struct zone_row *zone)
{
    const struct zone_source *zones = &call->context->zones;
    instant first = key_time(zone->id), midnight;
    struct err unused;
    const struct tz *tz = zones->find(zones->user, zone->name, &unused);

    if (!tz)
        return INSTANT_NONE;
    midnight = local_day_start(tz, local_day(tz, zone->next_at - 1));
    return midnight > first ? midnight : INSTANT_NONE;
}

enum call_step agents_planner_read(struct call *call, struct db *db)
{
    struct answer out = answer_new(call->arena);
    struct db_result nodes = {0}, zones = {0};
    struct err err;

    nodes_list(db, &nodes);
    zones_of(db, call->namespace, &zones);
    if (db_flush(db, call->arena, &err) != RC_OK)
        return view_failed(call, &err);
    answer_text(&out, "{\"lastReconcileAt\":");
    answer_instant(&out, last_turn(&nodes));
    answer_text(&out, ",\"lastMidnightRebuilds\":{");
    for (int i = 0; i < zones.rows; i++) {
        struct zone_row zone;

        zones_read(&zones, i, &zone);
        answer_text(&out, i > 0 ? "," : "");
        answer_quoted(&out, zone.name);
        answer_text(&out, ":");
        answer_instant(&out, last_rebuild(call, &zone));
    }
    answer_text(&out, "}}");
    return call_answer(call, 200, answer_done(&out));
}
