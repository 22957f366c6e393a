/* SPDX-License-Identifier: Apache-2.0 */
/* Past and planned slots of a schedule, with outcome and reason, to page in both directions. */
import { html, useState } from "../lib/html.js";
import { get, request, v1 } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { href, query, setQuery } from "../lib/router.js";
import { fullTime, ms, now, offsetName, relative, shortTime, span, zoneName } from "../lib/time.js";
import { plural, reasonText, stateOf } from "../lib/words.js";
import { attempt, Badge, Card, Empty, Load, Problem, Tabs, useNow } from "./basic.js";
import { may } from "./login.js";
import { ZonedTime } from "./schedule-zone.js";

const HOUR = 3_600_000;
const PAGE = 100;

/** @type {Array<[string, string]>} */
const SPANS = [
    ["1h", "Hour"],
    ["1d", "Day"],
    ["7d", "Week"],
    ["31d", "31 days"],
];
const SIZES = { "1h": HOUR, "1d": 24 * HOUR, "7d": 168 * HOUR, "31d": 744 * HOUR };

/** A length that holds some fifty slots. @param {any[]} times the next ones @returns {keyof typeof SIZES} */
function fittingSpan(times) {
    const gap = times.length > 1 ? ms(times[1].slot) - ms(times[0].slot) : 24 * HOUR;
    return /** @type {any} */ (
        SPANS.find(([name]) => SIZES[/** @type {keyof typeof SIZES} */ (name)] > gap * 25)?.[0] ?? "31d"
    );
}

/**
 * The window that the address names: by its middle and length; without it, around now.
 * @param {keyof typeof SIZES} usual
 */
function windowOf(usual) {
    const name = /** @type {keyof typeof SIZES} */ (query.value.span in SIZES ? query.value.span : usual);
    const size = SIZES[name];
    const middle = query.value.at ? ms(query.value.at) : Math.floor(now.value / (size / 24)) * (size / 24);
    const from = (Number.isNaN(middle) ? now.value : middle) - size / 2;
    return { name, size, from, to: from + size };
}

/** @param {{entry: any, id: string, zone: string, onChange: () => void}} props */
function SlotRow({ entry, id, zone, onChange }) {
    const isFuture = ms(entry.slot) > now.value;
    const isSkipped = entry.outcome === "cancelled" && entry.reason === "user" && isFuture && !entry.run;
    const path = v1("schedules", id, "exceptions", entry.slot);
    const change = (/** @type {string} */ method, /** @type {string} */ done) => () =>
        attempt(() => request(method, path, method === "PUT" ? { body: {} } : {}), done).then(onChange);
    /* Of a run that was repeated, this is the start of the last attempt: it says nothing about lateness. */
    const isFirst = entry.run?.startedAt && entry.due && entry.run.attempt <= 1;
    const late = isFirst ? ms(entry.run.startedAt) - ms(entry.due) : NaN;
    const reason = reasonText(entry.run?.reason ?? entry.reason);
    return html`<tr class=${isFuture ? "is-future" : ""}>
        <td class="num nowrap">
            ${fullTime(entry.slot, zone)} <span class="faint">${offsetName(entry.slot, zone)}</span>
            ${entry.last ? html`<div>to ${fullTime(entry.last, zone)}</div>` : null}
        </td>
        <td><${Badge} of=${stateOf(entry)} count=${entry.count} /></td>
        <td class="muted">${reason}</td>
        <td class="num nowrap muted">${relative(entry.slot)}</td>
        <td class="num nowrap">
            ${entry.due && entry.due !== entry.slot ? html`due ${shortTime(entry.due, zone)}` : null}${late >
            1000
                ? html` <span class="tone-text-late">+${span(late)}</span>`
                : null}
        </td>
        <td class="nowrap">
            ${entry.run ? html`<a href=${href(["run", entry.id])}>run</a> · ` : null}
            <a href=${href(["schedule", id], { tab: "explain", at: entry.slot })}>explain</a>
            ${isSkipped && may("operate")
                ? html` <button
                      type="button"
                      class="small"
                      onClick=${change("DELETE", `${id}: the slot is planned again`)}
                  >
                      Restore
                  </button>`
                : null}
            ${entry.outcome === null && isFuture && !entry.count && may("operate")
                ? html` <button
                      type="button"
                      class="small"
                      onClick=${change("PUT", `${id}: the slot is cancelled`)}
                  >
                      Skip
                  </button>`
                : null}
        </td>
    </tr>`;
}

/**
 * The slots after the first page, in the same window.
 * @param {{id: string, from: string, to: string, cursor: string, zone: string, shown: number,
 *     onChange: () => void}} props
 */
function MoreSlots({ id, from, to, cursor, zone, onChange, shown }) {
    const [pages, setPages] = useState(/** @type {any[]} */ ([]));
    const [error, setError] = useState(/** @type {any} */ (null));
    const last = pages.at(-1);
    const next = last ? last.cursor : cursor;
    const count = shown + pages.reduce((sum, page) => sum + page.slots.length, 0);
    const load = async () => {
        try {
            const page = await get(v1("schedules", id, "slots"), { from, to, limit: PAGE, cursor: next });
            setPages((old) => [...old, page]);
            setError(null);
        } catch (problem) {
            setError(problem);
        }
    };
    return html`${pages.map((page) =>
            page.slots.map(
                (/** @type {any} */ entry) =>
                    html`<${SlotRow}
                        key=${entry.slot}
                        entry=${entry}
                        id=${id}
                        zone=${zone}
                        onChange=${onChange}
                    />`,
            ),
        )}
        <tr>
            <td colspan="6">
                ${error ? html`<${Problem} error=${error} />` : null}
                ${next
                    ? html`<button type="button" onClick=${load}>
                          ${plural(count, "entry", "entries")} shown; show more
                      </button>`
                    : html`<span class="faint">${plural(count, "entry", "entries")}, all shown</span>`}
            </td>
        </tr>`;
}

/** @param {{schedule: any}} props */
export function ScheduleSlots({ schedule }) {
    useNow();
    const { id, spec } = schedule;
    const zone = zoneName(spec.timezone);
    const next = useResource(query.value.span ? "" : `gap ${id} ${schedule.state.version}`, (abort) =>
        get(v1("schedules", id, "next"), { count: 2 }, abort),
    );
    const { name, size, from, to } = windowOf(fittingSpan(next.data?.times ?? []));
    const isReady = query.value.span || next.data || next.error;
    const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
    const slots = useResource(
        isReady ? `slots ${id} ${range.from} ${range.to}` : "",
        (abort) => get(v1("schedules", id, "slots"), { ...range, limit: PAGE }, abort),
        { keep: true, refreshOn: (event) => event.schedule === id, pause: 2000 },
    );
    const move = (/** @type {number} */ by) =>
        setQuery({ at: new Date(from + size / 2 + by * size).toISOString(), span: name });
    return html`<${Card}
        title="Slots"
        actions=${html` <${Tabs}
            label="Length of the window"
            tabs=${SPANS}
            chosen=${name}
            onChoose=${(/** @type {string} */ value) => setQuery({ span: value })}
        />`}
    >
        <div class="row slots-bar">
            <button type="button" onClick=${() => move(-1)}>← Earlier</button>
            <button type="button" disabled=${!query.value.at} onClick=${() => setQuery({ at: null })}>
                Now
            </button>
            <button type="button" onClick=${() => move(1)}>Later →</button>
            <${ZonedTime}
                label="Middle of the window"
                zone=${zone}
                value=${new Date(from + size / 2).toISOString()}
                onChange=${(/** @type {string | null} */ at) => at && setQuery({ at })}
            />
            <span class="muted num">${shortTime(from, zone)} – ${shortTime(to, zone)}</span>
        </div>
        <${Load} of=${slots} rows=${12}>
            ${(/** @type {any} */ data) =>
                data.slots.length === 0
                    ? html`<${Empty} title="No slots in this time"
                          ><p>Look earlier or later, or at a longer time.</p><//
                      >`
                    : html`<div class="scroll-x">
                          <table class="table">
                              <thead>
                                  <tr>
                                      <th>Slot (${zone})</th>
                                      <th>Outcome</th>
                                      <th>Reason</th>
                                      <th>From now</th>
                                      <th>Late</th>
                                      <th><span class="hidden">Actions</span></th>
                                  </tr>
                              </thead>
                              <tbody>
                                  ${data.slots.map(
                                      (/** @type {any} */ entry) =>
                                          html`<${SlotRow}
                                              key=${entry.slot}
                                              entry=${entry}
                                              id=${id}
                                              zone=${zone}
                                              onChange=${slots.reload}
                                          />`,
                                  )}
                                  ${data.cursor
                                      ? html`<${MoreSlots}
                                            key=${data.cursor}
                                            id=${id}
                                            ...${range}
                                            cursor=${data.cursor}
                                            zone=${zone}
                                            onChange=${slots.reload}
                                            shown=${data.slots.length}
                                        />`
                                      : html`<tr>
                                            <td colspan="6" class="faint">
                                                ${plural(data.slots.length, "entry", "entries")}, all shown
                                            </td>
                                        </tr>`}
                              </tbody>
                          </table>
                      </div>`}
        <//>
    <//>`;
}
