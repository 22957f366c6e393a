/* SPDX-License-Identifier: Apache-2.0 */
/* What one can do with a schedule, each with what it will do before it does it. */
import { html, useState } from "../lib/html.js";
import { del, get, post, request, v1 } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { href } from "../lib/router.js";
import { fullTime, offsetName, zoneName } from "../lib/time.js";
import { plural } from "../lib/words.js";
import { attempt, CopyLine, Dialog, Field, FormDialog, Load, Tabs, Time, toast } from "./basic.js";
import { loadDoc, parseDoc, printDoc } from "./editor-doc.js";
import { OVERLAP, sentenceOf } from "./editor-words.js";
import { isPaused } from "./schedule-actions.js";
import { yamlOf } from "./schedule-yaml.js";
import { ZonedTime } from "./schedule-zone.js";

/** @typedef {{id: string, schedule: any, onClose: () => void, onDone: () => void}} Props */

/** An input for a run, or undefined if there is none. @param {string} text */
function readInput(text) {
    if (text.trim() === "") return undefined;
    try {
        return parseDoc(text);
    } catch (error) {
        throw new Error(`input: not JSON: ${/** @type {Error} */ (error).message}`);
    }
}

/** Starts a run now, or tests the action. @param {Props & {test?: boolean}} props */
export function TriggerDialog({ id, schedule, onClose, onDone, test }) {
    const usual = schedule.action.input ?? {};
    const [input, setInput] = useState("");
    const [overlap, setOverlap] = useState("");
    const policy = schedule.policies.overlap;
    const run = async () => {
        const body = { input: readInput(input), ...(test || !overlap ? {} : { overlap }) };
        const answer = await post(v1("schedules", id, test ? "test" : "trigger"), JSON.stringify(body));
        const link = html`<a href=${href(["run", answer.id])}>${answer.id}</a>`;
        toast(
            answer.outcome
                ? `${id}: ${answer.outcome}, because another run of this schedule is open`
                : html`${id}: run ${link} ${test ? "tests the action" : "started"}`,
        );
        onDone();
    };
    return html`<${FormDialog}
        title="${test ? "Test" : "Trigger"} ${id}"
        action=${test ? "Run the test" : "Trigger"}
        onClose=${onClose}
        run=${run}
    >
        <p class="muted">
            ${test
                ? "Runs the action once. No counter of the schedule includes it."
                : `Starts a run now${isPaused(schedule.state) ? ", although the schedule is paused" : ""}.`}
        </p>
        <${Field} label="Input" hint="JSON; empty: the input of the schedule, shown here">
            <textarea
                class="mono"
                rows="5"
                autofocus
                spellcheck=${false}
                placeholder=${JSON.stringify(usual, null, 2)}
                value=${input}
                onInput=${(/** @type {any} */ event) => setInput(event.target.value)}
            ></textarea>
        <//>
        ${test
            ? null
            : html`<${Field} label="If a run is still open" hint=${sentenceOf(OVERLAP, overlap || policy)}>
                  <select
                      value=${overlap}
                      onChange=${(/** @type {any} */ event) => setOverlap(event.target.value)}
                  >
                      <option value="">as the schedule says (${policy})</option>
                      ${OVERLAP.map(([name, text]) => html`<option value=${name}>${text}</option>`)}
                  </select>
              <//>`}
    <//>`;
}

/** @param {Props} props */
export function SkipDialog({ id, schedule, onClose, onDone }) {
    const [count, setCount] = useState(1);
    const zone = zoneName(schedule.spec.timezone);
    const next = useResource(
        `next ${id} ${count}`,
        (abort) => get(v1("schedules", id, "next"), { count }, abort),
        { keep: true },
    );
    const run = async () => {
        const { skipped } = await post(v1("schedules", id, "skip-next"), { count });
        toast(`${id}: ${plural(skipped.length, "slot")} cancelled; the tab “Slots” can restore them`);
        onDone();
    };
    return html`<${FormDialog}
        title="Skip the next slots of ${id}"
        action="Skip ${plural(count, "slot")}"
        onClose=${onClose}
        run=${run}
    >
        <${Field} label="How many">
            <input
                type="number"
                min="1"
                max="1000"
                required
                autofocus
                value=${count}
                onInput=${(/** @type {any} */ event) =>
                    setCount(Math.max(1, Math.min(1000, Number(event.target.value) || 1)))}
            />
        <//>
        <div class="skip-times">
            <p class="muted">These do not run (${zone}):</p>
            <${Load} of=${next} rows=${2}>
                ${(/** @type {any} */ data) =>
                    html`<ul class="bare-list num">
                        ${data.times.slice(0, count).map(
                            (/** @type {any} */ time) =>
                                html`<li>
                                    ${fullTime(time.slot, zone)}${" "}
                                    <span class="faint"
                                        >${offsetName(time.slot, zone)}, <${Time} at=${time.slot} relative
                                    /></span>
                                </li>`,
                        )}
                        ${data.times.length === 0
                            ? html`<li>${data.noNextReason ?? "no slot is planned"}</li>`
                            : null}
                    </ul>`}
            <//>
        </div>
    <//>`;
}

/** @param {Props} props */
export function HintDialog({ id, schedule, onClose, onDone }) {
    const old = schedule.governor.hint ?? {};
    const [hint, setHint] = useState(
        /** @type {any} */ ({
            interval: old.interval ?? "",
            at: old.at ?? null,
            expires: null,
            reason: old.reason ?? "",
        }),
    );
    const zone = zoneName(schedule.spec.timezone);
    const { minInterval, maxInterval } = schedule.governor;
    const least = minInterval ?? "the minimum of the server";
    const bounds = `The interval is at least ${least}${maxInterval ? `, at most ${maxInterval}` : ""}.`;
    const hasHint = Boolean(old.interval || old.at);
    const run = async () => {
        const body = Object.fromEntries(Object.entries(hint).filter(([, value]) => value));
        await request("PUT", v1("schedules", id, "hint"), { body });
        toast(`${id}: hint set`);
        onDone();
    };
    const clear = async () => {
        const { error } = await attempt(() => del(v1("schedules", id, "hint")), `${id}: hint cleared`);
        if (!error) onDone(), onClose();
    };
    return html`<${FormDialog} title="Hint for ${id}" action="Set the hint" onClose=${onClose} run=${run}>
        <p class="muted">
            A hint moves the next runs until it expires. ${bounds} A new hint replaces the old one.
        </p>
        <${Field} label="Interval" hint="For example 5m; replaces the interval of the schedule">
            <input
                autofocus
                value=${hint.interval}
                onInput=${(/** @type {any} */ event) => setHint({ ...hint, interval: event.target.value })}
            />
        <//>
        <${Field} label="Or one run at" hint="Applies if it is earlier than the next run">
            <${ZonedTime}
                label="One run at"
                value=${hint.at}
                zone=${zone}
                onChange=${(/** @type {any} */ at) => setHint({ ...hint, at })}
            />
        <//>
        <${Field} label="Expires" hint="Empty: an hour from now, or an hour after the run">
            <${ZonedTime}
                label="Expires"
                value=${hint.expires}
                zone=${zone}
                onChange=${(/** @type {any} */ expires) => setHint({ ...hint, expires })}
            />
        <//>
        <${Field} label="Reason">
            <input
                maxlength="1000"
                value=${hint.reason}
                onInput=${(/** @type {any} */ event) => setHint({ ...hint, reason: event.target.value })}
            />
        <//>
        ${hasHint
            ? html`<div>
                  <button type="button" class="small" onClick=${clear}>Clear the present hint</button>
              </div>`
            : null}
    <//>`;
}

/** @param {Props} props */
export function ArchiveDialog({ id, schedule, onClose, onDone }) {
    const run = async () => {
        await post(v1("schedules", id, "archive"));
        toast(`${id}: archived`);
        onDone();
    };
    return html`<${FormDialog}
        title="Archive ${id}"
        action="Archive"
        tone="danger"
        onClose=${onClose}
        run=${run}
    >
        <p>
            The schedule is kept with its history, but it never runs again: it accepts no triggers and no
            edits. It cannot be opened again.
        </p>
        ${schedule.state.open > 0
            ? html`<p class="note">
                  ${plural(schedule.state.open, "run")} must end first; the server will refuse until then.
              </p>`
            : null}
    <//>`;
}

/** @param {Props} props */
export function DeleteDialog({ id, schedule, onClose, onDone }) {
    const [typed, setTyped] = useState("");
    const { open, waiting } = schedule.state;
    const run = async () => {
        await del(v1("schedules", id));
        toast(`${id}: deleted`);
        onDone();
    };
    return html`<${FormDialog}
        title="Delete ${id}"
        action="Delete"
        tone="danger"
        disabled=${typed !== id}
        onClose=${onClose}
        run=${run}
    >
        <p>
            The schedule has ${plural(open, "open run")} and ${plural(waiting, "waiting start")}. Waiting runs
            are dropped; runs that a worker holds may end. The history stays until it is too old.
        </p>
        <${Field} label=${html`Type <code>${id}</code> to delete it`}>
            <input
                autofocus
                autocomplete="off"
                spellcheck=${false}
                value=${typed}
                onInput=${(/** @type {any} */ event) => setTyped(event.target.value)}
            />
        <//>
    <//>`;
}

/** The document, to be applied elsewhere. @param {Props} props */
export function ExportDialog({ id, onClose }) {
    const [format, setFormat] = useState("yaml");
    const loaded = useResource(`export ${id}`, (abort) => loadDoc(id, abort));
    return html`<${Dialog} title="Export ${id}" onClose=${onClose} wide>
        <p class="muted">Without defaults. <code>belfry apply -f FILE</code> creates it on another server.</p>
        <${Tabs}
            label="Format"
            tabs=${[
                ["yaml", "YAML"],
                ["json", "JSON"],
            ]}
            chosen=${format}
            onChoose=${setFormat}
        />
        <div class="export-text">
            <${Load} of=${loaded} rows=${8}>
                ${(/** @type {any} */ { doc }) =>
                    html`<${CopyLine} text=${format === "yaml" ? yamlOf(doc) : printDoc(doc)} />`}
            <//>
        </div>
    <//>`;
}
