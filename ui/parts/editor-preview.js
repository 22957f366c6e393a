/* SPDX-License-Identifier: Apache-2.0 */
/* What the server says about the spec in the editor: words, next times, a year with its clock changes. */
import { html, useEffect, useState } from "../lib/html.js";
import { ApiError, namespace, request } from "../lib/api.js";
import { civil, clockOf, dateOf, ms, offsetName, relative, span, zoneName } from "../lib/time.js";
import { number, plural } from "../lib/words.js";

const PAUSE_MS = 250; /* of typing, before the server is asked */
const SHOWN = 10;
const YEAR_SLOTS = 400; /* a daily schedule fills the strip */
const DAY = 86_400_000;

/**
 * Sends a request some time after `body` has changed; the last answer stays until the next one.
 * @param {string} path @param {any} body undefined: ask nothing
 * @returns {{answer: any, error: ApiError | null, busy: boolean}}
 */
export function useAsked(path, body) {
    const [state, setState] = useState(
        /** @type {{answer: any, error: ApiError | null, busy: boolean}} */ ({
            answer: null,
            error: null,
            busy: true,
        }),
    );
    const key = body === undefined ? "" : JSON.stringify(body);
    useEffect(() => {
        if (!key) {
            setState({ answer: null, error: null, busy: false });
            return undefined;
        }
        const abort = new AbortController();
        setState((old) => ({ ...old, busy: true }));
        const timer = setTimeout(async () => {
            try {
                const answer = await request("POST", path, { body: key, signal: abort.signal });
                setState({ answer, error: null, busy: false });
            } catch (error) {
                if (!abort.signal.aborted)
                    setState((old) => ({ ...old, error: /** @type {ApiError} */ (error), busy: false }));
            }
        }, PAUSE_MS);
        return () => {
            clearTimeout(timer);
            abort.abort();
        };
    }, [path, key, namespace()]);
    return state;
}

/** @param {any} spec @param {string} id */
export function usePreview(spec, id) {
    return useAsked("/api/v1/preview", { spec: spec ?? {}, id: id || null, count: YEAR_SLOTS });
}

/**
 * A year of days: how many slots each has, and the clock changes.
 * @param {{preview: any, zone: string}} props
 */
export function YearStrip({ preview, zone }) {
    const start = civil(Date.now(), zone);
    const first = Date.UTC(start.year, start.month - 1, start.day);
    const dayOf = (/** @type {string} */ at) => {
        const c = civil(ms(at), zone);
        return Math.round((Date.UTC(c.year, c.month - 1, c.day) - first) / DAY);
    };
    const counts = new Map();
    for (const { slot } of preview.next) counts.set(dayOf(slot), (counts.get(dayOf(slot)) ?? 0) + 1);
    const last = preview.next.length >= YEAR_SLOTS ? dayOf(preview.next.at(-1).slot) : 366;
    const isCut = last < 365;
    const inYear = preview.next.filter((/** @type {any} */ { slot }) => dayOf(slot) <= 365).length;
    const most = Math.max(1, ...counts.values());
    const months = Array.from({ length: 13 }, (_, i) => Date.UTC(start.year, start.month + i, 1))
        .map((at) => ({
            day: (at - first) / DAY,
            name: new Date(at).toLocaleString("en", { month: "short", timeZone: "UTC" }),
        }))
        .filter(({ day }) => day >= 0 && day < 360);
    const left = (/** @type {number} */ day) => ({ left: `${(Math.min(365.5, day) / 366) * 100}%` });
    return html`<figure class="yearstrip">
        <div class="yearstrip-marks" aria-hidden="true">
            ${preview.clockChanges.map(
                (/** @type {any} */ change) =>
                    html`<span
                        class=${change.touches ? "touches" : ""}
                        style=${left(dayOf(change.at) + 0.5)}
                        title="${dateOf(civil(ms(change.at), change.timezone))}: ${change.effect ??
                        "no slot is affected"}"
                        >▼</span
                    >`,
            )}
        </div>
        <svg
            viewBox="0 0 366 32"
            preserveAspectRatio="none"
            role="img"
            aria-label="Slots of the next year by day; the list below names the clock changes"
        >
            <rect class="yearstrip-bg" x="0" y="0" width="366" height="32" />
            ${isCut
                ? html`<rect class="yearstrip-cut" x=${last + 1} y="0" width=${365 - last} height="32" />`
                : null}
            ${[...counts].map(([day, count]) => {
                const height = 8 + (24 * count) / most;
                return day <= 365
                    ? html`<rect
                          class="yearstrip-day"
                          x=${day}
                          y=${32 - height}
                          width="0.8"
                          height=${height}
                      />`
                    : null;
            })}
            ${preview.clockChanges.map(
                (/** @type {any} */ change) =>
                    html`<rect
                        class=${change.touches ? "yearstrip-touch" : "yearstrip-change"}
                        x=${dayOf(change.at) + 0.2}
                        y="0"
                        width="0.6"
                        height="32"
                    />`,
            )}
        </svg>
        <div class="yearstrip-months" aria-hidden="true">
            ${months.map(({ day, name }) => html`<span style=${left(day)}>${name}</span>`)}
        </div>
        <figcaption class="small faint">
            ${isCut
                ? `The first ${number(YEAR_SLOTS)} slots, by day; the grey days have slots, too.`
                : `${plural(inYear, "slot")} in the next year, by day.`}
            ${preview.clockChanges.length > 0 ? " ▼ clock change" : ""}
        </figcaption>
    </figure>`;
}

/** @param {{changes: any[], zone: string}} props */
export function ClockChanges({ changes, zone }) {
    if (changes.length === 0) return null;
    const sorted = changes.toSorted((a, b) => ms(a.at) - ms(b.at));
    const hasZones = changes.some((change) => change.timezone !== zone);
    return html`<ul class="bare-list small">
        ${sorted.map(
            (change) =>
                html`<li>
                    <span class="nowrap num">${dateOf(civil(ms(change.at), change.timezone ?? zone))}</span>
                    ${change.offsetAfter > change.offsetBefore ? " clock forward" : " clock back"}
                    ${hasZones ? html` <span class="faint">(${change.timezone})</span>` : null}${": "}
                    ${change.touches
                        ? html`<strong class="tone-text-late">${change.effect}</strong>`
                        : html`<span class="muted">no slot is affected</span>`}
                </li>`,
        )}
    </ul>`;
}

/**
 * Times as a table: local time, how far away, and what is special.  A line between two of them is a
 * clock change.
 * @param {{times: any[], zone: string, changes?: any[]}} props
 */
export function TimesTable({ times, zone, changes = [] }) {
    const name = zoneName(zone);
    let before = Date.now();
    return html`<div class="scroll-x" role="group" aria-label="Times" tabindex="0">
        <table class="table tight-table">
            <thead>
                <tr>
                    <th>Time in ${name}</th>
                    <th class="right">From now</th>
                    <th>
                        ${times.some((time) => time.due !== time.slot)
                            ? "Jitter"
                            : html`<span class="hidden">Notes</span>`}
                    </th>
                </tr>
            </thead>
            <tbody>
                ${times.map((time) => {
                    const at = ms(time.slot);
                    const between = changes.filter((change) => ms(change.at) > before && ms(change.at) <= at);
                    before = at;
                    const delay = ms(time.due) - at;
                    const c = civil(at, name);
                    return html`${between.map(
                            (change) =>
                                html`<tr class="clock-row">
                                    <td colspan="3">
                                        ▼ ${dateOf(civil(ms(change.at), change.timezone))}${" clock change: "}
                                        ${change.effect ?? "no slot is affected"}
                                    </td>
                                </tr>`,
                        )}
                        <tr>
                            <td class="num nowrap">
                                <span class="faint">${c.weekday}</span>
                                ${` ${dateOf(c)} ${clockOf(c)} `}
                                <span class="faint">${offsetName(at, name)}</span>
                            </td>
                            <td class="num right nowrap muted">${relative(at)}</td>
                            <td class="small">
                                ${delay > 0
                                    ? html`<span class="muted nowrap" title="Jitter: due at this delay"
                                          >+${span(delay)}</span
                                      > `
                                    : null}${time.note ?? ""}
                            </td>
                        </tr>`;
                })}
            </tbody>
        </table>
    </div>`;
}

/** @param {{preview: {answer: any, error: any, busy: boolean}, zone: string}} props */
export function PreviewCard({ preview, zone }) {
    const { answer, error, busy } = preview;
    return html`<section class="card spec-preview" aria-label="Preview" aria-busy=${busy ? "true" : null}>
        <h2 class="spec-words" aria-live="polite">
            ${answer?.description ??
            (error ? html`<span class="tone-text-bad">${error.message}</span>` : "…")}
        </h2>
        ${answer
            ? html`<div>
                  ${error
                      ? html`<p class="note small">
                            This is the last spec without an error. Now: ${error.message}
                        </p>`
                      : null}
                  <p class="muted">
                      ${answer.perDay > 0
                          ? `${plural(answer.perDay, "run")} per day on average`
                          : "Less than one run per day on average"}
                      ${answer.note ? ` · ${answer.note}` : ""}
                  </p>
                  ${answer.warnings.map(
                      (/** @type {string} */ text) => html`<p class="note small">${text}</p>`,
                  )}
                  <${YearStrip} preview=${answer} zone=${zone} />
                  <${ClockChanges} changes=${answer.clockChanges} zone=${zone} />
                  <h3>Next times</h3>
                  ${answer.next.length > 0
                      ? html`<${TimesTable}
                            times=${answer.next.slice(0, SHOWN)}
                            zone=${zone}
                            changes=${answer.clockChanges}
                        />`
                      : html`<p class="muted">It never runs by itself.</p>`}
              </div>`
            : null}
    </section>`;
}
