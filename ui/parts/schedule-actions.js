/* SPDX-License-Identifier: Apache-2.0 */
/* What a user can do with a schedule, with a preview where it matters.  For rows and for views. */
import { html, useEffect, useState } from "../lib/html.js";
import { get, post, request, v1 } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { href } from "../lib/router.js";
import { now, parseLocal, viewerZone, zoneChoice } from "../lib/time.js";
import { plural } from "../lib/words.js";
import { attempt, Field, FormDialog, Load, Problem, Time, toast } from "./basic.js";
import { may } from "./login.js";

/** Starts a run now, and says which. @param {string} id */
export function runNow(id) {
    return attempt(
        () => post(v1("schedules", id, "trigger")),
        (/** @type {any} */ answer) =>
            answer.outcome
                ? `${id}: skipped, because another run of this schedule is open`
                : html`${id}: run <a href=${href(["run", answer.id])}>${answer.id}</a> started`,
    );
}

/** The zone in which a dialog asks for a time. */
export const dialogZone = () =>
    ["viewer", "schedule"].includes(zoneChoice.value) ? viewerZone : zoneChoice.value;

const HOUR = 3_600_000;

/** @type {Array<[string, string]>} */
const PAUSES = [
    ["", "Until it is resumed"],
    [String(HOUR), "For 1 hour"],
    [String(4 * HOUR), "For 4 hours"],
    [String(24 * HOUR), "For 24 hours"],
    [String(7 * 24 * HOUR), "For 7 days"],
    ["time", "Until a time …"],
];

/** @typedef {{reason: string, length: string, time: string}} PauseForm */

/** @type {PauseForm} */
export const NO_PAUSE = { reason: "", length: "", time: "" };

/** The body of a request for a pause. @param {PauseForm} form */
export function pauseBody(form) {
    const reason = form.reason.trim() || null;
    if (form.length === "") return { reason, until: null };
    const at =
        form.length === "time" ? parseLocal(form.time, dialogZone()) : now.value + Number(form.length);
    if (Number.isNaN(at)) throw new Error("until: no time; choose one");
    return { reason, until: new Date(at).toISOString() };
}

/** Reason and end of a pause. @param {{form: PauseForm, onChange: (form: PauseForm) => void}} props */
export function PauseFields({ form, onChange }) {
    const zone = dialogZone();
    return html`<${Field} label="Reason" hint="Shown to everybody who looks at the schedule">
            <input
                autofocus
                maxlength="1000"
                value=${form.reason}
                onInput=${(/** @type {any} */ event) => onChange({ ...form, reason: event.target.value })}
            />
        <//>
        <${Field} label="How long">
            <select
                value=${form.length}
                onChange=${(/** @type {any} */ event) => onChange({ ...form, length: event.target.value })}
            >
                ${PAUSES.map(([value, text]) => html`<option value=${value}>${text}</option>`)}
            </select>
        <//>
        ${
            form.length === "time"
                ? html`<${Field} label="Until" hint="In ${zone}">
                  <input
                      type="datetime-local"
                      required
                      value=${form.time}
                      onInput=${(/** @type {any} */ event) => onChange({ ...form, time: event.target.value })}
                  />
              <//>`
                : null
        }`;
}

/** @typedef {{id: string, onClose: () => void, onDone?: () => void}} ActionProps */

/** @param {ActionProps} props */
export function PauseDialog({ id, onClose, onDone }) {
    const [form, setForm] = useState(NO_PAUSE);
    const run = async () => {
        await post(v1("schedules", id, "pause"), pauseBody(form));
        toast(`${id}: paused`);
        onDone?.();
    };
    return html`<${FormDialog} title="Pause ${id}" action="Pause" onClose=${onClose} run=${run}>
        <p class="muted">
            Slots of the pause do not start. What becomes of them is decided by the catch-up policy of the
            schedule; “Resume” shows it first. Runs that are open continue.
        </p>
        <${PauseFields} form=${form} onChange=${setForm} />
    <//>`;
}

/** What the server says that resuming would do. @param {{forecast: any}} props */
function Forecast({ forecast }) {
    return html`<p class="note">${forecast.text}</p>
        ${
            forecast.nextAt
                ? html`<p class="muted">Next run: <${Time}
                    at=${forecast.nextAt}
                    relative
                />, <${Time} at=${forecast.nextAt} />.</p>`
                : null
        }`;
}

/** Resumes after showing what would become of the slots of the pause. @param {ActionProps} props */
export function ResumeDialog({ id, onClose, onDone }) {
    const forecast = useResource(`resume ${id}`, (abort) =>
        request("POST", v1("schedules", id, "resume"), { body: { dryRun: true }, signal: abort }),
    );
    const run = async () => {
        await post(v1("schedules", id, "resume"));
        toast(`${id}: resumed`);
        onDone?.();
    };
    return html`<${FormDialog} title="Resume ${id}" action="Resume" onClose=${onClose} run=${run}>
        <div class="forecast">
            <${Load}
                of=${forecast}
                rows=${2}
            >${(/** @type {any} */ data) => html`<${Forecast} forecast=${data} />`}<//>
        </div>
    <//>`;
}

/** Deletes after showing what that ends. @param {ActionProps} props */
export function DeleteDialog({ id, onClose, onDone }) {
    const [state, setState] = useState(/** @type {any} */ (null));
    const [error, setError] = useState(/** @type {any} */ (null));
    useEffect(() => {
        get(v1("schedules", id), { fields: "state" }).then(({ state: found }) => setState(found), setError);
    }, [id]);
    const run = async () => {
        await request("DELETE", v1("schedules", id));
        toast(`${id}: deleted`);
        onDone?.();
    };
    return html`<${FormDialog}
        title="Delete ${id}"
        action="Delete"
        tone="danger"
        onClose=${onClose}
        run=${run}
    >
        <p>
            The schedule and its plan are deleted. Runs that wait end; runs that are being carried out finish
            their attempt. Its history stays until it is too old.
        </p>
        <p class="muted fixed-line">
            ${state
                ? `It has ${plural(state.open, "open run")} and ${plural(state.waiting, "waiting start")}.`
                : null}
        </p>
        ${error ? html`<${Problem} error=${error} />` : null}
    <//>`;
}

const DIALOGS = { pause: PauseDialog, resume: ResumeDialog, delete: DeleteDialog };

/**
 * The dialog of an action.
 * @param {ActionProps & {action: "pause" | "resume" | "delete"}} props
 */
export function ActionDialog({ action, ...props }) {
    return html`<${DIALOGS[action]} ...${props} />`;
}

/** Whether a schedule has something to resume from. @param {{status: string}} schedule */
export const isPaused = (schedule) => schedule.status === "paused";

/**
 * The menu of a schedule.
 * @param {{id: string, status: string}} schedule
 * @param {(action: "pause" | "resume" | "delete") => void} open
 * @returns {import("./menu.js").MenuItem[]}
 */
export function scheduleMenu(schedule, open) {
    const { id } = schedule;
    const canOperate = may("operate") && schedule.status !== "closed";
    /** @type {Array<import("./menu.js").MenuItem | false>} */
    const items = [
        { text: "Open", href: href(["schedule", id]) },
        { text: "Runs", href: href(["runs"], { schedule: id }) },
        { text: "Timeline", href: href(["timeline"], { schedule: id }) },
        canOperate && { text: "Run now", run: () => runNow(id) },
        canOperate && !isPaused(schedule) && { text: "Pause …", run: () => open("pause") },
        canOperate && isPaused(schedule) && { text: "Resume …", run: () => open("resume") },
        may("edit") && schedule.status !== "closed" && { text: "Edit", href: href(["edit", id]) },
        may("edit") && { text: "Delete …", tone: "bad", run: () => open("delete") },
    ];
    return /** @type {import("./menu.js").MenuItem[]} */ (items.filter(Boolean));
}
