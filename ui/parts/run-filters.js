/* SPDX-License-Identifier: Apache-2.0 */
/* The filters of the list of runs, kept in the address. */
import { html } from "../lib/html.js";
import { query, setQuery } from "../lib/router.js";
import { look } from "../lib/words.js";
import { KINDS } from "./run-words.js";
import { WhenFilter } from "./time-field.js";

const NAMES = ["state", "outcome", "kind", "schedule", "queue", "from", "to"];
const STATES = ["open", "held", "approval", "ready", "leased", "running", "backoff", "ended"];
const OUTCOMES = ["succeeded", "failed", "timedOut", "cancelled", "terminated", "unknown"];

/** The filter of GET /runs that the address names. @param {Record<string, string>} values */
export function filterOf(values) {
    return Object.fromEntries(NAMES.filter((name) => values[name]).map((name) => [name, values[name]]));
}

/** Views that are one click away: name and filter. @type {Array<[string, Record<string, string>]>} */
const VIEWS = [
    ["All", {}],
    ["Open", { state: "open" }],
    ["Waiting for approval", { state: "approval" }],
    ["Running", { state: "running" }],
    ["Waiting", { state: "ready" }],
    ["Failed", { outcome: "failed" }],
];

/** @param {Record<string, string>} values */
const choose = (values) => setQuery({ state: null, outcome: null, ...values });

/** @param {{name: string, label: string, values: string[], text: (value: string) => string}} props */
function Choice({ name, label, values, text }) {
    return html`<label>
        <span class="hidden">${label}</span>
        <select
            title=${label}
            value=${query.value[name] ?? ""}
            onChange=${(/** @type {any} */ event) => setQuery({ [name]: event.target.value || null })}
        >
            <option value="">${label}: any</option>
            ${values.map((value) => html`<option value=${value}>${text(value)}</option>`)}
        </select>
    </label>`;
}

/** @param {{name: string, label: string}} props */
function Text({ name, label }) {
    return html`<input
        type="search"
        class="run-text"
        placeholder=${label}
        aria-label=${label}
        value=${query.value[name] ?? ""}
        onChange=${(/** @type {any} */ event) => setQuery({ [name]: event.target.value.trim() || null })}
    />`;
}

/**
 * Filters in a line; behind a summary where there is no room.
 * @param {{isNarrow: boolean, children?: any}} props
 */
function Fold({ isNarrow, children }) {
    const fields = html`<div class="filters" role="group" aria-label="Filters">${children}</div>`;
    if (!isNarrow) return fields;
    const count = Object.keys(filterOf(query.value)).length;
    return html`<details class="run-fold">
        <summary>Filters${count > 0 ? html` <span class="num">(${count})</span>` : null}</summary>
        ${fields}
    </details>`;
}

/** @param {{isNarrow: boolean}} props */
export function RunFilters({ isNarrow }) {
    const { state, outcome } = filterOf(query.value);
    return html`<div class="stack run-filters">
        <div class="filters" role="group" aria-label="Views">
            ${VIEWS.map(([name, values]) => {
                const isChosen = values.state === state && values.outcome === outcome;
                return html`<button
                    type="button"
                    class="chip"
                    aria-pressed=${isChosen ? "true" : "false"}
                    onClick=${() => choose(values)}
                >
                    ${name}
                </button>`;
            })}
        </div>
        <${Fold} isNarrow=${isNarrow}>
            <${Text} name="schedule" label="Schedule" />
            <${Text} name="queue" label="Queue" />
            <${Choice}
                name="state"
                label="State"
                values=${STATES}
                text=${(/** @type {string} */ one) => look(one).word}
            />
            <${Choice}
                name="outcome"
                label="Outcome"
                values=${OUTCOMES}
                text=${(/** @type {string} */ one) => look(one).word}
            />
            <${Choice}
                name="kind"
                label="Kind"
                values=${Object.keys(KINDS)}
                text=${(/** @type {string} */ one) => one}
            />
            <${WhenFilter} name="from" label="From" />
            <${WhenFilter} name="to" label="To" />
        <//>
    </div>`;
}
