/* SPDX-License-Identifier: Apache-2.0 */
/* A filter of lists by a time that people type. */
import { html } from "../lib/html.js";
import { query, setQuery } from "../lib/router.js";
import { civil, clockOf, dateOf, ms, parseLocal, zoneName } from "../lib/time.js";

/** A time of the query of the address, in the chosen zone. @param {{name: string, label: string}} props */
export function WhenFilter({ name, label }) {
    const zone = zoneName();
    const at = ms(query.value[name]);
    const c = Number.isNaN(at) ? null : civil(at, zone);
    const change = (/** @type {any} */ event) => {
        const chosen = parseLocal(event.target.value, zone);
        setQuery({ [name]: Number.isNaN(chosen) ? null : new Date(chosen).toISOString() });
    };
    return html`<label class="run-when" title="${label}, in ${zone}">
        <span class="small muted">${label}</span>
        <input
            type="datetime-local"
            value=${c ? `${dateOf(c)}T${clockOf({ ...c, second: 0 })}` : ""}
            onChange=${change}
        />
    </label>`;
}
