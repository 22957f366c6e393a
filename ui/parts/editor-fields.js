/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of the form.  Each shows one member of the document and changes nothing else.  A member
 * with a value that its field cannot show is shown as text, to be edited as JSON.
 */
import { html, useEffect, useRef, useState } from "../lib/html.js";
import { fieldName, getIn, isPlain, parseDoc, printDoc, sameDoc, unknownMembers } from "./editor-doc.js";

/**
 * What fields need: the document, how to change it, and what is wrong with it.
 * @typedef {{doc: any, set: (path: import("./editor-doc.js").Path, value: any) => void,
 *     errors: Array<{field: string, message: string, at?: number | null}>, zone: string,
 *     setInvalid: (field: string, message: string | null) => void}} Form
 */

/**
 * The first error at a field or, with `below`, at a part of it.
 * @param {Form} form @param {import("./editor-doc.js").Path} path @param {boolean} [below]
 */
export function errorAt(form, path, below = true) {
    const name = fieldName(path);
    return form.errors.find(
        ({ field }) =>
            field === name || (below && (field.startsWith(`${name}.`) || field.startsWith(`${name}[`))),
    );
}

/** A value that only the JSON view can edit. @param {{value: any, name?: string}} props */
export function ReadOnly({ value, name }) {
    return html`<details class="readonly">
        <summary>
            ${name ? html`<code>${name}</code> ` : null}<span class="faint">edited in JSON</span>
        </summary>
        <pre>${printDoc(value)}</pre>
    </details>`;
}

/** The members that the form does not know. @param {{value: any, known: string[]}} props */
export function Rest({ value, known }) {
    const rest = unknownMembers(value, known);
    if (!rest) return null;
    return html`${Object.entries(rest).map(
        ([name, one]) => html`<${ReadOnly} key=${name} name=${name} value=${one} />`,
    )}`;
}

/**
 * What an input of a row needs: its name, its description, and its place in the document.
 * @param {import("./editor-doc.js").Path} path
 * @param {any} label
 */
const naming = (path, label) => ({
    "aria-label": typeof label === "string" ? label : null,
    "aria-describedby": `about-${fieldName(path)}`,
    "data-field": fieldName(path),
});

/**
 * The frame of a field: label, hint, error.  A group of inputs is a fieldset rather than a label.
 * @param {{form: Form, path: import("./editor-doc.js").Path, label: any, hint?: any, group?: boolean,
 *     children?: any, class?: string}} props
 */
export function Row({ form, path, label, hint, group, children, class: name = "" }) {
    const error = errorAt(form, path);
    const about = `about-${fieldName(path)}`;
    const inner = html`${group
        ? html`<legend class="label">${label}</legend>`
        : html`<span class="label">${label}</span>`}
    ${children}
    ${error
        ? html`<span class="field-error" role="alert" id=${about}>${error.message}</span>`
        : hint
          ? html`<span class="hint" id=${about}>${hint}</span>`
          : null}`;
    const look = `field ${error ? "has-error" : ""} ${name}`;
    return group
        ? html`<fieldset class=${look}>${inner}</fieldset>`
        : html`<label class=${look}>${inner}</label>`;
}

/** @param {any} value */
const isText = (value) => value === undefined || value === null || typeof value === "string";

/**
 * A text, duration or (with `number`) whole number; empty: the default.
 * @param {{form: Form, path: import("./editor-doc.js").Path, label: any, hint?: any, placeholder?: string,
 *     number?: boolean, mono?: boolean, rows?: number, list?: string, keepEmpty?: boolean}} props
 */
export function TextRow({ form, path, label, hint, placeholder, number, mono, rows, list, keepEmpty }) {
    const value = getIn(form.doc, path);
    const isShown = isText(value) || (number && typeof value === "number");
    const change = (/** @type {any} */ event) => {
        const text = event.target.value;
        if (text === "") form.set(path, keepEmpty ? "" : undefined);
        else form.set(path, number && /^-?\d{1,15}$/.test(text.trim()) ? Number(text) : text);
    };
    const props = {
        value: value ?? "",
        placeholder,
        spellcheck: false,
        class: mono ? "mono" : "",
        ...naming(path, label),
        onInput: change,
    };
    return html`<${Row} form=${form} path=${path} label=${label} hint=${hint}>
        ${!isShown
            ? html`<${ReadOnly} value=${value} />`
            : rows
              ? html`<textarea rows=${rows} ...${props}></textarea>`
              : html`<input
                    type="text"
                    inputmode=${number ? "numeric" : null}
                    autocomplete="off"
                    list=${list}
                    ...${props}
                />`}
    <//>`;
}

/**
 * One of several words, with a sentence about the chosen one.
 * @param {{form: Form, path: import("./editor-doc.js").Path, label: any,
 *     choices: import("./editor-words.js").Choices, none?: string}} props
 */
export function ChoiceRow({ form, path, label, choices, none }) {
    const value = getIn(form.doc, path);
    const chosen = choices.find(([name]) => name === (value ?? choices[0][0]));
    const isKnown = value === undefined || value === null || choices.some(([name]) => name === value);
    return html`<${Row} form=${form} path=${path} label=${label} hint=${chosen?.[2]}>
        ${isText(value)
            ? html`<select
                  ...${naming(path, label)}
                  value=${value ?? ""}
                  onChange=${(/** @type {any} */ event) => form.set(path, event.target.value || undefined)}
              >
                  <option value="">${none ?? `${choices[0][1]} (default)`}</option>
                  ${choices.map(([name, text]) => html`<option value=${name}>${text}</option>`)}
                  ${isKnown ? null : html`<option value=${value}>${value}</option>`}
              </select>`
            : html`<${ReadOnly} value=${value} />`}
    <//>`;
}

/**
 * Yes or no.  The value of the default removes the member.
 * @param {{form: Form, path: import("./editor-doc.js").Path, label: any, hint?: any, usual?: boolean}} props
 */
export function CheckRow({ form, path, label, hint, usual = false }) {
    const value = getIn(form.doc, path) ?? usual;
    if (typeof value !== "boolean") return html`<${ReadOnly} name=${label} value=${value} />`;
    const error = errorAt(form, path);
    return html`<div class="field ${error ? "has-error" : ""}">
        <label class="check">
            <input
                type="checkbox"
                checked=${value}
                data-field=${fieldName(path)}
                onChange=${(/** @type {any} */ event) =>
                    form.set(path, event.target.checked === usual ? undefined : event.target.checked)}
            />
            ${label}
        </label>
        ${error
            ? html`<span class="field-error" role="alert">${error.message}</span>`
            : hint
              ? html`<span class="hint">${hint}</span>`
              : null}
    </div>`;
}

/**
 * Keeps a draft that is not yet a value: it follows the document when that changes elsewhere.
 * @template T
 * @param {any} value
 * @param {(value: any) => T} print
 * @returns {[T, (draft: T, value: any) => void]}
 */
function useDraft(value, print) {
    const [draft, setDraft] = useState(() => print(value));
    const last = useRef(value);
    useEffect(() => {
        if (sameDoc(last.current, value)) return;
        last.current = value;
        setDraft(print(value));
    });
    return [
        draft,
        (next, committed) => {
            last.current = committed;
            setDraft(next);
        },
    ];
}

/**
 * Any JSON, as text.
 * @param {{form: Form, path: import("./editor-doc.js").Path, label: any, hint?: any, rows?: number}} props
 */
export function JsonRow({ form, path, label, hint, rows = 4 }) {
    const value = getIn(form.doc, path);
    const [draft, setDraft] = useDraft(value, (one) => (one === undefined ? "" : printDoc(one)));
    const name = fieldName(path);
    useEffect(() => () => form.setInvalid(name, null), []);
    const change = (/** @type {any} */ event) => {
        const text = event.target.value;
        try {
            const parsed = text.trim() === "" ? undefined : parseDoc(text);
            setDraft(text, parsed);
            form.setInvalid(name, null);
            form.set(path, parsed);
        } catch (error) {
            setDraft(text, value);
            form.setInvalid(name, /** @type {Error} */ (error).message);
        }
    };
    return html`<${Row} form=${form} path=${path} label=${label} hint=${hint}>
        <textarea
            class="mono"
            rows=${rows}
            spellcheck=${false}
            ...${naming(path, label)}
            value=${draft}
            onInput=${change}
        ></textarea>
    <//>`;
}

/**
 * A list of texts, one per line.
 * @param {{form: Form, path: import("./editor-doc.js").Path, label: any, hint?: any, placeholder?: string,
 *     rows?: number}} props
 */
export function LinesRow({ form, path, label, hint, placeholder, rows = 2 }) {
    const value = getIn(form.doc, path);
    const isShown =
        (value ?? null) === null || (Array.isArray(value) && value.every((one) => typeof one === "string"));
    const [draft, setDraft] = useDraft(value, (one) => (isShown ? (one ?? []).join("\n") : ""));
    const change = (/** @type {any} */ event) => {
        const lines = event.target.value
            .split("\n")
            .map((/** @type {string} */ line) => line.trim())
            .filter(Boolean);
        const next = lines.length > 0 ? lines : undefined;
        setDraft(event.target.value, next);
        form.set(path, next);
    };
    return html`<${Row} form=${form} path=${path} label=${label} hint=${hint}>
        ${isShown
            ? html`<textarea
                  class="mono"
                  rows=${rows}
                  spellcheck=${false}
                  placeholder=${placeholder}
                  ...${naming(path, label)}
                  value=${draft}
                  onInput=${change}
              ></textarea>`
            : html`<${ReadOnly} value=${value} />`}
    <//>`;
}

/**
 * Names and texts, such as labels.
 * @param {{form: Form, path: import("./editor-doc.js").Path, label: any, hint?: any, add: string}} props
 */
export function PairsRow({ form, path, label, hint, add }) {
    const value = getIn(form.doc, path);
    const isShown =
        (value ?? null) === null ||
        (isPlain(value) && Object.values(value).every((one) => typeof one === "string"));
    const [draft, setDraft] = useDraft(
        value,
        (one) => /** @type {any[]} */ (isShown ? Object.entries(one ?? {}) : []),
    );
    const commit = (/** @type {any[]} */ pairs) => {
        const named = pairs.filter(([name]) => name !== "");
        const next = named.length > 0 ? Object.fromEntries(named) : undefined;
        setDraft(pairs, next);
        form.set(path, next);
    };
    const change = (/** @type {number} */ at, /** @type {any} */ pair) =>
        commit(draft.map((old, i) => (i === at ? pair : old)));
    const isTwice = new Set(draft.map(([name]) => name)).size < draft.length;
    return html`<${Row} form=${form} path=${path} label=${label} hint=${hint} group>
        ${isShown
            ? html`${draft.map(
                      ([name, text], i) =>
                          html`<div class="form-entry entry-pair">
                              <input
                                  type="text"
                                  aria-label="Name"
                                  placeholder="name"
                                  spellcheck=${false}
                                  value=${name}
                                  onInput=${(/** @type {any} */ event) =>
                                      change(i, [event.target.value, text])}
                              />
                              <input
                                  type="text"
                                  aria-label="Value of ${name}"
                                  placeholder="value"
                                  spellcheck=${false}
                                  value=${text}
                                  onInput=${(/** @type {any} */ event) =>
                                      change(i, [name, event.target.value])}
                              />
                              <${Remove}
                                  what=${name || "the empty line"}
                                  onClick=${() => commit(draft.filter((_, at) => at !== i))}
                              />
                          </div>`,
                  )}
                  ${isTwice
                      ? html`<span class="field-error" role="alert"
                            >A name occurs twice; only the last one counts.</span
                        >`
                      : null} <${Add} text=${add} onClick=${() => setDraft([...draft, ["", ""]], value)} />`
            : html`<${ReadOnly} value=${value} />`}
    <//>`;
}

/** @param {{text: string, onClick: () => void}} props */
export const Add = ({ text, onClick }) =>
    html`<button type="button" class="small entry-add" onClick=${onClick}>+ ${text}</button>`;

/** @param {{what: string, onClick: () => void}} props */
export const Remove = ({ what, onClick }) =>
    html`<button
        type="button"
        class="plain small"
        aria-label="Remove ${what}"
        title="Remove"
        onClick=${onClick}
    >
        ✕
    </button>`;
