/* SPDX-License-Identifier: Apache-2.0 */
/* When a schedule runs: the spec in the form. */
import { html, useEffect, useState } from "../lib/html.js";
import { get } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { fieldName, getIn, isPlain } from "./editor-doc.js";
import { CalendarList, CronList, IntervalList, MomentList } from "./editor-cron.js";
import { ChoiceRow, LinesRow, ReadOnly, Rest, Row, TextRow, errorAt } from "./editor-fields.js";
import { DST, FOLD, GAP, SHIFT, WINDOW_RULE, sentenceOf } from "./editor-words.js";
import { FreeSlot } from "./editor-free.js";
import { ZonePicker, ZonedTime } from "./schedule-zone.js";

/** @typedef {import("./editor-fields.js").Form} Form */

const SPEC_KNOWN = [
    "cron",
    "calendars",
    "intervals",
    "timesOfDay",
    "at",
    "exclude",
    "start",
    "end",
    "window",
    "timezone",
    "dst",
    "jitter",
];

/** @param {{form: Form}} props */
function Zone({ form }) {
    const path = ["spec", "timezone"];
    const value = getIn(form.doc, path);
    return html`<${Row}
        form=${form}
        path=${path}
        label="Time zone"
        hint="Wall-clock times are times of this zone; empty: UTC."
    >
        ${value === undefined || value === null || typeof value === "string"
            ? html`<${ZonePicker}
                  id="spec-zone"
                  label="Time zone"
                  placeholder="UTC"
                  field=${fieldName(path)}
                  value=${value ?? ""}
                  onChange=${(/** @type {string} */ name) => form.set(path, name || undefined)}
              />`
            : html`<${ReadOnly} value=${value} />`}
    <//>`;
}

/** @param {{form: Form, name: string, label: string, hint: string}} props */
function Bound({ form, name, label, hint }) {
    const path = ["spec", name];
    const value = getIn(form.doc, path);
    return html`<${Row} form=${form} path=${path} label=${label} hint=${hint}>
        ${value === undefined || value === null || typeof value === "string"
            ? html`<${ZonedTime}
                  value=${value}
                  zone=${form.zone}
                  label=${label}
                  field=${fieldName(path)}
                  onChange=${(/** @type {string | null} */ at) => form.set(path, at ?? undefined)}
              />`
            : html`<${ReadOnly} value=${value} />`}
    <//>`;
}

/** The clock-change rule: a name, or a choice for gaps and one for folds. @param {{form: Form}} props */
function ClockRule({ form }) {
    const path = ["spec", "dst"];
    const value = getIn(form.doc, path) ?? "";
    const isCustom = isPlain(value);
    if (!isCustom && typeof value !== "string") return html`<${ReadOnly} name="spec.dst" value=${value} />`;
    const known = value === "" || isCustom || DST.some(([name]) => name === value);
    const change = (/** @type {any} */ event) => {
        const name = event.target.value;
        form.set(path, name === "custom" ? { gap: "skip", fold: "first" } : name || undefined);
    };
    return html`<div class="stack-small">
        <${Row}
            form=${form}
            path=${path}
            label="At clock changes"
            hint=${isCustom
                ? null
                : value === ""
                  ? "The rule of the dialect; vixie for calendars and times of day."
                  : sentenceOf(DST, value)}
        >
            <select
                aria-label="At clock changes"
                data-field="spec.dst"
                value=${isCustom ? "custom" : value}
                onChange=${change}
            >
                <option value="">as the dialect does (default)</option>
                ${DST.map(([name, text]) => html`<option value=${name}>${text}</option>`)}
                <option value="custom">choose for gaps and folds</option>
                ${known ? null : html`<option value=${value}>${value}</option>`}
            </select>
        <//>
        ${isCustom
            ? html`<div class="grid2 tight">
                      <${ChoiceRow}
                          form=${form}
                          path=${[...path, "gap"]}
                          label="Clock forward (gap)"
                          choices=${GAP}
                      />
                      <${ChoiceRow}
                          form=${form}
                          path=${[...path, "fold"]}
                          label="Clock back (fold)"
                          choices=${FOLD}
                      />
                  </div>
                  <${Rest} value=${value} known=${["gap", "fold"]} />`
            : null}
    </div>`;
}

/** @param {{form: Form}} props */
function Window({ form }) {
    const path = ["spec", "window"];
    const value = getIn(form.doc, path) ?? null;
    if (value !== null && !isPlain(value)) return html`<${ReadOnly} name="spec.window" value=${value} />`;
    return html`<div class="stack-small">
        <label class="check">
            <input
                type="checkbox"
                data-field="spec.window"
                checked=${value !== null}
                onChange=${(/** @type {any} */ event) =>
                    form.set(path, event.target.checked ? { from: "08:00", to: "18:00" } : undefined)}
            />
            Only at certain times of day (window)
        </label>
        ${value === null
            ? null
            : html`<div class="grid3 tight">
                      <${TextRow}
                          form=${form}
                          path=${[...path, "from"]}
                          label="From"
                          placeholder="08:00"
                          keepEmpty
                      />
                      <${TextRow}
                          form=${form}
                          path=${[...path, "to"]}
                          label="To (inclusive)"
                          placeholder="18:00"
                          keepEmpty
                      />
                      <${ChoiceRow}
                          form=${form}
                          path=${[...path, "rule"]}
                          label="Slots outside"
                          choices=${WINDOW_RULE}
                      />
                  </div>
                  <${Rest} value=${value} known=${["from", "to", "rule"]} />`}
    </div>`;
}

/** Shared calendars of the namespace, to exclude by name. @param {{form: Form}} props */
function NamedCalendars({ form }) {
    const path = ["spec", "exclude", "named"];
    const chosen = getIn(form.doc, path) ?? [];
    const list = useResource("calendars", (abort) => get("/api/v1/calendars", { limit: 1000 }, abort));
    if (!Array.isArray(chosen)) return html`<${ReadOnly} name="spec.exclude.named" value=${chosen} />`;
    const known = (list.data?.calendars ?? []).map((/** @type {any} */ one) => one.name);
    const names = [...new Set([...known, ...chosen])];
    if (names.length === 0) return null;
    const change = (/** @type {string} */ name, /** @type {boolean} */ isOn) => {
        const next = isOn ? [...chosen, name] : chosen.filter((one) => one !== name);
        form.set(path, next.length > 0 ? next : undefined);
    };
    return html`<${Row} form=${form} path=${path} label="Named calendars" group>
        <div class="row" data-field="spec.exclude.named" tabindex="-1">
            ${names.map(
                (name) =>
                    html`<label class="check">
                        <input
                            type="checkbox"
                            checked=${chosen.includes(name)}
                            onChange=${(/** @type {any} */ event) => change(name, event.target.checked)}
                        />
                        ${String(name)}
                    </label>`,
            )}
            ${list.data?.cursor
                ? html`<span class="faint">The first 1,000 calendars are shown.</span>`
                : null}
        </div>
    <//>`;
}

const EXCLUDE_KNOWN = ["calendars", "dates", "named", "shift"];

/** @param {{form: Form}} props */
function Exclusions({ form }) {
    const path = ["spec", "exclude"];
    const value = getIn(form.doc, path) ?? {};
    if (!isPlain(value)) return html`<${ReadOnly} name="spec.exclude" value=${value} />`;
    return html`<div class="form">
        <${LinesRow}
            form=${form}
            path=${[...path, "dates"]}
            label="Dates"
            placeholder="2026-12-25"
            hint="One date per line, in the zone of the spec."
        />
        <${NamedCalendars} form=${form} />
        <${CalendarList} form=${form} path=${[...path, "calendars"]} label="Excluded times" />
        <${ChoiceRow}
            form=${form}
            path=${[...path, "shift"]}
            label="Slots of an excluded day"
            choices=${SHIFT}
        />
        <${Rest} value=${value} known=${EXCLUDE_KNOWN} />
    </div>`;
}

/**
 * A part of the form.  It opens when it gets content or an error, and closes only by hand.
 * @param {{title: string, open: boolean, count?: number, children?: any}} props
 */
export function Section({ title, open, count = 0, children }) {
    const [isOpen, setOpen] = useState(open);
    useEffect(() => {
        if (open) setOpen(true);
    }, [open]);
    return html`<details
        class="form-section"
        open=${isOpen}
        onToggle=${(/** @type {any} */ event) => setOpen(event.target.open)}
    >
        <summary>${title}${count > 0 ? html` <span class="faint num">${count} set</span>` : null}</summary>
        ${isOpen ? html`<div class="form form-section-body">${children}</div>` : null}
    </details>`;
}

/**
 * How many of these members the document has.
 * @param {Form} form
 * @param {import("./editor-doc.js").Path} path
 * @param {string[]} names
 */
export const countSet = (form, path, names) =>
    names.filter((name) => (getIn(form.doc, [...path, name]) ?? null) !== null).length;

/**
 * Whether one of these fields has an error.
 * @param {Form} form
 * @param {import("./editor-doc.js").Path} path
 * @param {string[]} names
 */
export const hasError = (form, path, names) => names.some((name) => errorAt(form, [...path, name]));

/** @param {{form: Form}} props */
export function SpecForm({ form }) {
    const spec = getIn(form.doc, ["spec"]) ?? {};
    if (!isPlain(spec)) return html`<${ReadOnly} name="spec" value=${spec} />`;
    const others = ["intervals", "timesOfDay", "at", "calendars"];
    const limits = ["start", "end", "window", "jitter", "dst"];
    return html`<div class="form">
        <${Zone} form=${form} />
        <${CronList} form=${form} />
        <${FreeSlot} form=${form} />
        <${Section}
            title="Intervals, times of day, single times"
            count=${countSet(form, ["spec"], others)}
            open=${countSet(form, ["spec"], others) > 0 || hasError(form, ["spec"], others)}
        >
            <${IntervalList} form=${form} />
            <${LinesRow}
                form=${form}
                path=${["spec", "timesOfDay"]}
                label="Times of day"
                placeholder="09:30"
                hint="One time per line, HH:MM or HH:MM:SS, every day."
            />
            <${MomentList} form=${form} />
            <${CalendarList} form=${form} path=${["spec", "calendars"]} label="Calendars" />
        <//>
        <${Section}
            title="Exclusions"
            count=${countSet(form, ["spec", "exclude"], EXCLUDE_KNOWN)}
            open=${hasError(form, ["spec"], ["exclude"])}
        >
            <${Exclusions} form=${form} />
        <//>
        <${Section}
            title="Bounds, window, jitter, clock changes"
            count=${countSet(form, ["spec"], limits)}
            open=${hasError(form, ["spec"], limits)}
        >
            <div class="grid2 tight">
                <${Bound} form=${form} name="start" label="Start" hint="The earliest slot." />
                <${Bound} form=${form} name="end" label="End" hint="The latest slot." />
            </div>
            <${Window} form=${form} />
            <div class="grid2 tight">
                <${TextRow}
                    form=${form}
                    path=${["spec", "jitter"]}
                    label="Jitter"
                    placeholder="0s"
                    hint="Delays each slot by up to this duration, always the same for one slot."
                />
                <${ClockRule} form=${form} />
            </div>
        <//>
        <${Rest} value=${spec} known=${SPEC_KNOWN} />
    </div>`;
}
