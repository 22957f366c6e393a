/* SPDX-License-Identifier: Apache-2.0 */
/* The timeline by queue: a row of counts per queue from GET /load, and the schedules of one. */
import { useMemo } from "../lib/html.js";
import { get, namespace } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { ms } from "../lib/time.js";

/** @param {any} bucket @param {number} until the server's time */
function countsOf(bucket, until) {
    const isPast = ms(bucket.at) <= until;
    const failed = bucket.failed ?? 0;
    const started = Math.max(0, (bucket.started ?? 0) - failed);
    const waiting = Math.max(0, (bucket.planned ?? 0) - (bucket.started ?? 0));
    /* If runs are too many to count, it has only what was due. */
    const isKnown = isPast && bucket.started !== null;
    return { at: bucket.at, late: bucket.late ?? 0, failed, started, planned: isKnown ? 0 : waiting };
}

/** @param {any} group */
function nameOf(group) {
    if (group.other) return "All other queues";
    return group.group === null ? "Without a queue" : group.group;
}

/** How the address names a queue, or that there is none. @param {string | null} queue */
const openName = (queue) => (queue === null ? "none" : `queue:${queue}`);

/** The queue that the address names; null: schedules without one. @param {string} name */
export const queueOf = (name) => (name.startsWith("queue:") ? name.slice("queue:".length) : null);

/** @param {any} load */
function rowsOf(load) {
    const groups = [...load.groups].sort(
        (a, b) =>
            Number(Boolean(a.other)) - Number(Boolean(b.other)) ||
            Number(a.group === null) - Number(b.group === null) ||
            String(a.group).localeCompare(String(b.group)),
    );
    return groups.map((/** @type {any} */ group) => ({
        key: group.other ? "other" : `queue ${group.group ?? ""}`,
        id: "",
        isGroup: true,
        isFixed: Boolean(group.other),
        name: nameOf(group),
        queue: group.other ? null : group.group,
        open: group.other ? undefined : openName(group.group),
        stepText: load.step,
        buckets: group.buckets.map((/** @type {any} */ bucket) => countsOf(bucket, ms(load.now))),
    }));
}

/**
 * The rows of the queues; `values` is null if the timeline is not grouped.
 * @param {Record<string, any> | null} values window and filters
 */
export function useGroups(values) {
    const load = useResource(
        values ? `groups ${namespace()} ${JSON.stringify(values)}` : "",
        (abort) => get("/api/v1/load", { ...values, by: "queue" }, abort),
        { refreshOn: (event) => /^(run|slot)\./.test(event.type), pause: 3000, every: 30_000, keep: true },
    );
    const rows = useMemo(() => (load.data ? rowsOf(load.data) : []), [load.data]);
    return { ...load, rows, step: load.data?.step ?? "15m", cut: load.data?.cut ?? null };
}

/**
 * Puts the schedules of the open queue after its row.
 * @param {any[]} groups @param {string | undefined} open @param {any[]} schedules
 */
export function useGrouped(groups, open, schedules) {
    return useMemo(
        () =>
            groups.flatMap((group) => {
                if (open === undefined || group.open !== open) return [group];
                const inner = schedules.filter((row) => row.queue === queueOf(open));
                return [{ ...group, isOpen: true }, ...inner.map((row) => ({ ...row, depth: 1 }))];
            }),
        [groups, open, schedules],
    );
}
