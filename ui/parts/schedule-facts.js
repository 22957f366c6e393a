/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a schedule as names and sentences. */
import { html } from "../lib/html.js";
import { spanOf } from "../lib/time.js";
import { actionText, plural } from "../lib/words.js";
import { Link, Time } from "./basic.js";
import { BACKOFF, CATCHUP, DELIVERY, OVERLAP, sentenceOf } from "./editor-words.js";

/** @param {Array<string | false | null | undefined>} parts @param {string} by */
const join = (parts, by) => parts.filter(Boolean).join(by);

/** @param {string | null} duration @param {string} none */
const spanOr = (duration, none) => (duration && duration !== "0s" ? spanOf(duration) : none);

/** @param {any} exclude */
function excludedText({ dates, named, calendars, shift }) {
    const what = [
        dates.length > 0 && plural(dates.length, "date"),
        named.length > 0 && `the calendars ${named.join(", ")}`,
        calendars.length > 0 && plural(calendars.length, "pattern"),
    ];
    return join([join(what, ", "), shift !== "none" && `moved to the ${shift} free day`], "; ");
}

/** @param {any} window */
const windowText = ({ from, to, rule }) =>
    `${from} to ${to}; slots outside ${rule === "clamp" ? "move into it" : "are dropped"}`;

/** @param {any} spec @returns {any[]} */
export function specFacts(spec) {
    const { exclude, window, dst } = spec;
    const hasExclusions = exclude.dates.length + exclude.named.length + exclude.calendars.length > 0;
    return [
        ["Time zone", spec.timezone],
        spec.start && ["Start", html`<${Time} at=${spec.start} zone=${spec.timezone} />`],
        spec.end && ["End", html`<${Time} at=${spec.end} zone=${spec.timezone} />`],
        hasExclusions && ["Not on", excludedText(exclude)],
        window && ["Window", windowText(window)],
        spec.jitter !== "0s" && ["Jitter", `up to ${spanOf(spec.jitter)}, always the same for one slot`],
        dst && ["Clock changes", typeof dst === "string" ? dst : `gap: ${dst.gap}, fold: ${dst.fold}`],
    ];
}

/** @param {{input: any}} props */
function Input({ input }) {
    const count = Object.keys(input ?? {}).length;
    if (count === 0) return html`<span class="faint">none</span>`;
    return html`<details>
        <summary>${plural(count, "member")}</summary>
        <pre class="break">${JSON.stringify(input, null, 2)}</pre>
    </details>`;
}

/** @param {any} action @returns {any[]} */
export function actionFacts(action) {
    return [
        ["Does", html`<code class="break">${actionText(action)}</code>`],
        action.kind && ["Kind", action.kind],
        action.upstream && ["Upstream", action.upstream],
        action.timeout && ["Time limit", spanOf(action.timeout)],
        action.sign && ["Signed with", action.sign],
        ["Input", html`<${Input} input=${action.input} />`],
    ];
}

/** @param {any} catchup */
function catchupText({ mode, window, whilePaused }) {
    const late = window && `A slot later than ${spanOf(window)} is missed.`;
    return join(
        [sentenceOf(CATCHUP, mode), late, whilePaused && "Slots of a pause are caught up, too."],
        " ",
    );
}

/** @param {any} retry */
function retryText({ attempts, delay, max, backoff }) {
    if (attempts <= 1) return "One: a failed run is not repeated.";
    const waits = `first wait ${spanOf(delay)}, at most ${spanOf(max)}`;
    return `Up to ${attempts}; ${waits}. ${sentenceOf(BACKOFF, backoff)}`;
}

/** @param {any} policies */
function limitsText({ timeout, maxRunTime, lease, startWithin }) {
    const parts = [
        `attempt: ${spanOr(timeout, "none")}`,
        `run: ${spanOr(maxRunTime, "none")}`,
        `lease: ${spanOf(lease.for)}`,
        startWithin && `must begin within ${spanOf(startWithin)}`,
    ];
    return join(parts, "; ");
}

/** @param {{gate: any}} props */
const Gate = ({ gate }) =>
    html`<${Link} to=${["gates"]} query=${{ search: gate.key }}>${gate.key}<//>: at most${" "}
        ${plural(gate.limit, "run")} at the same time`;

/** @param {any} policies @returns {any[]} */
export function policyFacts(policies) {
    const { retention, concurrency } = policies;
    const kept = [spanOf(retention.age), retention.count && plural(retention.count, "attempt")];
    return [
        ["Overlap", sentenceOf(OVERLAP, policies.overlap)],
        ["Catch-up", catchupText(policies.catchup)],
        ["Attempts", retryText(policies.retry)],
        ["Delivery", sentenceOf(DELIVERY, policies.delivery)],
        ["Time limits", limitsText(policies)],
        policies.priority !== 5 && ["Priority", policies.priority],
        concurrency && ["Gate", html`<${Gate} gate=${concurrency} />`],
        policies.approval && ["Approval", "Each run waits until someone approves it."],
        policies.latenessBudget && ["Lateness budget", spanOf(policies.latenessBudget)],
        policies.remainingRuns !== null && ["Remaining runs", policies.remainingRuns],
        policies.pauseOnFailure && ["On failure", "The schedule is paused when a run fails."],
        ["Retention", join(kept, ", ")],
    ];
}

/** @param {{hint: any}} props */
function Hint({ hint }) {
    return html`${hint.interval ? `every ${spanOf(hint.interval)}` : ""}${" "}
    ${hint.at ? html`at <${Time} at=${hint.at} />` : null}
    ${hint.expires ? html`, expires <${Time} at=${hint.expires} relative />` : null}
    ${hint.reason ? ` “${hint.reason}”` : ""}`;
}

/** @param {any} governor @returns {any[]} */
export function governorFacts(governor) {
    if (!governor) return [];
    const { hint } = governor;
    const bounds = [
        `at least ${spanOr(governor.minInterval, "the minimum of the server")}`,
        governor.maxInterval && `at most ${spanOf(governor.maxInterval)}`,
        governor.backoff && "failures lengthen the interval",
    ];
    return [
        ["Adaptive", join(bounds, "; ")],
        hint && (hint.interval || hint.at) && ["Hint", html`<${Hint} hint=${hint} />`],
    ];
}
