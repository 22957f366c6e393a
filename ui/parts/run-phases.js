/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run did from when it was due until now: phases without gaps, from its events.  Where
 * events are gone (the server keeps them for some days), from its attempts.  Pure functions.
 */
import { ms } from "../lib/time.js";

/**
 * @typedef {"start" | "held" | "approval" | "ready" | "leased" | "running" | "backoff" | "other"} PhaseKind
 * @typedef {{kind: PhaseKind, attempt: number, from: number, to: number}} Phase
 * `attempt`: the attempt that the phase belongs to; a wait belongs to the attempt after it.
 */

/** What an event begins. @type {Record<string, PhaseKind>} */
const BEGINS = {
    "run.ready": "ready",
    "run.claimed": "leased",
    "run.started": "running",
    "run.retrying": "backoff",
    "lease.expired": "ready",
};

/** The steps that the events tell: what begins when. @param {any} run @param {any[]} events */
function stepsOfEvents(run, events) {
    const steps = /** @type {Array<{at: number, kind: PhaseKind, attempt: number}>} */ ([]);
    for (const event of events) {
        const kind = BEGINS[event.type];
        if (!kind) continue;
        const isWait = kind === "ready" || kind === "backoff";
        steps.push({ at: ms(event.at), kind, attempt: (event.attempt ?? 0) + (isWait ? 1 : 0) });
    }
    const first = steps[0];
    if (first && (first.kind !== "ready" || first.attempt > 1)) return null; /* the first events are gone */
    return first || run.state === "held" || run.state === "approval" ? steps : null;
}

/**
 * The same from attempts: between them, nobody can tell what the run waited for.
 * @param {any} run
 * @param {any[]} attempts
 */
function stepsOfAttempts(run, attempts) {
    const steps = /** @type {Array<{at: number, kind: PhaseKind, attempt: number}>} */ ([]);
    for (const one of attempts) {
        if (one.startedAt) steps.push({ at: ms(one.startedAt), kind: "running", attempt: one.attempt });
        if (one.endedAt) steps.push({ at: ms(one.endedAt), kind: "other", attempt: one.attempt + 1 });
    }
    const isWorking = run.state === "running" || run.state === "leased";
    if (isWorking && run.startedAt && attempts.at(-1)?.startedAt !== run.startedAt)
        steps.push({ at: ms(run.startedAt), kind: "running", attempt: run.attempt });
    return steps;
}

/**
 * @param {any} run @param {any[]} attempts @param {any[]} events @param {number} at now
 * @param {boolean} needsApproval whether its schedule wants approval
 * @returns {{phases: Phase[], exact: boolean}}
 */
export function phasesOf(run, attempts, events, at, needsApproval) {
    const due = ms(run.due);
    const created = run.createdAt ? ms(run.createdAt) : due;
    const end = run.endedAt ? ms(run.endedAt) : Math.max(at, due);
    const told = stepsOfEvents(run, events);
    const later = told ?? stepsOfAttempts(run, attempts);
    const isApproval = run.state === "approval" || (needsApproval && run.state !== "held");
    /** @type {PhaseKind} */
    const wait = told ? (isApproval ? "approval" : "held") : "other";
    const steps = [
        { at: due, kind: /** @type {PhaseKind} */ ("start"), attempt: 1 },
        { at: created, kind: wait, attempt: 1 },
        ...later,
    ];
    const phases = /** @type {Phase[]} */ ([]);
    let from = due;
    steps.forEach((step, i) => {
        const to = Math.min(end, Math.max(from, i + 1 < steps.length ? steps[i + 1].at : end));
        if (to > from) phases.push({ kind: step.kind, attempt: step.attempt, from, to });
        from = Math.max(from, to);
    });
    return { phases, exact: told !== null };
}

/**
 * When the last attempt started, or where the phases end if none has.
 * @param {any} run
 * @param {Phase[]} phases
 */
export function lastStart(run, phases) {
    if (run.startedAt && run.attempt > 0) return ms(run.startedAt);
    return phases.length > 0 ? phases[phases.length - 1].to : ms(run.due);
}

/**
 * @typedef {{cause: string, from: number, to: number, why: string}} Part
 * @typedef {{clock: number[], nodeUp: number[], paused: Array<[number, number]>,
 *     busy: Array<[number, number]> | null, gate: Array<[number, number]>, hasGate: boolean,
 *     queue: string | null}} Evidence
 */

/** @param {Array<[number, number]>} ranges @param {number} from @param {number} to */
function cutTo(ranges, from, to) {
    return ranges
        .map(([a, b]) => /** @type {[number, number]} */ ([Math.max(a, from), Math.min(b, to)]))
        .filter(([a, b]) => b > a);
}

/**
 * Splits a wait at the borders of all evidence and names each piece.
 * @param {number} from
 * @param {number} to
 * @param {Evidence} seen
 */
function splitReady(from, to, seen) {
    const paused = cutTo(seen.paused, from, to);
    const gate = cutTo(seen.gate, from, to);
    const busy = cutTo(seen.busy ?? [], from, to);
    const borders = [...new Set([from, to, ...[...paused, ...gate, ...busy].flat()])].sort((a, b) => a - b);
    const has = (/** @type {Array<[number, number]>} */ ranges, /** @type {number} */ at) =>
        ranges.some(([a, b]) => a <= at && at < b);
    return borders.slice(0, -1).map((at, i) => {
        const piece = { from: at, to: borders[i + 1] };
        if (has(paused, at))
            return { ...piece, cause: "paused", why: `the queue ${seen.queue} was paused` };
        if (has(gate, at))
            return { ...piece, cause: "gate", why: "another run of this schedule held its gate" };
        if (seen.hasGate)
            return {
                ...piece,
                cause: "other",
                why: "the gate or a busy worker; the records do not say which",
            };
        if (!seen.queue) return { ...piece, cause: "node", why: "no place was free on a node" };
        if (!seen.busy) return { ...piece, cause: "other", why: "too many runs of this queue to tell" };
        if (has(busy, at))
            return { ...piece, cause: "queue", why: `workers had other runs of the queue ${seen.queue}` };
        return {
            ...piece,
            cause: "noWorker",
            why: `no worker had a run of the queue ${seen.queue}, and none claimed this one`,
        };
    });
}

/** @param {Phase} phase @param {Evidence} seen @returns {Part[]} */
function partsOf(phase, seen) {
    const { from, to, kind } = phase;
    const one = (/** @type {string} */ cause, /** @type {string} */ why) => [{ cause, from, to, why }];
    const within = (/** @type {number[]} */ times) =>
        times.some((time) => time >= from - 1000 && time <= to + 1000);
    switch (kind) {
        case "start":
            if (within(seen.clock)) return one("clock", "the clock of the server jumped");
            if (within(seen.nodeUp)) return one("server", "the server started only then");
            if (to - from < 1000) return one("other", "the moment that the server took to create the run");
            return one("other", "the run was created later than it was due; no event says why");
        case "held":
            return one("overlap", "an earlier run of the schedule was open");
        case "approval":
            return one("approval", "nobody had approved it");
        case "ready":
            return splitReady(from, to, seen);
        case "leased":
            return one("worker", "its worker had claimed it, and had not begun");
        case "running":
            return one("attempts", "earlier attempts ran");
        case "backoff":
            return one("retry", "the wait before a retry");
        default:
            return one("other", "the events of that time are gone");
    }
}

/**
 * The time from due to the last start, by cause; the parts add up to the total exactly, because
 * they are a partition of it.  Equal causes are added together.
 * @param {Phase[]} phases @param {number} until @param {Evidence} seen
 */
export function splitLateness(phases, until, seen) {
    /** @type {Map<string, {cause: string, amount: number, whys: Set<string>}>} */
    const causes = new Map();
    let total = 0;
    for (const phase of phases) {
        if (phase.from >= until) break;
        for (const part of partsOf({ ...phase, to: Math.min(phase.to, until) }, seen)) {
            const found = causes.get(part.cause) ?? { cause: part.cause, amount: 0, whys: new Set() };
            found.amount += part.to - part.from;
            found.whys.add(part.why);
            causes.set(part.cause, found);
            total += part.to - part.from;
        }
    }
    return { total, parts: [...causes.values()] };
}
