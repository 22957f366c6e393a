/* SPDX-License-Identifier: Apache-2.0 */
/* What people do with runs: approve, reject, cancel, terminate, retry; each asks first. */
import { html, useState } from "../lib/html.js";
import { post, v1 } from "../lib/api.js";
import { go } from "../lib/router.js";
import { plural } from "../lib/words.js";
import { Field, FormDialog, Link, Time, toast } from "./basic.js";
import { may } from "./login.js";

/** Which actions a run allows. @param {any} run @returns {string[]} */
export function actionsOf(run) {
    if (!may("operate")) return [];
    if (run.state === "ended") return run.schedule && run.kind !== "direct" ? ["retry"] : [];
    if (run.state === "approval") return ["approve", "reject"];
    return ["cancel", "terminate"];
}

/** Words, colours and consequences of each action. */
const TEXTS = {
    approve: { verb: "Approve", tone: "primary", past: "approved", says: "The run may start now." },
    reject: {
        verb: "Reject",
        tone: "danger",
        past: "rejected",
        says: "The run ends as cancelled and does not start.",
    },
    cancel: {
        verb: "Cancel run",
        tone: "danger",
        past: "cancelled",
        says: "A run that waits ends at once. A worker that holds it is asked to stop; the run stays open until then.",
    },
    terminate: {
        verb: "Terminate run",
        tone: "danger",
        past: "terminated",
        says: "The run ends at once. Its worker is not asked; its later reports are rejected.",
    },
};

/** @param {{run: any}} props */
function RunName({ run }) {
    return html`<p>
        Run <code>${run.id}</code>${run.schedule ? html` of <strong>${run.schedule}</strong>` : null},
        slot${" "}<${Time} at=${run.slot} />.
    </p>`;
}

/** @param {{value: string, onInput: (text: string) => void, hint: string}} props */
function ReasonField({ value, onInput, hint }) {
    return html`<${Field} label="Reason" hint=${hint}>
        <input
            type="text"
            maxlength="1000"
            value=${value}
            onInput=${(/** @type {any} */ event) => onInput(event.target.value)}
        />
    <//>`;
}

/** @param {string} name */
const reasonHint = (name) =>
    name === "approve"
        ? "Optional. It is written to the log of the run."
        : "Optional. It becomes the error of the run.";

/** @param {{run: any, name: keyof typeof TEXTS, onClose: () => void, onDone?: () => void}} props */
function ActionDialog({ run, name, onClose, onDone }) {
    const [reason, setReason] = useState("");
    const { verb, tone, past, says } = TEXTS[name];
    const hasReason = name === "approve" || name === "reject";
    const change = async () => {
        await post(v1("runs", run.id, name), hasReason && reason ? { reason } : {});
        toast(name === "cancel" ? "Cancellation requested." : `Run ${past}.`);
        onDone?.();
    };
    return html`<${FormDialog}
        title="${verb}?"
        action=${verb}
        tone=${tone}
        onClose=${onClose}
        run=${change}
    >
        <${RunName} run=${run} />
        <p>${says}</p>
        ${hasReason
            ? html`<${ReasonField} value=${reason} onInput=${setReason} hint=${reasonHint(name)} />`
            : null}
    <//>`;
}

/**
 * Retries an ended run with its own slot and input, or triggers its schedule with another input.
 * @param {{run: any, onClose: () => void, opens?: boolean}} props
 */
function RetryDialog({ run, onClose, opens }) {
    const [isEdited, setEdited] = useState(false);
    const [text, setText] = useState(JSON.stringify(run.input ?? {}, null, 2));
    const change = async () => {
        const answer = isEdited
            ? await post(v1("schedules", run.schedule, "trigger"), {
                  input: JSON.parse(text),
                  scheduledTime: run.slot,
              })
            : await post(v1("runs", run.id, "retry"));
        if (answer.outcome) throw new Error(`No run was started: ${answer.outcome} (${answer.reason}).`);
        toast(html`Started <${Link} to=${["run", answer.id]}>a new run<//>.`);
        if (opens) go(["run", answer.id]);
    };
    return html`<${FormDialog}
        title="Retry this run?"
        action="Start a new run"
        onClose=${onClose}
        run=${change}
    >
        <${RunName} run=${run} />
        <p>A new run starts now, for the same slot. This run and its attempts stay as they are.</p>
        <label class="check">
            <input
                type="checkbox"
                checked=${isEdited}
                onChange=${(/** @type {any} */ event) => setEdited(event.target.checked)}
            />
            Use another input
        </label>
        ${isEdited
            ? html`<${Field}
                  label="Input"
                  hint="A JSON object. The schedule is triggered with it; the schedule keeps its own."
              >
                  <textarea
                      rows="8"
                      class="mono"
                      spellcheck=${false}
                      value=${text}
                      onInput=${(/** @type {any} */ event) => setText(event.target.value)}
                  ></textarea>
              <//>`
            : null}
    <//>`;
}

const SHORT = {
    approve: "Approve",
    reject: "Reject",
    cancel: "Cancel",
    terminate: "Terminate",
    retry: "Retry",
};

/**
 * The buttons of a run.  `small` is for rows: terminate is offered on the page of the run only.
 * @param {{run: any, small?: boolean, opens?: boolean, onDone?: () => void}} props
 */
export function RunActions({ run, small, opens, onDone }) {
    const [open, setOpen] = useState("");
    const names = actionsOf(run).filter((name) => !small || name !== "terminate");
    const close = () => setOpen("");
    return html`${names.map(
        (name) =>
            html`<button
                type="button"
                key=${name}
                class="${small ? "small" : ""} ${!small && name === "approve" ? "primary" : ""}"
                onClick=${() => setOpen(name)}
            >
                ${SHORT[/** @type {keyof typeof SHORT} */ (name)]}
            </button>`,
    )}
    ${open === "retry" ? html`<${RetryDialog} run=${run} onClose=${close} opens=${opens} />` : null}
    ${open && open !== "retry"
        ? html`<${ActionDialog} run=${run} name=${open} onClose=${close} onDone=${onDone} />`
        : null}`;
}

/**
 * Changes some runs, four at a time; returns those that failed.
 * @param {any[]} runs
 * @param {string} name
 * @param {any} body
 * @param {(done: number) => void} progress
 */
async function changeMany(runs, name, body, progress) {
    const waiting = [...runs];
    const failed = /** @type {string[]} */ ([]);
    let done = 0;
    const work = async () => {
        for (let run = waiting.shift(); run; run = waiting.shift()) {
            try {
                await post(v1("runs", run.id, name), body);
            } catch (error) {
                failed.push(`${run.schedule ?? run.id}: ${/** @type {Error} */ (error).message}`);
            }
            progress(++done);
        }
    };
    await Promise.all([work(), work(), work(), work()]);
    return failed;
}

/**
 * Approves or rejects all chosen runs, with their number first.
 * @param {{runs: any[], name: "approve" | "reject", onClose: () => void, onDone: () => void}} props
 */
export function BulkDialog({ runs, name, onClose, onDone }) {
    const [reason, setReason] = useState("");
    const [done, setDone] = useState(0);
    const { verb, tone, past } = TEXTS[name];
    const schedules = new Set(runs.map((run) => run.schedule));
    const waits = runs.length === 1 ? "waits" : "wait";
    const waiting = `${plural(runs.length, "run")} of ${plural(schedules.size, "schedule")} ${waits}`;
    const change = async () => {
        const failed = await changeMany(runs, name, reason ? { reason } : {}, setDone);
        onDone();
        if (failed.length > 0)
            throw new Error(
                `${plural(failed.length, "run")} not ${past}. ${failed.slice(0, 3).join(" · ")}`,
            );
        toast(`${plural(runs.length, "run")} ${past}.`);
    };
    return html`<${FormDialog}
        title="${verb} ${plural(runs.length, "run")}?"
        action="${verb} ${plural(runs.length, "run")}"
        tone=${tone}
        onClose=${onClose}
        run=${change}
    >
        <p>${waiting} for approval.</p>
        <${ReasonField} value=${reason} onInput=${setReason} hint=${reasonHint(name)} />
        ${done > 0
            ? html`<progress max=${runs.length} value=${done} aria-label="Progress"></progress>`
            : null}
    <//>`;
}
