/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of a spec: cron lines, intervals, calendars, single times. */
import { html } from "../lib/html.js";
import { fieldName, getIn, isPlain } from "./editor-doc.js";
import { Add, ChoiceRow, ReadOnly, Remove, Rest, Row, TextRow, errorAt } from "./editor-fields.js";
import { ANCHOR, DIALECTS } from "./editor-words.js";
import { ZonePicker, ZonedTime } from "./schedule-zone.js";

/** @typedef {import("./editor-fields.js").Form} Form */

/** The entries of a list that may be null. @param {Form} form @param {import("./editor-doc.js").Path} path */
export function entriesOf(form, path) {
    const value = getIn(form.doc, path);
    if (value === undefined || value === null) return [];
    return Array.isArray(value) ? value : null;
}

/**
 * Adds an entry and puts the cursor into it.
 * @param {Form} form
 * @param {import("./editor-doc.js").Path} path
 * @param {any} entry
 */
function addEntry(form, path, entry) {
    const list = entriesOf(form, path) ?? [];
    form.set(path, [...list, entry]);
    const name = fieldName([...path, list.length]);
    setTimeout(
        () => /** @type {HTMLElement} */ (document.querySelector(`[data-field^="${name}"]`))?.focus(),
        30,
    );
}

/** @param {Form} form @param {import("./editor-doc.js").Path} path @param {number} at */
function removeEntry(form, path, at) {
    const rest = (entriesOf(form, path) ?? []).filter((_, i) => i !== at);
    form.set(path, rest.length > 0 ? rest : undefined);
}

/**
 * The text of an error with the part of the expression at which it is.
 * @param {{error: any, text: string}} props
 */
function ExpressionError({ error, text }) {
    if (typeof error.at !== "number" || !text)
        return html`<span class="field-error" role="alert">${error.message}</span>`;
    /* The offset counts bytes of UTF-8. */
    const bytes = new TextEncoder().encode(text);
    const head = new TextDecoder().decode(bytes.slice(0, error.at));
    const [, bad, tail] = /^(\S*)(.*)$/s.exec(text.slice(head.length)) ?? ["", "", ""];
    return html`<span class="field-error" role="alert">
        <code class="pointed">${head}<mark>${bad || "␣"}</mark>${tail}</code> ${error.message}
    </span>`;
}

const CRON_KNOWN = ["expr", "dialect", "timezone"];

/** @param {{form: Form, at: number, entry: any}} props */
function CronLine({ form, at, entry }) {
    const path = ["spec", "cron", at];
    const isWord = typeof entry === "string";
    const remove = html`<${Remove}
        what="cron line ${at + 1}"
        onClick=${() => removeEntry(form, ["spec", "cron"], at)}
    />`;
    if (!isWord && (!isPlain(entry) || typeof entry.expr !== "string"))
        return html`<div class="form-entry">
            <${ReadOnly} name=${fieldName(path)} value=${entry} />${remove}
        </div>`;
    const expr = isWord ? entry : entry.expr;
    const error = errorAt(form, path);
    const set = (/** @type {string} */ name, /** @type {string} */ value) => {
        if (isWord && name === "expr") form.set(path, value);
        else if (isWord) form.set(path, value ? { expr, [name]: value } : expr);
        else form.set([...path, name], value || (name === "expr" ? "" : undefined));
    };
    return html`<div class="form-entry-block">
        <div class="form-entry cron-line">
            <input
                type="text"
                class="mono"
                aria-label="Cron expression ${at + 1}"
                aria-invalid=${error && !/\.(dialect|timezone)$/.test(error.field) ? "true" : null}
                placeholder="minute hour day month weekday"
                spellcheck=${false}
                autocomplete="off"
                data-field=${fieldName([...path, "expr"])}
                value=${expr}
                onInput=${(/** @type {any} */ event) => set("expr", event.target.value)}
            />
            <select
                aria-label="Dialect of expression ${at + 1}"
                title="Dialect"
                aria-invalid=${error?.field.endsWith(".dialect") ? "true" : null}
                data-field=${fieldName([...path, "dialect"])}
                value=${(isWord ? "" : entry.dialect) ?? ""}
                onChange=${(/** @type {any} */ event) => set("dialect", event.target.value)}
            >
                <option value="">belfry (default)</option>
                ${DIALECTS.map(([name]) => html`<option value=${name}>${name}</option>`)}
                ${isWord || !entry.dialect || DIALECTS.some(([name]) => name === entry.dialect)
                    ? null
                    : html`<option value=${entry.dialect}>${String(entry.dialect)}</option>`}
            </select>
            <${ZonePicker}
                id="cron-zone-${at}"
                label="Zone of expression ${at + 1}"
                invalid=${error?.field.endsWith(".timezone")}
                placeholder="zone of the spec"
                field=${fieldName([...path, "timezone"])}
                value=${(isWord ? "" : entry.timezone) ?? ""}
                onChange=${(/** @type {string} */ name) => set("timezone", name)}
            />
            ${remove}
        </div>
        ${error
            ? html`<${ExpressionError} error=${error} text=${error.field.includes(".expr") ? expr : ""} />`
            : null}
        <${Rest} value=${isWord ? null : entry} known=${CRON_KNOWN} />
    </div>`;
}

/**
 * A list whose entries are drawn by `entry`.
 * @param {{form: Form, path: import("./editor-doc.js").Path, label: string, add: string, fresh: any,
 *     entry: (value: any, at: number) => any, hint?: any}} props
 */
function ListRow({ form, path, label, add, fresh, entry, hint }) {
    const list = entriesOf(form, path);
    const error = errorAt(form, path, false);
    return html`<fieldset class="field">
        <legend class="label">${label}</legend>
        ${list === null ? html`<${ReadOnly} value=${getIn(form.doc, path)} />` : list.map(entry)}
        ${error ? html`<span class="field-error" role="alert">${error.message}</span>` : null}
        ${hint && list?.length ? html`<span class="hint">${hint}</span>` : null}
        ${list === null ? null : html`<${Add} text=${add} onClick=${() => addEntry(form, path, fresh)} />`}
    </fieldset>`;
}

/** @param {{form: Form}} props */
export function CronList({ form }) {
    return html`<${ListRow}
        form=${form}
        path=${["spec", "cron"]}
        label="Cron expressions"
        add="Cron expression"
        fresh="0 9 * * MON-FRI"
        entry=${(/** @type {any} */ value, /** @type {number} */ at) =>
            html`<${CronLine} key=${at} form=${form} at=${at} entry=${value} />`}
    />`;
}

const INTERVAL_KNOWN = ["every", "phase", "anchor"];

/** @param {{form: Form}} props */
export function IntervalList({ form }) {
    const path = ["spec", "intervals"];
    const line = (/** @type {any} */ value, /** @type {number} */ at) =>
        isPlain(value)
            ? html`<div class="form-entry-block" key=${at}>
                  <div class="form-entry entry-interval">
                      <${TextRow}
                          form=${form}
                          path=${[...path, at, "every"]}
                          label="Every"
                          placeholder="15m"
                          keepEmpty
                      />
                      <${TextRow}
                          form=${form}
                          path=${[...path, at, "phase"]}
                          label="Phase"
                          placeholder="0s"
                      />
                      <${ChoiceRow}
                          form=${form}
                          path=${[...path, at, "anchor"]}
                          label="Counts from"
                          choices=${ANCHOR}
                      />
                      <${Remove} what="interval ${at + 1}" onClick=${() => removeEntry(form, path, at)} />
                  </div>
                  <${Rest} value=${value} known=${INTERVAL_KNOWN} />
              </div>`
            : html`<${ReadOnly} name=${fieldName([...path, at])} value=${value} />`;
    return html`<${ListRow}
        form=${form}
        path=${path}
        label="Intervals"
        add="Interval"
        fresh=${{ every: "15m" }}
        entry=${line}
    />`;
}

/** @type {Array<[string, string, string]>} */
const CALENDAR = [
    ["hour", "Hour", "0"],
    ["minute", "Minute", "0"],
    ["second", "Second", "0"],
    ["dayOfMonth", "Day of month", "*"],
    ["month", "Month", "*"],
    ["dayOfWeek", "Weekday", "*"],
    ["year", "Year", "*"],
    ["comment", "Comment", ""],
];

/** @param {{form: Form, path: import("./editor-doc.js").Path, label: string}} props */
export function CalendarList({ form, path, label }) {
    const known = CALENDAR.map(([name]) => name);
    const line = (/** @type {any} */ value, /** @type {number} */ at) =>
        isPlain(value)
            ? html`<div class="form-entry-block" key=${at}>
                  <div class="form-entry entry-calendar">
                      ${CALENDAR.map(
                          ([name, text, usual]) =>
                              html`<${TextRow}
                                  key=${name}
                                  form=${form}
                                  path=${[...path, at, name]}
                                  label=${text}
                                  placeholder=${usual}
                                  mono
                              />`,
                      )}
                      <${Remove} what="calendar ${at + 1}" onClick=${() => removeEntry(form, path, at)} />
                  </div>
                  <${Rest} value=${value} known=${known} />
              </div>`
            : html`<${ReadOnly} name=${fieldName([...path, at])} value=${value} />`;
    return html`<${ListRow}
        form=${form}
        path=${path}
        label=${label}
        add="Calendar"
        fresh=${{ hour: "9", dayOfWeek: "MON-FRI" }}
        entry=${line}
    />`;
}

/** Single times; the document may have one text instead of a list. @param {{form: Form}} props */
export function MomentList({ form }) {
    const path = ["spec", "at"];
    const value = getIn(form.doc, path) ?? [];
    const list = typeof value === "string" ? [value] : value;
    const isShown = Array.isArray(list) && list.every((one) => typeof one === "string");
    const commit = (/** @type {string[]} */ next) => form.set(path, next.length > 0 ? next : undefined);
    return html`<${Row} form=${form} path=${path} label="Single times" group>
        ${isShown
            ? html`${list.map(
                      (/** @type {string} */ one, /** @type {number} */ i) =>
                          html`<div class="form-entry" key=${i}>
                              <${ZonedTime}
                                  value=${one}
                                  zone=${form.zone}
                                  label="Single time ${i + 1}"
                                  field=${fieldName([...path, i])}
                                  onChange=${(/** @type {string | null} */ at) =>
                                      at &&
                                      commit(
                                          list.map((/** @type {string} */ old, /** @type {number} */ k) =>
                                              k === i ? at : old,
                                          ),
                                      )}
                              />
                              <${Remove}
                                  what="single time ${i + 1}"
                                  onClick=${() =>
                                      commit(
                                          list.filter(
                                              (/** @type {any} */ _, /** @type {number} */ k) => k !== i,
                                          ),
                                      )}
                              />
                          </div>`,
                  )}
                  <${Add}
                      text="Single time"
                      onClick=${() =>
                          commit([
                              ...list,
                              new Date(Math.ceil(Date.now() / 3_600_000) * 3_600_000).toISOString(),
                          ])}
                  />`
            : html`<${ReadOnly} value=${value} />`}
    <//>`;
}
