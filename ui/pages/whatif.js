/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What would happen: an outage is replayed, or an edit or a new schedule is tried, by
 * POST /what-if, which changes nothing.  The question is in the address, if it is short.
 */
import { html, useEffect, useMemo, useState } from "../lib/html.js";
import { namespace, request } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { query, setQuery } from "../lib/router.js";
import { fullTime, ms, now, parseLocal, zoneName } from "../lib/time.js";
import { Card, Empty, Field, Head, Load, Tabs } from "../parts/basic.js";
import { addDays, HOUR, MINUTE } from "../parts/timeline-axis.js";
import { WhatIfResult } from "../parts/timeline-forecast.js";

const ADDRESS_MAX = 1500; /* characters of JSON that the address may hold */
const LIST_FIRST = 100;
const LIST_MAX = 1000;

/** @type {Array<[string, string]>} */
const KINDS = [
    ["down", "Outage"],
    ["patch", "Edit"],
    ["new", "New schedule"],
];

/** For inputs of type datetime-local. @param {number} at @param {string} zone */
const civilText = (at, zone) => fullTime(at, zone).slice(0, 16).replace(" ", "T");

/** Ranges that people ask for. @param {string} zone @returns {Array<[string, number, number]>} */
function quickRanges(zone) {
    const today = fullTime(now.value, zone).slice(0, 10);
    const night = (/** @type {string} */ date) => parseLocal(`${date}T02:00`, zone);
    const past = night(today) + 40 * MINUTE <= now.value ? night(today) : night(addDays(today, -1));
    const next = night(today) > now.value ? night(today) : night(addDays(today, 1));
    const minute = Math.floor(now.value / MINUTE) * MINUTE;
    return [
        ["Last night 02:00–02:40", past, past + 40 * MINUTE],
        ["Tonight 02:00–02:40", next, next + 40 * MINUTE],
        ["The next hour", minute, minute + HOUR],
        ["The next day", minute, minute + 24 * HOUR],
    ];
}

/**
 * "etl=90s" per line.
 * @param {string} text @returns {{durations?: Record<string, string>, error?: string}}
 */
function readDurations(text) {
    /** @type {Record<string, string>} */
    const durations = {};
    for (const line of text
        .split(/[\n,]/)
        .map((one) => one.trim())
        .filter(Boolean)) {
        const at = line.lastIndexOf("=");
        if (at < 1 || at === line.length - 1)
            return { error: `"${line}": write schedule=duration, such as etl=90s` };
        durations[line.slice(0, at).trim()] = line.slice(at + 1).trim();
    }
    return Object.keys(durations).length > 0 ? { durations } : {};
}

/** @param {string} text */
function readObject(text) {
    try {
        const value = JSON.parse(text);
        return value && typeof value === "object" && !Array.isArray(value)
            ? { value }
            : { error: "must be a JSON object" };
    } catch (error) {
        return { error: /** @type {Error} */ (error).message };
    }
}

/**
 * The body of the request, or null if the question is not complete.
 * @param {Record<string, any>} asked @returns {any}
 */
function bodyOf(asked) {
    const { kind = "down", from, to, label, queue, schedule, json, durations, limit } = asked;
    const common = {
        ...readDurations(durations ?? ""),
        ...(label || queue ? { filter: { ...(label ? { label } : {}), ...(queue ? { queue } : {}) } } : {}),
        limit: Number(limit) || LIST_FIRST,
    };
    const range = { ...(from ? { from } : {}), ...(to ? { to } : {}) };
    if (kind === "down") return from && to ? { down: { from, to }, ...common } : null;
    const { value } = readObject(json ?? "");
    if (!value) return null;
    if (kind === "new") return { schedule: value, ...range, ...common };
    return schedule ? { patch: { schedule, patch: value }, ...range, ...common } : null;
}

/** The parts of the question that the address has. @param {Record<string, string>} values */
function askedByAddress({ kind, from, to, label, queue, schedule, json, durations, limit }) {
    return { kind: kind ?? "down", from, to, label, queue, schedule, json, durations, limit };
}

/**
 * @param {{from: string, to: string, zone: string, onChange: (values: any) => void, optional?: boolean}}
 *     props
 */
function Range({ from, to, zone, onChange, optional }) {
    const input = (/** @type {string} */ name, /** @type {string} */ value) => html`<input
        type="datetime-local"
        value=${value}
        required=${!optional}
        onInput=${(/** @type {any} */ event) => onChange({ [name]: event.target.value })}
    />`;
    return html`<div class="field">
        <div class="wi-range">
            <${Field} label=${optional ? "From" : "Down from"}>${input("from", from)}<//>
            <${Field} label="To">${input("to", to)}<//>
        </div>
        <p class="hint">Times in ${zone}${optional ? "; the default is the next 24 hours" : ""}</p>
    </div>`;
}

/** @param {{draft: any, change: (values: any) => void, jsonError: any}} props */
function Document({ draft, change, jsonError }) {
    const isPatch = draft.kind === "patch";
    return html`
        ${
            isPatch
                ? html`<${Field} label="Schedule">
                <input type="text" required value=${draft.schedule}
                    onInput=${(/** @type {any} */ event) => change({ schedule: event.target.value })} /><//>`
                : null
        }
        <${Field}
            label=${isPatch ? "Changes" : "Schedule"}
            hint=${isPatch ? html`A merge patch, such as <code>{"spec": {"jitter": "10m"}}</code>`
                : html`A document, such
                    as <code>{"id": "new", "spec": {"cron": ["0 * * * *"]}, "action": …}</code>`}
            error=${jsonError}
        >
            <textarea class="mono" rows="7" spellcheck=${false} required value=${draft.json}
                onInput=${(/** @type {any} */ event) => change({ json: event.target.value })}></textarea>
        <//>
    `;
}

/** @param {{draft: any, change: (values: any) => void, error: any}} props */
function More({ draft, change, error }) {
    const isUsed = Boolean(draft.label || draft.queue || draft.durations);
    return html`<details open=${isUsed || null}>
        <summary class="muted small">Filter and durations</summary>
        <div class="form wi-more">
            <div class="wi-range">
                <${Field} label="Label" hint="name or name=value">
                <input type="text" value=${draft.label}
                    onInput=${(/** @type {any} */ event) => change({ label: event.target.value })} /><//>
                <${Field} label="Queue">
                <input type="text" value=${draft.queue}
                    onInput=${(/** @type {any} */ event) => change({ queue: event.target.value })} /><//>
            </div>
            <${Field} label="How long runs take"
                hint="A schedule=duration per line. Without it, the median of the last 7 days is used."
                    error=${error}>
                <textarea class="mono" rows="3" spellcheck=${false} placeholder="etl=90s"
                    value=${draft.durations}
                        onInput=${(/** @type {any} */ event) => change({ durations: event.target.value })}>
                        </textarea>
            <//>
        </div>
    </details>`;
}

/** @param {Record<string, any>} asked @param {string} zone */
function draftOf(asked, zone) {
    const [, from, to] = quickRanges(zone)[0];
    const isDown = asked.kind === "down";
    return {
        kind: asked.kind,
        from: asked.from ? civilText(ms(asked.from), zone) : isDown ? civilText(from, zone) : "",
        to: asked.to ? civilText(ms(asked.to), zone) : isDown ? civilText(to, zone) : "",
        label: asked.label ?? "",
        queue: asked.queue ?? "",
        schedule: asked.schedule ?? "",
        json: asked.json ?? "",
        durations: asked.durations ?? "",
    };
}

/** @param {{asked: any, ask: (values: any) => void, busy: boolean}} props */
function Question({ asked, ask, busy }) {
    const zone = zoneName();
    const [draft, setDraft] = useState(() => draftOf(asked, zone));
    const [errors, setErrors] = useState(/** @type {{json?: string, durations?: string}} */ ({}));
    const key = JSON.stringify(asked) + zone;
    useEffect(() => setDraft(draftOf(asked, zone)), [key]);
    const change = (/** @type {any} */ values) => setDraft((old) => ({ ...old, ...values }));
    const isDown = draft.kind === "down";
    const submit = (/** @type {any} */ values) => {
        const next = { ...draft, ...values };
        const json = isDown ? undefined : readObject(next.json).error;
        const durations = readDurations(next.durations).error;
        setErrors({ json, durations });
        if (json || durations) return;
        const instant = (/** @type {string} */ text) =>
            text ? new Date(parseLocal(text, zone)).toISOString() : null;
        ask({ ...next, from: instant(next.from), to: instant(next.to) });
    };
    const quick = ([, from, to] = /** @type {any} */ ([])) =>
        submit({ from: civilText(from, zone), to: civilText(to, zone) });
    return html`<form class="form"
        onSubmit=${(/** @type {Event} */ event) => (event.preventDefault(), submit({}))}>
        ${
            isDown
                ? html`<div class="filters" role="group" aria-label="Quick choices">
                  ${quickRanges(zone).map((one) =>
                      html`<button type="button" class="chip" onClick=${() => quick(one)}>
                      ${one[0]}</button>`)}
              </div>`
                : html`<${Document} draft=${draft} change=${change} jsonError=${errors.json} />`
        }
        <${Range} from=${draft.from} to=${draft.to} zone=${zone} onChange=${change} optional=${!isDown} />
        <${More} draft=${draft} change=${change} error=${errors.durations} />
        <div class="row"><button type="submit" class="primary" disabled=${busy}>
        ${isDown ? "Replay the outage" : "Compare"}</button><span class="faint small">Nothing is
            changed.</span></div>
    </form>`;
}

export function WhatIf() {
    const values = query.value;
    const byAddress = askedByAddress(values);
    const [long, setLong] = useState(/** @type {any} */ (null));
    const asked =
        long && long.kind === byAddress.kind && !byAddress.json ? { ...byAddress, ...long } : byAddress;
    const body = useMemo(() => bodyOf(asked), [JSON.stringify(asked)]);
    const answer = useResource(
        body ? `what-if ${namespace()} ${JSON.stringify(body)}` : "",
        (abort) => request("POST", "/api/v1/what-if", { body, signal: abort }),
        { refreshOn: (event) => /^schedule\./.test(event.type), pause: 10_000 },
    );
    const ask = (/** @type {any} */ next) => {
        const isLong = (next.json ?? "").length > ADDRESS_MAX;
        setLong(isLong ? { kind: next.kind, json: next.json } : null);
        setQuery({
            ...next,
            kind: next.kind === "down" ? null : next.kind,
            json: isLong || next.kind === "down" ? null : next.json,
            schedule: next.kind === "patch" ? next.schedule : null,
            limit: null,
        });
    };
    const choose = (/** @type {string} */ kind) =>
        setQuery({
            kind: kind === "down" ? null : kind,
            from: null,
            to: null,
            json: null,
            schedule: null,
            limit: null,
        });
    return html`
        <${Head} title="What if"
            sub="What an outage, an edit or a new schedule would do. Nothing is changed." />
        <div class="wi">
            <${Card} class="wi-question">
                <div class="stack wi-form">
                    <${Tabs} tabs=${KINDS} chosen=${asked.kind} onChoose=${choose} label="Question" />
                    <${Question} key=${asked.kind} asked=${asked} ask=${ask}
                        busy=${Boolean(body) && answer.loading} />
                    ${long
                        ? html`<p class="faint small">This text is too long for the address: a reload or a
                            link does not keep it.</p>` : null}
                </div>
            <//>
            <div class="stack">
                ${
                    body
                        ? html`<${Load} of=${answer} rows=${8}>
                          ${(/** @type {any} */ data) =>
                              html`<${WhatIfResult} answer=${data} kind=${asked.kind} body=${body}
                                  listAll=${Number(asked.limit) >= LIST_MAX ? null : () =>
                                      setQuery({ limit: LIST_MAX })} />`}
                      <//>`
                        : html`<section class="card">
                        <${Empty}
                            title=${asked.kind === "down" ? "Choose when the server is down"
                                : "Say what is to be tried"}>
                          <p>${EXPLAINED[/** @type {keyof typeof EXPLAINED} */ (asked.kind)] ?? ""}</p>
                      <//></section>`
                }
            </div>
        </div>
    `;
}

const EXPLAINED = {
    down:
        "The answer says for each schedule which slots are due meanwhile, and what becomes of them " +
        "when the server is back: caught up, missed or skipped, by its catch-up and overlap policies.",
    patch: "The answer compares the slots and the load of all schedules before and after the edit.",
    new: "The answer shows the slots of the new schedule, and how it adds to the load of all others.",
};
