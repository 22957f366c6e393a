/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the attempts of a schedule's runs and its open runs: invariants 3, 4 and 5.
 */
#include <inttypes.h>

#include "server/check/check_parts.h"
#include "store/check/check_rows.h"
#include "store/views.h"

static const struct check_run *find_open(const struct check_rows *rows,
                                         const struct check_attempt *a)
{
    int low = 0, high = rows->run_count;

    while (low < high) {
        int mid = low + (high - low) / 2;
        const struct check_run *run = &rows->runs[mid];

        if (run->slot == a->slot && run->pass == a->pass)
            return run;
        if (run->slot < a->slot || (run->slot == a->slot && run->pass < a->pass))
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

static void report_attempt(struct check *check, const struct check_rows *rows,
                           const struct check_attempt *a, const char *text)
{
    check_found(check, rows->view->row.name, rows->view->row.id, a->slot,
                "pass %" PRId64 ", attempt %" PRId64 ": %s", a->pass, a->attempt, text);
}

/*
 * A run that ends while it waits gets a last row that is not an attempt.  The row repeats the
 * number of the attempt before it.
 */
static bool ended_while_waiting(const struct check_attempt *a, const struct check_attempt *b)
{
    return b->last && b->attempt == a->attempt;
}

static void check_pair(struct check *check, const struct check_rows *rows,
                       const struct check_attempt *a, const struct check_attempt *b)
{
    if (a->last)
        report_attempt(check, rows, a, "is marked as the last, but another one follows");
    else if (b->attempt != a->attempt + 1 && !ended_while_waiting(a, b) && !rows->is_pruned)
        report_attempt(check, rows, b, "does not follow the previous attempt");
    if (b->fence < a->fence || (b->fence == a->fence && !ended_while_waiting(a, b)))
        report_attempt(check, rows, b, "its fence is not above that of the previous attempt");
}

static void check_end(struct check *check, const struct check_rows *rows,
                      const struct check_attempt *a)
{
    const struct check_run *open = find_open(rows, a);

    if (open && a->last)
        report_attempt(check, rows, a, "the run has ended but is still open");
    else if (!open && !a->last && !rows->is_pruned)
        report_attempt(check, rows, a, "the run is missing without an end");
    if (open && open->fence < a->fence)
        report_attempt(check, rows, a,
                       "the open run has a fence below that of an ended attempt");
}

static bool is_same_run(const struct check_attempt *a, const struct check_attempt *b)
{
    return a->slot == b->slot && a->pass == b->pass;
}

static void check_open(struct check *check, const struct check_rows *rows,
                       const struct check_run *run)
{
    bool is_claimed = run_is_claimed(run->state);
    const char *text = NULL;

    if (run->state < RUN_HELD || run->state > RUN_BACKOFF)
        text = "the open run has an invalid state";
    else if (is_claimed && (run->attempt < 1 || run->fence < 1))
        text = "the open run is claimed but has no attempt";
    else if ((run->pass == 0) != (run->kind == RUN_SLOT) && run->kind != RUN_DIRECT)
        text = "the kind of the open run does not match its pass";
    if (text)
        check_found(check, rows->view->row.name, rows->view->row.id, run->slot,
                    "pass %" PRId64 ": %s", run->pass, text);
}

void check_attempts(struct check *check, const struct check_rows *rows)
{
    const struct check_attempt *a = rows->attempts;

    for (int i = 0; i < rows->attempt_count; i++) {
        bool is_end = i + 1 == rows->attempt_count || !is_same_run(&a[i], &a[i + 1]);

        if (a[i].outcome < OUTCOME_SUCCEEDED || a[i].outcome > OUTCOME_UNKNOWN)
            report_attempt(check, rows, &a[i], "it has an invalid outcome");
        if (is_end)
            check_end(check, rows, &a[i]);
        else
            check_pair(check, rows, &a[i], &a[i + 1]);
    }
    for (int i = 0; i < rows->run_count; i++)
        check_open(check, rows, &rows->runs[i]);
}
