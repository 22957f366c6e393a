/* SPDX-License-Identifier: Apache-2.0 */
/* Local times that people type, as instants, and a filter of lists by them. */
import { html } from "../lib/html.js";
import { query, setQuery } from "../lib/router.js";
import { civil, clockOf, dateOf, ms, zoneName } from "../lib/time.js";

/**
 * The instant of a local time "2026-11-19T02:30" in a zone; the later one of two, and the time
 * after the gap if a clock change skips it.  Null if the text is none.
 * @param {string} text @param {string} zone @returns {number | null}
 */
export function instantOf(text, zone) {
    const wanted = Date.parse(`${text}Z`);
    if (Number.isNaN(wanted)) return null;
    let at = wanted;
    for (let i = 0; i < 3; i++) {
        const c = civil(at, zone);
        const shown = Date.UTC(c.year, c.month - 1, c.day, c.hour, c.minute, c.second);
        if (shown === wanted) break;
        at += wanted - shown;
    }
    return at;
}

/** A time of the query of the address, in the chosen zone. @param {{name: string, label: string}} props */
export function WhenFilter({ name, label }) {
    const zone = zoneName();
    const at = ms(query.value[name]);
    const c = Number.isNaN(at) ? null : civil(at, zone);
    const change = (/** @type {any} */ event) => {
        const chosen = event.target.value ? instantOf(event.target.value, zone) : null;
        setQuery({ [name]: chosen === null ? null : new Date(chosen).toISOString() });
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
