/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows the balance of the ledger.
 */
#include "api/overview/ledger_balance.h"

#include "api/call/request.h"
#include "api/overview/overview.h"

struct ledger_balance ledger_balance_of(const struct call *call)
{
    struct ledger_balance balance = {
        .result = BALANCE_UNKNOWN, .started_at = INSTANT_NONE, .as_of = INSTANT_NONE};

    if (call->context->ledger_balance)
        call->context->ledger_balance(call->context->arg, call->namespace, call->arena,
                                      &balance);
    return balance;
}

const char *balance_text(enum balance_result result)
{
    static const char *const texts[] = {
        [BALANCE_UNKNOWN] = "unknown",
        [BALANCE_RUNNING] = "running",
        [BALANCE_BALANCED] = "balanced",
        [BALANCE_UNBALANCED] = "unbalanced",
    };

    return texts[result];
}

enum call_step ledger_balance_begin(struct call *call)
{
    struct err err;

    if (request_query_check(call, NULL, 0, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return CALL_READ;
}

static void print_difference(const struct balance_difference *d, struct answer *out)
{
    answer_open(out);
    answer_put_text(out, "schedule", d->schedule);
    answer_put_instant(out, "since", d->since);
    answer_put_int(out, "due", d->due);
    answer_put_int(out, "recorded", d->recorded);
    answer_put_text(out, "text", d->text);
    answer_text(out, "}");
}

enum call_step ledger_balance_read(struct call *call, struct db *db)
{
    struct ledger_balance balance = ledger_balance_of(call);
    struct answer out = answer_new(call->arena);

    (void)db;
    answer_open(&out);
    answer_put_word(&out, "result", balance_text(balance.result));
    answer_put_instant(&out, "asOf", balance.as_of);
    answer_put_instant(&out, "startedAt", balance.started_at);
    answer_put_int(&out, "schedules", balance.schedules);
    answer_put_int(&out, "slots", balance.slots);
    answer_put_int(&out, "outcomes", balance.outcomes);
    answer_put_int(&out, "differenceCount", balance.differences);
    answer_text(&out, ",\"differences\":[");
    for (int i = 0; i < balance.listed; i++)
        print_difference(&balance.list[i], &out);
    answer_text(&out, "]}");
    return call_answer(call, 200, answer_done(&out));
}
