/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A year as twelve months of days that can be switched on and off.  Arrow keys move between days,
 * Space or Enter switches one; one day at a time is in the order of the Tab key.
 */
import { html, useState } from "../lib/html.js";

const MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const DAY_MS = 86_400_000;
const DRAWN_MS = 30; /* after which another year is drawn */

/** @param {number} ms */
const dateText = (ms) => new Date(ms).toISOString().slice(0, 10);

/** Distances of the keys, in days. @type {Record<string, number>} */
const KEYS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7, PageUp: -28, PageDown: 28 };

/**
 * @param {{year: number, month: number, days: Set<string>, focus: string, today: string,
 *     readOnly: boolean, toggle: (date: string) => void}} props
 */
function Month({ year, month, days, focus, today, readOnly, toggle }) {
    const first = Date.UTC(year, month, 1);
    const count = (Date.UTC(year, month + 1, 1) - first) / DAY_MS;
    const lead = (new Date(first).getUTCDay() + 6) % 7;
    return html`<div class="month" role="group" aria-label="${MONTHS[month]} ${year}">
        <h3>${MONTHS[month]}</h3>
        <div class="month-days">
            ${WEEKDAYS.map(
                (name) => html`<span class="weekday" aria-hidden="true">${name.slice(0, 2)}</span>`,
            )}
            ${Array.from({ length: count }, (_, i) => {
                const date = dateText(first + i * DAY_MS);
                const weekday = (lead + i) % 7;
                const isOn = days.has(date);
                return html`<button
                    type="button"
                    key=${date}
                    data-date=${date}
                    class="day ${weekday > 4 ? "day-weekend" : ""} ${date === today ? "day-today" : ""}"
                    style=${i === 0 ? { gridColumnStart: lead + 1 } : null}
                    aria-pressed=${isOn ? "true" : "false"}
                    aria-disabled=${readOnly ? "true" : null}
                    aria-label="${i + 1} ${MONTHS[month]} ${year}, ${WEEKDAYS[weekday]}"
                    tabindex=${date === focus ? 0 : -1}
                    onClick=${() => !readOnly && toggle(date)}
                >
                    ${i + 1}
                </button>`;
            })}
        </div>
    </div>`;
}

/**
 * @param {{year: number, days: Set<string>, today: string, readOnly: boolean,
 *     toggle: (date: string) => void, onYear: (year: number) => void}} props
 */
export function YearDays({ year, days, today, readOnly, toggle, onYear }) {
    const [chosen, setChosen] = useState("");
    const fallback = today.startsWith(String(year)) ? today : `${year}-01-01`;
    const focus = chosen.startsWith(String(year)) ? chosen : fallback;
    const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
        const distance = KEYS[event.key];
        const from = /** @type {HTMLElement} */ (event.target).dataset?.date;
        if (!distance || !from) return;
        event.preventDefault();
        const to = dateText(Date.parse(from) + distance * DAY_MS);
        const box = /** @type {HTMLElement} */ (event.currentTarget);
        const focusDay = () =>
            /** @type {HTMLElement | null} */ (box.querySelector(`[data-date="${to}"]`))?.focus();
        setChosen(to);
        focusDay();
        if (to.startsWith(String(year))) return;
        onYear(Number(to.slice(0, 4)));
        setTimeout(focusDay, DRAWN_MS);
    };
    return html`<div class="year" role="group" aria-label="Days of ${year}" onKeyDown=${onKeyDown}>
        ${MONTHS.map(
            (_, month) =>
                html`<${Month}
                    key=${month}
                    year=${year}
                    month=${month}
                    days=${days}
                    focus=${focus}
                    today=${today}
                    readOnly=${readOnly}
                    toggle=${(/** @type {string} */ date) => (setChosen(date), toggle(date))}
                />`,
        )}
    </div>`;
}
