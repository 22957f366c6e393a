/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A year of a schedule, a cell per day in the zone of the schedule: the colour and sign show the
 * worst outcome, the strength how many slots there were, a corner that backfills ran.
 */
import { html, useMemo, useRef, useState } from "../lib/html.js";
import { get, namespace } from "../lib/api.js";
import { go } from "../lib/router.js";
import { useResource } from "../lib/resource.js";
import { civil, dateOf, now } from "../lib/time.js";
import { number, plural } from "../lib/words.js";
import { Problem } from "./basic.js";
import { useWidth } from "./chart.js";
import { addDays, dateStart } from "./timeline-axis.js";

const LEFT = 34; /* room for the names of weekdays */
const TOP = 18; /* and of months */
const CELL_MIN = 12;
const CELL_MAX = 19;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/** Worst first: tone, and the counts that have it. @type {Array<[string, string[]]>} */
const TONES = [
    ["bad", ["failed", "timedOut"]],
    ["miss", ["missed", "dropped"]],
    ["skip", ["skipped"]],
    ["ok", ["succeeded"]],
    ["off", ["cancelled", "withdrawn"]],
];

/** @type {Array<[string, string]>} */
const WORDS = [
    ["failed", "failed"],
    ["timedOut", "timed out"],
    ["missed", "missed"],
    ["dropped", "dropped"],
    ["skipped", "skipped"],
    ["cancelled", "cancelled"],
    ["withdrawn", "withdrawn"],
    ["succeeded", "succeeded"],
];

/** @param {Record<string, number> | undefined} counts */
const sum = (counts) => WORDS.reduce((total, [name]) => total + (counts?.[name] ?? 0), 0);

/** @param {Record<string, number>} counts */
const parts = (counts) =>
    WORDS.filter(([name]) => counts[name] > 0)
        .map(([name, word]) => `${number(counts[name])} ${word}`)
        .join(", ");

/** @param {any} day */
function daySentence(day) {
    if (!day) return "nothing happened";
    const texts = [];
    if (sum(day.slots) > 0) texts.push(`${plural(sum(day.slots), "slot")}: ${parts(day.slots)}`);
    if (sum(day.triggers) > 0) texts.push(`${plural(sum(day.triggers), "trigger")}: ${parts(day.triggers)}`);
    if (sum(day.backfills) > 0)
        texts.push(`${plural(sum(day.backfills), "backfill slot")}: ${parts(day.backfills)}`);
    return texts.join("; ") || "nothing happened";
}

/** @param {any} day */
function toneOf(day) {
    const has = (/** @type {string[]} */ names) =>
        names.some(
            (name) =>
                (day.slots?.[name] ?? 0) + (day.triggers?.[name] ?? 0) + (day.backfills?.[name] ?? 0) > 0,
        );
    return TONES.find(([, names]) => has(names))?.[0] ?? "none";
}

/** 1 to 4: which quarter of the range of counts. @param {any} day @param {number} most */
function strength(day, most) {
    const count = sum(day.slots) + sum(day.triggers) + sum(day.backfills);
    return Math.max(1, Math.ceil((Math.log2(count + 1) / Math.log2(most + 1)) * 4));
}

/** @typedef {{date: string, week: number, weekday: number, isFuture: boolean, day: any}} Cell */

/** The days of a year. @param {number} year @param {any[]} days @param {string} today @returns {Cell[]} */
function cellsOf(year, days, today) {
    const known = new Map(days.map((day) => [day.date, day]));
    const cells = [];
    /* 0 is Monday. */
    let weekday = (new Date(Date.UTC(year, 0, 1)).getUTCDay() + 6) % 7;
    let week = 0;
    for (let date = `${year}-01-01`; date <= `${year}-12-31`; date = addDays(date, 1)) {
        cells.push({ date, week, weekday, isFuture: date > today, day: known.get(date) });
        weekday = (weekday + 1) % 7;
        if (weekday === 0) week++;
    }
    return cells;
}

/**
 * The sign of a tone, for people who do not see the colour.
 * @param {string} tone @param {number} s the size
 */
function signPath(tone, s) {
    const a = s * 0.3;
    const b = s * 0.7;
    if (tone === "bad") return `M${a} ${a}L${b} ${b}M${b} ${a}L${a} ${b}`;
    if (tone === "miss") return `M${s / 2} ${s * 0.22}V${s * 0.56}M${s / 2} ${s * 0.7}V${s * 0.8}`;
    if (tone === "skip") return `M${a} ${b}L${b} ${a}`;
    return "";
}

/**
 * @param {{cell: Cell, size: number, most: number, isCurrent: boolean, onOpen: () => void, onFocus: () =>
 *     void, isToday: boolean}} props
 */
function DayCell({ cell, size, most, isCurrent, onOpen, onFocus, isToday }) {
    const { day, date } = cell;
    const tone = day ? toneOf(day) : "none";
    const box = size - 2;
    const onlyBackfill = day && sum(day.slots) + sum(day.triggers) === 0;
    const sign = signPath(tone, box);
    return html`<g
        transform="translate(${LEFT + cell.week * size} ${TOP + cell.weekday * size})"
        role="gridcell"
        data-date=${date}
        tabindex=${isCurrent ? 0 : -1}
        aria-label="${WEEKDAYS[cell.weekday]} ${date}: ${cell.isFuture ? "in the future" : daySentence(day)}"
        class="heat-day"
        onFocus=${onFocus}
        onMouseEnter=${onFocus}
        onClick=${onOpen}
    >
        <rect
            class="heat-${cell.isFuture ? "future" : tone} ${day ? `heat-${strength(day, most)}`
                : ""} ${onlyBackfill ? "heat-backfill-only" : ""} ${isToday ? "heat-today" : ""}"
            x="0.5"
            y="0.5"
            width=${box}
            height=${box}
            rx="2.5"
        />
        ${sign ? html`<path class="heat-sign" d=${sign} />` : null}
        ${
            day && sum(day.backfills) > 0
                ? html`<path class="heat-corner" d="M${box + 0.5} ${box * 0.55}V${box + 0.5}H${box * 0.55}z"
                    />`
                : null
        }
    </g>`;
}

/** @param {string} key @param {string} date */
function keyTarget(key, date) {
    const moves = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -7, ArrowRight: 7, PageUp: -28, PageDown: 28 };
    if (key === "Home") return `${date.slice(0, 4)}-01-01`;
    if (key === "End") return `${date.slice(0, 4)}-12-31`;
    const by = moves[/** @type {keyof typeof moves} */ (key)];
    return by ? addDays(date, by) : null;
}

/**
 * @param {{cells: Cell[], today: string, open: (date: string) => void, width: number, label: string}} props
 */
function Grid({ cells, today, open, width, label }) {
    const year = cells[0].date.slice(0, 4);
    const [current, setCurrent] = useState(today.startsWith(year) ? today : `${year}-12-31`);
    const chosen = current.startsWith(year) ? current : `${year}-12-31`;
    const ref = useRef(/** @type {SVGSVGElement | null} */ (null));
    const weeks = cells[cells.length - 1].week + 1;
    const size = Math.max(CELL_MIN, Math.min(CELL_MAX, Math.floor((width - LEFT) / weeks)));
    const most = useMemo(
        () =>
            cells.reduce(
                (max, { day }) =>
                    Math.max(max, day ? sum(day.slots) + sum(day.triggers) + sum(day.backfills) : 0),
                1,
            ),
        [cells],
    );
    const onKey = (/** @type {KeyboardEvent} */ event) => {
        if (event.key === "Enter" || event.key === " ") open(chosen);
        else {
            const target = keyTarget(event.key, chosen);
            if (!target || !target.startsWith(year)) return;
            setCurrent(target);
            /** @type {any} */ (ref.current?.querySelector(`[data-date="${target}"]`))?.focus();
        }
        event.preventDefault();
        event.stopPropagation();
    };
    const cell = cells.find(({ date }) => date === chosen);
    return html`<div class="heat-scroll scroll-x">
            <svg ref=${ref} class="heat" width=${LEFT + weeks * size} height=${TOP + 7 * size + 1} role="grid"
                aria-label=${label} onKeyDown=${onKey}>
                <g aria-hidden="true">
                    ${MONTHS.map((name, month) => {
                        const first = cells.find(
                            ({ date }) => date === `${year}-${String(month + 1).padStart(2, "0")}-01`,
                        );
                        return html`<text class="chart-text"
                            x=${LEFT + ((first?.week ?? 0) + (first?.weekday ? 1 : 0)) * size} y="11">
                            ${name}</text>`;
                    })}
                    ${[0, 2, 4, 6].map((i) =>
                        html`<text class="chart-text" x="0" y=${TOP + i * size + size - 4}>
                        ${WEEKDAYS[i].slice(0, 3)}</text>`)}
                </g>
                ${WEEKDAYS.map(
                    (name, weekday) =>
                        html`<g role="row" aria-label=${name}>
                            ${cells
                                .filter((one) => one.weekday === weekday)
                                .map(
                                    (one) =>
                                        html`<${DayCell}
                                            key=${one.date}
                                            cell=${one}
                                            size=${size}
                                            most=${most}
                                            isCurrent=${one.date === chosen}
                                            isToday=${one.date === today}
                                            onFocus=${() => setCurrent(one.date)}
                                            onOpen=${() => open(one.date)}
                                        />`,
                                )}
                        </g>`,
                )}
            </svg>
        </div>
        <p class="heat-words num" aria-hidden="true">
            ${cell
                ? html`<b>
                ${WEEKDAYS[cell.weekday].slice(0, 3)} ${cell.date}</b> ${cell.isFuture ? "in the future"
                    : daySentence(cell.day)}` : null}
        </p>`;
}

function HeatLegend() {
    return html`<ul class="chart-legend">
        ${[
            ["ok", "succeeded"],
            ["skip", "skipped"],
            ["miss", "missed or dropped"],
            ["bad", "failed"],
            ["off", "cancelled"],
        ].map(
            ([tone, text]) =>
                html`<li>
                    <svg width="14" height="14" aria-hidden="true">
                        <rect class="heat-${tone} heat-4" x="0.5" y="0.5" width="12" height="12" rx="2.5" />
                        <path class="heat-sign" d=${signPath(tone, 12)} />
                    </svg>
                    ${text}
                </li>`,
        )}
        <li>
            <svg width="14" height="14" aria-hidden="true">
            <rect class="heat-none" x="0.5" y="0.5" width="12" height="12" rx="2.5" />
            <path class="heat-corner" d="M12.5 6V12.5H6z" /></svg>
            with backfills
        </li>
        <li class="faint">the worst outcome of a day; stronger: more slots</li>
    </ul>`;
}

/** @param {{days: any[]}} props */
function DayTable({ days }) {
    const [isOpen, setOpen] = useState(false);
    return html`<details class="chart-table"
        onToggle=${(/** @type {any} */ event) => setOpen(event.target.open)}>
        <summary>Show as a table</summary>
        ${
            isOpen
                ? html`<div class="scroll-x chart-table-body" tabindex="0" role="region"
                    aria-label="Days: table">
                  <table class="table">
                      <thead><tr><th scope="col">Day</th><th scope="col">Slots</th>
                      <th scope="col">Triggers</th><th scope="col">Backfills</th></tr></thead>
                      <tbody>
                          ${
                              days.length === 0
                                  ? html`<tr><td colspan="4">Nothing happened in this year</td></tr>`
                                  : days.map(
                                        (day) =>
                                            html`<tr>
                                            <th scope="row" class="num nowrap">${day.date}</th>
                                            <td>${parts(day.slots) || "–"}</td>
                                            <td>${(day.triggers && parts(day.triggers)) || "–"}</td>
                                            <td>${(day.backfills && parts(day.backfills)) || "–"}</td>
                                        </tr>`,
                                    )
                          }
                      </tbody>
                  </table>
              </div>`
                : null
        }
    </details>`;
}

/**
 * `year` defaults to the current one; `onYear` is called with another year, which is then given
 * as `year`; `onDay` replaces opening the timeline of a day.
 * @param {{schedule: string, year?: number | null, onYear?: (year: number) => void,
 *     onDay?: (date: string, zone: string) => void}} props
 */
export function HeatMap({ schedule, year, onYear, onDay }) {
    const ref = useRef(/** @type {HTMLDivElement | null} */ (null));
    const width = useWidth(ref);
    const [own, setOwn] = useState(/** @type {number | null} */ (null));
    const asked = year ?? own;
    const days = useResource(
        `days ${namespace()} ${schedule} ${asked}`,
        (abort) => get(`/api/v1/schedules/${encodeURIComponent(schedule)}/days`, { year: asked }, abort),
        {
            refreshOn: (event) => event.schedule === schedule && /^(run\.ended|slot\.)/.test(event.type),
            pause: 5000,
            keep: true,
        },
    );
    const answer = days.data;
    const zone = answer?.timeZone ?? "UTC";
    const today = dateOf(civil(now.value, zone));
    const cells = useMemo(() => (answer ? cellsOf(answer.year, answer.days, today) : null), [answer, today]);
    const shown = answer?.year ?? asked ?? Number(today.slice(0, 4));
    const choose = (/** @type {number} */ to) => (onYear ? onYear(to) : setOwn(to));
    const open = (/** @type {string} */ date) => {
        if (onDay) return onDay(date, zone);
        const [from, to] = [dateStart(date, zone), dateStart(addDays(date, 1), zone)];
        return go(["timeline"], {
            schedule,
            from: new Date(from).toISOString(),
            to: new Date(to).toISOString(),
            tz: zone,
        });
    };
    return html`<div class="heat-box" ref=${ref}>
        <div class="row">
            <button type="button" class="small" aria-label="The year before"
                onClick=${() => choose(shown - 1)}>‹</button>
            <b class="num">${shown}</b>
            <button type="button" class="small" aria-label="The year after"
                disabled=${shown >= Number(today.slice(0, 4)) + 1}
                    onClick=${() => choose(shown + 1)}>›</button>
            <span class="faint small">days in ${zone}</span>
        </div>
        ${days.error ? html`<${Problem} error=${days.error} retry=${days.reload} />` : null}
        <div style=${{ minHeight: `${TOP + 7 * CELL_MIN + 26}px` }}>
            ${cells && width > 0
                ? html`<${Grid} cells=${cells} today=${today} open=${open} width=${width}
                    label="Days of ${shown}; Enter opens the slots of a day" />` : null}
        </div>
        <${HeatLegend} />
        ${answer ? html`<${DayTable} days=${answer.days} />` : null}
    </div>`;
}
