/* SPDX-License-Identifier: Apache-2.0 */
/* JSON that people can fold and copy.  Closed parts are not in the document. */
import { html, useState } from "../lib/html.js";
import { number } from "../lib/words.js";
import { toast } from "./basic.js";

const OPEN_DEPTH = 2;
const STEP = 100; /* members shown at first, and with each click */
const TEXT_MAX = 2000;

/** @param {{text: string}} props */
function LongText({ text }) {
    const [isAll, setAll] = useState(false);
    if (isAll || text.length <= TEXT_MAX)
        return html`<span class="json-string">${JSON.stringify(text)}</span>`;
    return html`<span class="json-string">${JSON.stringify(text.slice(0, TEXT_MAX))}…</span>
        <button type="button" class="small" onClick=${() => setAll(true)}>
            Show all ${number(text.length)} characters
        </button>`;
}

/** @param {{value: any}} props */
function Leaf({ value }) {
    if (typeof value === "string") return html`<${LongText} text=${value} />`;
    return html`<span class="json-${value === null ? "null" : typeof value}">${String(value)}</span>`;
}

/** @param {{name: string | null, value: any, depth: number}} props */
function Node({ name, value, depth }) {
    const isBranch = value !== null && typeof value === "object";
    const entries = isBranch ? Object.entries(value) : [];
    const [isOpen, setOpen] = useState(depth < OPEN_DEPTH && entries.length <= STEP);
    const [most, setMost] = useState(STEP);
    const label = name === null ? null : html`<span class="json-name">${name}: </span>`;
    if (!isBranch || entries.length === 0)
        return html`<div class="json-line">
            ${label}${isBranch ? (Array.isArray(value) ? "[]" : "{}") : html`<${Leaf} value=${value} />`}
        </div>`;
    const size = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
    return html`<details
        open=${isOpen}
        onToggle=${(/** @type {any} */ event) => setOpen(event.target.open)}
    >
        <summary>${label}<span class="faint num">${size}</span></summary>
        ${isOpen
            ? html`<div class="json-children">
                  ${entries
                      .slice(0, most)
                      .map(
                          ([key, one]) =>
                              html`<${Node} key=${key} name=${key} value=${one} depth=${depth + 1} />`,
                      )}
                  ${entries.length > most
                      ? html`<button type="button" class="small" onClick=${() => setMost(most + STEP)}>
                            ${number(most)} of ${number(entries.length)} shown; show more
                        </button>`
                      : null}
              </div>`
            : null}
    </details>`;
}

/** @param {{value: any, label: string}} props */
export function JsonView({ value, label }) {
    const copy = async () => {
        try {
            await navigator.clipboard.writeText(JSON.stringify(value, null, 2));
            toast("Copied.");
        } catch {
            toast("The browser does not allow copying here; select the text instead.", "bad");
        }
    };
    return html`<div class="json" role="group" aria-label=${label}>
        <button type="button" class="small json-copy" onClick=${copy}>
            Copy<span class="hidden"> ${label}</span>
        </button>
        <div class="json-body"><${Node} name=${null} value=${value} depth=${0} /></div>
    </div>`;
}
