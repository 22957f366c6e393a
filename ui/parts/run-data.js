/* SPDX-License-Identifier: Apache-2.0 */
/* What the page of a run loads: the run, its attempts, events, schedule, and what explains its waits. */
import { get, getAll, v1 } from "../lib/api.js";
import { ms } from "../lib/time.js";
import { may } from "./login.js";

const ATTEMPTS_MAX = 1000;
const EVENTS_MAX = 1000;
const LATER_MS = 3_600_000; /* runs that ended up to an hour after a wait may explain it */

/** @param {Promise<any>} promise @param {any} otherwise */
const orElse = (promise, otherwise) =>
    promise.catch((error) => {
        if (error.name === "AbortError") throw error;
        return otherwise;
    });

/** All events of a run, from the oldest. @param {string} id @param {AbortSignal} abort */
async function eventsOf(id, abort) {
    const events = [];
    let after = "oldest";
    while (events.length < EVENTS_MAX) {
        const page = await get("/api/v1/events", { run: id, after, limit: 1000 }, abort);
        events.push(...page.events);
        if (!page.more) break;
        after = page.cursor;
    }
    return events;
}

/** @param {string} id @param {AbortSignal} abort */
export async function loadRun(id, abort) {
    const run = await get(v1("runs", id), {}, abort);
    const [attempts, events, schedule, audit] = await Promise.all([
        orElse(getAll(v1("runs", id, "attempts"), "attempts", { limit: undefined }, ATTEMPTS_MAX, abort), {
            entries: run.attempts,
            more: false,
        }),
        orElse(eventsOf(id, abort), []),
        run.schedule
            ? orElse(get(v1("schedules", run.schedule), { fields: "spec,policies,action" }, abort), null)
            : null,
        may("admin") ? orElse(get("/api/v1/audit", { object: id, limit: 100 }, abort), null) : null,
    ]);
    return {
        run,
        attempts: attempts.entries,
        moreAttempts: attempts.more,
        events,
        schedule,
        audit: audit?.entries ?? null,
    };
}

/** When runs were held by workers. @param {any[]} runs @returns {Array<[number, number]>} */
const heldRanges = (runs) =>
    runs
        .filter((run) => run.startedAt)
        .map((run) => [ms(run.startedAt), run.endedAt ? ms(run.endedAt) : Infinity]);

/**
 * Runs that held something while another waited; null if there are too many to say.
 * @param {any} filter
 * @param {string} id
 * @param {number} from
 * @param {number} to
 * @param {AbortSignal} abort
 */
async function heldBetween(filter, id, from, to, abort) {
    const values = {
        ...filter,
        fields: "startedAt,endedAt",
        from: new Date(from).toISOString(),
        to: new Date(to + LATER_MS).toISOString(),
    };
    const ended = await getAll("/api/v1/runs", "runs", { ...values, state: "ended" }, 1000, abort);
    const running = await get(
        "/api/v1/runs",
        { ...filter, state: "running", fields: "startedAt,endedAt", limit: 1000 },
        abort,
    );
    if (ended.more || running.cursor) return null;
    return heldRanges([...ended.entries, ...running.runs].filter((run) => run.id !== id));
}

/**
 * When a queue was paused, from the audit log.
 * @param {string} queue
 * @param {number} to
 * @param {AbortSignal} abort
 */
async function pausesOf(queue, to, abort) {
    const until = new Date(to).toISOString();
    const page = await get("/api/v1/audit", { object: queue, to: until, limit: 100 }, abort);
    /** @type {Array<[number, number]>} */
    const ranges = [];
    let end = to;
    for (const { operation, at, result } of page.entries) {
        if (result !== "done") continue;
        if (operation === "queue.pause") ranges.push([ms(at), end]);
        if (operation === "queue.pause" || operation === "queue.resume") end = ms(at);
    }
    return ranges;
}

/** Evidence for nothing. @type {import("./run-phases.js").Evidence} */
export const NO_EVIDENCE = {
    clock: [],
    nodeUp: [],
    paused: [],
    busy: null,
    gate: [],
    hasGate: false,
    queue: null,
};

/**
 * What else happened while a run waited; a handful of requests, whatever the run.
 * @param {any} data what loadRun() returned @param {number} from @param {number} to
 * @param {AbortSignal} abort @returns {Promise<import("./run-phases.js").Evidence>}
 */
export async function loadEvidence({ run, schedule }, from, to, abort) {
    const isLate = run.createdAt && ms(run.createdAt) - ms(run.due) > 0;
    const gate = schedule?.policies?.concurrency ?? null;
    const [server, busy, own, paused] = await Promise.all([
        isLate
            ? orElse(
                  get(
                      "/api/v1/events",
                      { type: "clock.jump,node.up", after: "oldest", limit: 1000 },
                      abort,
                  ),
                  null,
              )
            : null,
        run.queue && !gate
            ? orElse(heldBetween({ queue: run.queue }, run.id, from, to, abort), null)
            : null,
        gate && gate.limit === 1
            ? orElse(heldBetween({ schedule: run.schedule }, run.id, from, to, abort), [])
            : [],
        run.queue && may("admin") ? orElse(pausesOf(run.queue, to, abort), []) : [],
    ]);
    const times = (/** @type {string} */ type) =>
        (server?.events ?? [])
            .filter((/** @type {any} */ event) => event.type === type)
            .map((/** @type {any} */ event) => ms(event.at));
    return {
        clock: times("clock.jump"),
        nodeUp: times("node.up"),
        paused,
        busy,
        gate: own ?? [],
        hasGate: gate !== null,
        queue: run.queue,
    };
}
