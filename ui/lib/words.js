/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How states, outcomes and reasons look and read.  Each has a sign besides its colour, for people
 * who do not see the colours and for screen readers.
 */

/** @typedef {{word: string, tone: string, sign: string}} Look */

/** @type {Record<string, Look>} */
const LOOKS = {
    planned: { word: "planned", tone: "planned", sign: "○" },
    succeeded: { word: "succeeded", tone: "ok", sign: "✓" },
    failed: { word: "failed", tone: "bad", sign: "✕" },
    timedOut: { word: "timed out", tone: "bad", sign: "⊗" },
    cancelled: { word: "cancelled", tone: "off", sign: "⊘" },
    terminated: { word: "terminated", tone: "off", sign: "⊘" },
    unknown: { word: "unknown", tone: "bad", sign: "?" },
    skipped: { word: "skipped", tone: "skip", sign: "↷" },
    missed: { word: "missed", tone: "miss", sign: "!" },
    dropped: { word: "dropped", tone: "miss", sign: "↓" },
    withdrawn: { word: "withdrawn", tone: "off", sign: "⊘" },
    held: { word: "held", tone: "wait", sign: "‖" },
    approval: { word: "waits for approval", tone: "wait", sign: "◇" },
    ready: { word: "ready", tone: "wait", sign: "…" },
    leased: { word: "claimed", tone: "run", sign: "▸" },
    running: { word: "running", tone: "run", sign: "▶" },
    backoff: { word: "waits for retry", tone: "wait", sign: "↻" },
    active: { word: "active", tone: "ok", sign: "●" },
    paused: { word: "paused", tone: "off", sign: "‖" },
    closed: { word: "closed", tone: "off", sign: "■" },
    ok: { word: "ok", tone: "ok", sign: "●" },
    late: { word: "late", tone: "late", sign: "◔" },
    failing: { word: "failing", tone: "bad", sign: "✕" },
    none: { word: "no run yet", tone: "off", sign: "–" },
};

/** @param {string | null | undefined} name @returns {Look} */
export function look(name) {
    return LOOKS[name ?? "none"] ?? { word: String(name), tone: "off", sign: "·" };
}

/** Why a slot or a run has its outcome: one sentence each. @type {Record<string, string>} */
const REASONS = {
    overlap: "another run of this schedule was still open",
    governor: "the governor chose another time",
    budget: "a budget was used up",
    window: "the catch-up window was over",
    coalesced: "catch-up combined it with another slot",
    paused: "the schedule was paused",
    edited: "an edit of the schedule removed it",
    clock: "the clock jumped over it",
    buffer: "the buffer of waiting starts was full",
    deleted: "the schedule was deleted",
    quarantined: "the schedule was in quarantine",
    user: "a user cancelled it",
    target: "the target reported a failure",
    timeout: "an attempt took longer than its timeout",
    maxRunTime: "the run took longer than its maximum run time",
    lease: "its worker stopped sending heartbeats",
    node: "the node that ran it stopped",
    startWithin: "it did not begin in time",
    rejected: "a user rejected it",
    notStarted: "no upstream started its workflow",
    other: "for another reason",
};

/** @param {string | null | undefined} reason */
export function reasonText(reason) {
    return reason ? (REASONS[reason] ?? reason) : "";
}

/** The name of what a slot entry or a run shows. @param {any} entry */
export function stateOf(entry) {
    if (entry.run) return entry.run.outcome ?? entry.run.state;
    if (entry.outcome === null || entry.outcome === undefined) return entry.state ?? "planned";
    return entry.outcome === "started" ? "succeeded" : entry.outcome;
}

/** "1 schedule", "2 schedules". @param {number} n @param {string} one @param {string} [many] */
export const plural = (n, one, many = one + "s") => `${number(n)} ${n === 1 ? one : many}`;

const counts = new Intl.NumberFormat("en");

/** @param {number | null | undefined} n */
export const number = (n) => (n === null || n === undefined ? "unknown" : counts.format(n));

/** What a schedule does, in a few words. @param {any} action */
export function actionText(action) {
    if (!action) return "";
    if (action.type === "http") return `${action.method ?? "POST"} ${action.url}`;
    if (action.type === "exec") return (action.argv ?? []).join(" ");
    if (action.type === "queue") return `queue ${action.queue}`;
    if (action.type === "workflow") return `workflow ${action.name}`;
    return action.type;
}
