/* SPDX-License-Identifier: Apache-2.0 */
/* How runs are described: state, lateness, duration, kind. */
import { html } from "../lib/html.js";
import { ms, span } from "../lib/time.js";
import { reasonText } from "../lib/words.js";

/** @type {Record<string, string>} */
export const KINDS = {
    slot: "slot",
    trigger: "trigger",
    backfill: "backfill",
    direct: "direct",
    test: "test",
};

/** The state of an open run, the outcome of an ended one. @param {any} run */
export const stateName = (run) => run.outcome ?? run.state;

/**
 * Milliseconds from due to a start, or until now while it waits; NaN if unknown.
 * @param {any} run
 * @param {number} at
 */
export function latenessMs(run, at) {
    if (run.startedAt) return Math.max(0, ms(run.startedAt) - ms(run.due));
    if (run.state === "ended") return NaN;
    return Math.max(0, at - ms(run.due));
}

/** How late a run is. @param {{run: any, at: number}} props */
export function Lateness({ run, at }) {
    const late = latenessMs(run, at);
    if (Number.isNaN(late)) return html`<span class="faint">–</span>`;
    const tone = late >= 60_000 ? "tone-text-late" : late < 1000 ? "faint" : "";
    const title = !run.startedAt
        ? "Due, and not started yet"
        : run.attempt > 1
          ? `From due to the start of attempt ${run.attempt}`
          : "From due to the start";
    return html`<span class="num ${tone}" title=${title}>${run.startedAt ? "" : "≥ "}${span(late)}</span>`;
}

/** How long the last attempt took, or takes. @param {{run: any, at: number}} props */
export function Duration({ run, at }) {
    if (!run.startedAt || (run.state !== "ended" && run.state !== "running" && run.state !== "leased"))
        return html`<span class="faint">–</span>`;
    const end = run.endedAt ? ms(run.endedAt) : at;
    return html`<span class="num" title=${run.attempt > 1 ? `Attempt ${run.attempt}` : null}
        >${span(Math.max(0, end - ms(run.startedAt)))}</span
    >`;
}

/** What became of a run and why: one sentence. @param {any} run */
export function runSentence(run) {
    const tries = run.attempt > 1 ? ` after ${run.attempt} attempts` : "";
    const why = run.reason ? `: ${reasonText(run.reason)}` : "";
    switch (run.outcome ?? run.state) {
        case "held":
            return "Waits until an earlier run of this schedule has ended.";
        case "approval":
            return "Waits until somebody approves or rejects it.";
        case "ready":
            return run.queue
                ? `Waits for a worker of the queue ${run.queue}.`
                : "Waits for a place on a node.";
        case "leased":
            return `Claimed by ${run.worker ?? "a node"}; it has not reported that it works yet.`;
        case "running":
            return `Attempt ${run.attempt} runs${run.worker ? ` on ${run.worker}` : ""}.`;
        case "backoff":
            return `Attempt ${run.attempt} failed; the next one starts after a wait.`;
        case "succeeded":
            return `Succeeded${tries}.`;
        case "timedOut":
            return `Timed out${tries}${why}.`;
        case "unknown":
            return `Ended without a report${tries}${why}.`;
        default:
            return `${run.outcome[0].toUpperCase()}${run.outcome.slice(1)}${tries}${why}.`;
    }
}
