/* SPDX-License-Identifier: Apache-2.0 */
/* The answer of POST /what-if: in words, as a chart of the load, and by schedule. */
import { html, useMemo } from "../lib/html.js";
import { durationMs, fullTime, ms, span, zoneName } from "../lib/time.js";
import { look, number, plural, reasonText } from "../lib/words.js";
import { Card, Empty, Link, Time } from "./basic.js";
import { Chart } from "./chart.js";

/** @type {import("./chart.js").Series[]} */
const SERIES_DOWN = [
    { name: "after", label: "With the outage", kind: "bars", tone: "start" },
    { name: "before", label: "Without it", kind: "outline", tone: "planned", dashed: true },
];
/** @type {import("./chart.js").Series[]} */
const SERIES_EDIT = [
    { name: "after", label: "After", kind: "bars", tone: "start" },
    { name: "before", label: "Before", kind: "outline", tone: "planned", dashed: true },
];

/** @param {any} load @param {number} from @param {number} to */
function pointsOf(load, from, to) {
    const step = durationMs(load.step);
    const known = new Map(
        load.buckets.map((/** @type {any} */ bucket) => [Math.floor(ms(bucket.at) / step), bucket]),
    );
    const points = [];
    for (let i = Math.floor(from / step); i * step < to; i++) {
        const found = known.get(i);
        points.push({
            at: i * step,
            end: (i + 1) * step,
            before: found?.before ?? 0,
            after: found?.after ?? 0,
        });
    }
    return points;
}

/** @param {{answer: any, isDown: boolean, body: any}} props */
function LoadBeforeAfter({ answer, isDown, body }) {
    const { load } = answer;
    const zone = zoneName();
    const last =
        load.buckets.length > 0 ? ms(load.buckets[load.buckets.length - 1].at) + durationMs(load.step) : 0;
    const from = ms(load.from ?? load.buckets[0]?.at ?? answer.from);
    const to = Math.max(ms(load.to ?? answer.to), last);
    const points = useMemo(() => pointsOf(load, from, to), [load, from, to]);
    const isFinest = durationMs(load.step) <= 60_000;
    return html`<${Card} title="Starts per minute">
        <p class="muted small">
        ${peakText(load, zone)}${isFinest ? "" : ` Each bar is the highest minute of ${load.step}.`}</p>
        <${Chart}
            label="Starts per minute, ${isDown ? "with and without the outage" : "before and after"}"
            series=${isDown ? SERIES_DOWN : SERIES_EDIT}
            points=${points}
            from=${from}
            to=${to}
            zone=${zone}
            height=${190}
            marked=${isDown && body.down ? { from: ms(body.down.from), to: ms(body.down.to), text: "down" }
                : undefined}
            empty="No slot is due in this time"
        />
    <//>`;
}

/** @param {any} load @param {string} zone */
function peakText({ before, after }, zone) {
    const at = (/** @type {any} */ peak) =>
        peak.at && peak.peak > 0 ? ` at ${fullTime(peak.at, zone).slice(0, 16)}` : "";
    if (before.peak === after.peak)
        return `The peak stays at ${plural(after.peak, "start")} in a minute${at(after)}.`;
    const verb = after.peak > before.peak ? "rises" : "falls";
    return `The peak ${verb} from ${number(before.peak)}${at(before)} to ${plural(after.peak,
        "start")} in a minute${at(after)}.`;
}

/** @param {any} total @param {any} answer @param {string} zone */
function outageText(total, answer, zone) {
    const range = `${fullTime(answer.from, zone).slice(0, 16)} to ${fullTime(answer.to, zone).slice(11, 16)}`;
    const long = span(ms(answer.to) - ms(answer.from));
    if (total.schedules === 0) return `An outage from ${range} (${long}) would affect no schedule.`;
    return `An outage from ${range} (${long}) would affect ${plural(total.schedules,
        "schedule")} with ${plural(total.due, "due slot")}.`;
}

/** @param {any} answer @param {string} zone */
function editText({ schedules, from, to }, zone) {
    const range = `${fullTime(from, zone).slice(0, 16)} to ${fullTime(to, zone).slice(0, 16)}`;
    return schedules.length > 0
        ? `From ${range}, ${schedules[0].id} has ${schedules[0].text}.`
        : `From ${range}, nothing changes.`;
}

/**
 * The totals as tiles: number, word, tone, whether it is an estimate.
 * @param {any} total @param {boolean} isDown @returns {Array<[number | undefined, string, string, boolean]>}
 */
function totalsOf(total, isDown) {
    return [
        [total.due, "due", "", false],
        [isDown ? total.caughtUp : undefined, "caught up", "", false],
        [isDown ? total.missed : undefined, "missed", "miss", false],
        [isDown ? total.dropped : undefined, "dropped", "miss", false],
        [total.skipped, "skipped", "", true],
        [total.started, "started", "", true],
    ];
}

/** @param {{total: any, isDown: boolean}} props */
function Totals({ total, isDown }) {
    return html`<div class="tiles wi-totals">
        ${totalsOf(total, isDown)
            .filter(([value]) => value !== undefined)
            .map(
                ([value, word, tone, isEstimate]) =>
                    html`<div class="tile ${value ? `tone-${tone}` : ""}">
                        <span class="tile-value num">${number(value)}</span>
                        <span class="tile-label">
                        ${word}${isEstimate ? html`<span class="faint">, estimate</span>` : null}</span>
                    </div>`,
            )}
    </div>`;
}

/** @param {any} fate */
function fateText(fate) {
    const count = fate.count > 1 ? `${number(fate.count)} ` : "";
    const outcome = fate.outcome ? look(fate.outcome).word : "waits";
    return `${count}${fate.outcome === "started" ? "started" : outcome}${fate.reason
        ? `: ${reasonText(fate.reason)}` : ""}`;
}

/** @param {{row: any}} props */
function Fates({ row }) {
    if (!row.slots || row.slots.length === 0) return null;
    return html`<details>
        <summary class="muted small">Slots</summary>
        <ul class="wi-fates small">
            ${row.slots.map(
                (/** @type {any} */ fate) =>
                    html`<li>
                        <${Time} at=${fate.slot ?? fate.first} />
                        ${fate.last && fate.last !== (fate.slot ?? fate.first)
                            ? html` – <${Time} at=${fate.last} />` : null}
                        <span class="muted"> ${fateText(fate)}${fate.startsAt
                            ? html`, begins <${Time} at=${fate.startsAt} />` : null}</span>
                    </li>`,
            )}
        </ul>
    </details>`;
}

/** @param {{value: number | undefined, before?: number}} props */
function Count({ value, before }) {
    if (value === undefined) return html`<span class="faint">–</span>`;
    return html`${before !== undefined && before !== value
        ? html`<span class="faint">${number(before)} → </span>` : null}${number(value)}`;
}

/**
 * Columns: member, title, tone, whether it is an estimate.
 * @type {Array<[string, string, string, boolean]>}
 */
const COLUMNS = [
    ["due", "Due", "", false],
    ["caughtUp", "Caught up", "", false],
    ["missed", "Missed", "miss", false],
    ["dropped", "Dropped", "miss", false],
    ["skipped", "Skipped", "", true],
];

/** @param {{rows: any[]}} props */
function Rows({ rows }) {
    const columns = COLUMNS.filter(
        ([name]) => name === "due" || rows.some((row) => row[name] > 0 || row.before?.[name] > 0),
    );
    return html`<div class="scroll-x">
        <table class="table wi-table">
            <thead>
                <tr>
                    <th scope="col">Schedule</th>
                    ${columns.map(([name, title, , isEstimate]) =>
                        html`<th key=${name} scope="col" class="right wi-number">
                        ${title}${isEstimate ? html`<br /><span class="faint">estimate</span>` : null}</th>`)}
                    <th scope="col">What happens</th>
                </tr>
            </thead>
            <tbody>
                ${rows.map(
                    (row) =>
                        html`<tr key=${row.id}>
                            <th scope="row" class="wi-name"><${Link} to=${["schedule", row.id]}>${row.id}<//>
                            </th>
                            ${columns.map(
                                ([name, , tone]) =>
                                    html`<td key=${name}
                                        class="right num wi-number ${tone && row[name] ? `tone-text-${tone}`
                                            : ""}">
                                            <${Count} value=${row[name]} before=${row.before?.[name]} />
                                            </td>`,
                            )}
                            <td class="wi-text">
                                <p>
                                ${row.text}${row.isEstimate ? html` <span class="faint">(estimate)</span>`
                                    : null}</p>
                                ${row.duration
                                    ? html`<p class="faint small">runs
                                        take ${row.duration}, ${row.durationFrom === "given" ? "as given"
                                            : "the median of the last 7 days"}</p>` : null}
                                <${Fates} row=${row} />
                            </td>
                        </tr>`,
                )}
            </tbody>
        </table>
    </div>`;
}

/** @param {{answer: any, kind: string, body: any, listAll: (() => void) | null}} props */
export function WhatIfResult({ answer, kind, body, listAll }) {
    const zone = zoneName();
    const isDown = kind === "down";
    const { total, schedules } = answer;
    const isCut = schedules.length < total.schedules;
    return html`
        <section class="stack" aria-label="Answer">
            <p class="wi-words" role="status">
            ${isDown ? outageText(total, answer, zone) : editText(answer, zone)} <span class="faint">Times
                in ${zone}.</span></p>
            <${Totals} total=${total} isDown=${isDown} />
            <${LoadBeforeAfter} answer=${answer} isDown=${isDown} body=${body} />
            <${Card} title=${isDown ? "Affected schedules, worst first" : "Schedules"} class="flush">
                ${
                    schedules.length === 0
                        ? html`<${Empty} title="No schedule is affected"><p>No slot of the chosen schedules is
                            due in this time.</p><//>`
                        : html`<${Rows} rows=${schedules} />`
                }
            <//>
            ${
                isCut
                    ? html`<p class="row muted small">
                      ${number(schedules.length)} of ${number(total.schedules)} schedules shown.
                      ${listAll
                          ? html`<button type="button" class="small" onClick=${listAll}>Show up to
                              1,000</button>` : "Use a filter to see the others."}
                  </p>`
                    : null
            }
            ${answer.cut && !isCut ? html`<p class="note">${answer.cut}</p>` : null}
            <p class="muted small">
            ${answer.estimate.text[0].toUpperCase() + answer.estimate.text.slice(1)}.</p>
        </section>
    `;
}
