/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes of many schedules: those that are selected, or all that match a filter.  First the ids
 * are read, so that the number is known and nothing joins later; then the user confirms; then the
 * change is made in batches, and can be stopped between two of them.
 */
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { get, request, v1 } from "../lib/api.js";
import { number, plural } from "../lib/words.js";
import { Dialog, Field, Problem, toast } from "./basic.js";
import { NO_PAUSE, PauseFields, pauseBody } from "./schedule-actions.js";

const BATCH = 200; /* schedules of a request: some tens of milliseconds for the server */
const RETRIES = 5; /* of a request that the server could not answer */
const ERRORS_SHOWN = 200;

/** @typedef {"pause" | "resume" | "trigger" | "delete"} BulkAction */

/**
 * @type {Record<BulkAction, {title: string, button: string, past: string, tone: string, text: string}>}
 */
const ACTIONS = {
    pause: {
        title: "Pause",
        button: "Pause",
        past: "paused",
        tone: "primary",
        text: "Their slots do not start until they are resumed. Runs that are open continue.",
    },
    resume: {
        title: "Resume",
        button: "Resume",
        past: "resumed",
        tone: "primary",
        text: "Slots of the pause start or are missed by the catch-up policy of each schedule.",
    },
    trigger: {
        title: "Run now",
        button: "Run",
        past: "run",
        tone: "primary",
        text: "Each starts one run, one after the other. Where a run is open, the overlap policy decides.",
    },
    delete: {
        title: "Delete",
        button: "Delete",
        past: "deleted",
        tone: "danger",
        text: "Runs that wait end, others finish their attempt. The history stays until it is too old.",
    },
};

/** A name for a request, so that the server makes the change only once. */
function requestKey() {
    return "page-" + [...crypto.getRandomValues(new Uint32Array(4))].map((n) => n.toString(36)).join("");
}

/** @param {number} time */
const wait = (time) => new Promise((resolve) => setTimeout(resolve, time));

/**
 * Sends a change; again with the same key if the answer was lost or the server has no time.
 * @param {string} path @param {any} body
 */
async function send(path, body) {
    const headers = { "Idempotency-Key": requestKey() };
    for (let tries = 0; ; tries++) {
        try {
            return await request("POST", path, { body, headers });
        } catch (problem) {
            const error = /** @type {any} */ (problem);
            if (![0, 429, 503].includes(error.status) || tries >= RETRIES) throw error;
            await wait(Math.max(error.retryAfter * 1000, 500 * 2 ** tries));
        }
    }
}

/** @typedef {{id: string, message: string}} Failure */

/**
 * Makes the change for some schedules; returns those that failed.
 * @param {BulkAction} action @param {string[]} ids @param {any} options
 * @returns {Promise<Failure[]>}
 */
async function change(action, ids, options) {
    if (action === "trigger") {
        try {
            await send(v1("schedules", ids[0], "trigger"), {});
            return [];
        } catch (error) {
            return [{ id: ids[0], message: /** @type {Error} */ (error).message }];
        }
    }
    const answer = await send(v1("bulk", "schedules", action), { items: ids, ...options });
    return answer.results
        .map((/** @type {any} */ one, /** @type {number} */ i) => ({ ...one, id: ids[i] }))
        .filter((/** @type {any} */ one) => one.status !== "ok")
        .map((/** @type {any} */ one) => ({ id: one.id, message: one.error?.message ?? "unknown error" }));
}

/**
 * The ids of all schedules that match a filter.
 * @param {Record<string, string>} values @param {(count: number) => void} onCount
 * @param {AbortSignal} abort
 */
async function allIds(values, onCount, abort) {
    const { sort, ...filter } = values;
    /** @type {string[]} */
    const ids = [];
    let cursor = null;
    do {
        const page = await get(
            "/api/v1/schedules",
            { ...filter, fields: "id", limit: 1000, cursor },
            abort,
        );
        for (const one of page.schedules) ids.push(one.id);
        cursor = page.cursor;
        onCount(ids.length);
    } while (cursor);
    return ids;
}

/**
 * @typedef {{phase: "read" | "ask" | "run" | "end", ids: string[], done: number,
 *     failures: Failure[], error: any, isStopped: boolean}} Job
 */

/** @type {Job} */
const NEW_JOB = { phase: "read", ids: [], done: 0, failures: [], error: null, isStopped: false };

/** @param {{failures: Failure[]}} props */
function Failures({ failures }) {
    if (failures.length === 0) return null;
    const copy = () =>
        navigator.clipboard
            .writeText(failures.map(({ id, message }) => `${id}\t${message}`).join("\n"))
            .then(
                () => toast("Copied"),
                () => toast("The browser does not allow copying here.", "bad"),
            );
    return html`<div class="bulk-failures" role="group" aria-label="Schedules that failed">
        <div class="row">
            <strong>${plural(failures.length, "schedule")} failed</strong>
            <button type="button" class="small" onClick=${copy}>Copy all</button>
        </div>
        <ul tabindex="0">
            ${failures.slice(0, ERRORS_SHOWN).map(({ id, message }) => html`<li
                key=${id}
            ><code>${id}</code> ${message}</li>`)}
        </ul>
        ${
            failures.length > ERRORS_SHOWN
                ? html`<p
                    class="hint"
                >${ERRORS_SHOWN} of ${number(failures.length)} shown; “Copy all” copies all.</p>`
                : null
        }
    </div>`;
}

/** @param {{job: Job, word: string}} props */
function BulkProgress({ job, word }) {
    const ok = job.done - job.failures.length;
    return html`<div class="bulk-progress">
        <progress value=${job.done} max=${job.ids.length} aria-label="Progress"></progress>
        <p class="num" role="status">
            ${number(ok)} of ${number(job.ids.length)} ${word}${
                job.failures.length
                    ? html`, <span class="tone-text-bad">${number(job.failures.length)} failed</span>`
                    : null
            }${job.isStopped && job.phase === "end" ? "; stopped" : null}
        </p>
    </div>`;
}

/**
 * Makes the change in batches until it is done or stopped.
 * @param {BulkAction} action @param {string[]} ids @param {any} options
 * @param {{current: boolean}} stop @param {(part: Partial<Job>) => void} onChange
 */
async function runAll(action, ids, options, stop, onChange) {
    const size = action === "trigger" ? 1 : BATCH;
    /** @type {Failure[]} */
    const failures = [];
    let shownAt = 0;
    for (let at = 0; at < ids.length && !stop.current; at += size) {
        const part = ids.slice(at, at + size);
        failures.push(...(await change(action, part, options)));
        if (performance.now() - shownAt < 100 && at + size < ids.length) continue;
        shownAt = performance.now();
        onChange({ done: at + part.length, failures: [...failures] });
    }
}

/**
 * @typedef {{action: BulkAction, ids: string[] | null, filter: Record<string, string>,
 *     phrase: string, onClose: () => void, onDone: () => void}} BulkProps
 * `ids`: the selected schedules, or null for all that match `filter`, which `phrase` describes.
 */

/** The change from reading the ids to its end. @param {BulkProps} props */
function useJob({ action, ids, filter, onDone }) {
    const [job, setJob] = useState(NEW_JOB);
    const stop = useRef(false);
    const change = (/** @type {Partial<Job>} */ part) => setJob((old) => ({ ...old, ...part }));
    useEffect(() => {
        const abort = new AbortController();
        const read = ids ? Promise.resolve(ids) : allIds(filter, (done) => change({ done }), abort.signal);
        read.then(
            (found) => change({ phase: "ask", ids: found, done: 0 }),
            (error) => abort.signal.aborted || change({ error }),
        );
        return () => {
            abort.abort();
            stop.current = true;
        };
    }, []);
    const run = async (/** @type {any} */ options) => {
        change({ phase: "run", error: null });
        try {
            await runAll(action, job.ids, options, stop, change);
        } catch (error) {
            change({ error });
        }
        setJob((old) => ({ ...old, phase: old.done ? "end" : "ask", isStopped: stop.current }));
        onDone();
    };
    return { job, run, change, stop: () => (stop.current = true) };
}

/**
 * What the user says before the change: reason and end of a pause, the number of deletions.
 * @param {{action: BulkAction, count: number, form: any, onForm: (form: any) => void, typed: string,
 *     onType: (text: string) => void}} props
 */
function Questions({ action, count, form, onForm, typed, onType }) {
    if (action === "pause") return html`<${PauseFields} form=${form} onChange=${onForm} />`;
    if (action !== "delete" || count < 2) return null;
    return html`<${Field} label="Type ${count} to confirm">
        <input
            inputmode="numeric"
            autocomplete="off"
            value=${typed}
            onInput=${(/** @type {any} */ event) => onType(event.target.value)}
        />
    <//>`;
}

/** Which schedules change. @param {BulkProps} props */
function whichText({ ids, phrase }) {
    if (ids) return "The selected schedules.";
    return phrase ? `All schedules that match: ${phrase}.` : "All schedules of this namespace.";
}

/**
 * @param {{job: Job, text: string, tone: string, isReady: boolean, onStop: () => void,
 *     onClose: () => void}} props
 */
function Buttons({ job, text, tone, isReady, onStop, onClose }) {
    if (job.phase === "run")
        return html`<div class="dialog-foot"><button type="button" onClick=${onStop}>Stop</button></div>`;
    return html`<div class="dialog-foot">
        <button type="button" onClick=${onClose}>${job.phase === "end" ? "Close" : "Cancel"}</button>
        ${job.phase === "ask"
            ? html`<button type="submit" class=${tone} disabled=${!isReady}>${text}</button>`
            : null}
    </div>`;
}

/** @param {BulkProps} props */
export function BulkDialog(props) {
    const { action, onClose } = props;
    const { job, run, change, stop } = useJob(props);
    const [form, setForm] = useState(NO_PAUSE);
    const [typed, setTyped] = useState("");
    const { title, button, past, tone, text } = ACTIONS[action];
    const { phase } = job;
    const count = job.ids.length;
    const isTyped = typed.replaceAll(",", "").trim() === String(count);
    const isConfirmed = action !== "delete" || count < 2 || isTyped;
    const submit = (/** @type {Event} */ event) => {
        event.preventDefault();
        try {
            run(action === "pause" ? pauseBody(form) : {});
        } catch (error) {
            change({ error });
        }
    };
    return html`<${Dialog}
        title="${title}: ${phase === "read" ? "schedules" : plural(count, "schedule")}"
        onClose=${phase === "run" ? stop : onClose}
    >
        <form class="form" onSubmit=${submit}>
            <p>${whichText(props)} ${text}</p>
            ${phase === "read" && !job.error
                ? html`<p class="muted num" role="status">Counting: ${number(job.done)}</p>`
                : null}
            ${phase === "ask"
                ? html`<${Questions}
                      action=${action}
                      count=${count}
                      form=${form}
                      onForm=${setForm}
                      typed=${typed}
                      onType=${setTyped}
                  />`
                : null}
            ${phase === "run" || phase === "end" ? html`<${BulkProgress} job=${job} word=${past} />` : null}
            ${job.error ? html`<${Problem} error=${job.error} />` : null}
            <${Failures} failures=${job.failures} />
            <${Buttons}
                job=${job}
                text="${button} ${plural(count, "schedule")}"
                tone=${tone}
                isReady=${count > 0 && isConfirmed}
                onStop=${stop}
                onClose=${onClose}
            />
        </form>
    <//>`;
}
