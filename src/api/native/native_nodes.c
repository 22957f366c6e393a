/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists the nodes of this database with their state, lease and dispatches.
 */
#include "api/native/native.h"
#include "api/schedules/page.h"
#include "api/schedules/view.h"
#include "store/gauges.h"
#include "store/nodes.h"

enum call_step node_list_begin(struct call *call)
{
    struct err err;

    if (request_query_check(call, NULL, 0, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return CALL_READ;
}

/* Silent: its lease has expired, but no other node has taken over its runs yet. */
static const char *state_text(const struct node *node, instant now)
{
    switch ((enum node_state)node->state) {
    case NODE_UP:
        return node->lease_until >= now ? "up" : "silent";
    case NODE_LOST:
        return "lost";
    case NODE_DOWN:
        break;
    }
    return "down";
}

static int64_t count_calls(const struct db_result *calls, int64_t node)
{
    for (int i = 0; i < calls->rows; i++)
        if (db_int_at(calls, i, 0) == node)
            return db_int_at(calls, i, 1);
    return 0;
}

static void put_instant(struct answer *out, const char *name, instant at)
{
    answer_put_instant(out, name, at == 0 ? INSTANT_NONE : at);
}

static void print_node(struct answer *out, const struct node *node, int64_t calls, instant now)
{
    answer_open(out);
    answer_put_int(out, "id", node->id);
    answer_put_some(out, "name", node->name);
    answer_put_word(out, "state", state_text(node, now));
    answer_put_some(out, "version", node->version);
    answer_put_some(out, "address", node->address);
    put_instant(out, "startedAt", node->started_at);
    put_instant(out, "lastTurnAt", node->turned_at);
    put_instant(out, "leaseUntil", node->lease_until);
    answer_put_int(out, "boot", node->boot);
    answer_put_int(out, "turn", node->turn);
    answer_put_int(out, "clockSkewMs", node->skew / SPAN_MS);
    answer_put_int(out, "calls", calls);
    answer_text(out, "}");
}

enum call_step node_list_read(struct call *call, struct db *db)
{
    struct answer out = answer_new(call->arena);
    struct db_result rows = {0}, calls = {0};
    struct err err;

    nodes_list(db, &rows);
    gauges_calls(db, &calls);
    if (db_flush(db, call->arena, &err) != RC_OK)
        return view_failed(call, &err);
    page_open(&out, "nodes");
    for (int i = 0; i < rows.rows; i++) {
        struct node node;

        nodes_read(&rows, i, &node);
        print_node(&out, &node, count_calls(&calls, node.id), call->now);
    }
    page_close(&out, (struct str){NULL, 0});
    return call_answer(call, 200, answer_done(&out));
}
