/* SPDX-License-Identifier: Apache-2.0 */
/* Backfills of one schedule with their progress. */
import { html } from "../lib/html.js";
import { get, post, v1 } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { shortTime, zoneName } from "../lib/time.js";
import { number, plural } from "../lib/words.js";
import { attempt, Card, Load, Time } from "./basic.js";
import { may } from "./login.js";

/** The parts of the bar: tone, name, count. @param {any} one @returns {Array<[string, string, number]>} */
function partsOf(one) {
    return [
        ["ok", "succeeded", one.succeeded],
        ["bad", "failed", one.failed],
        ["off", "cancelled", one.cancelled],
        ["skip", "skipped", one.skipped],
        ["run", "open", one.open],
        ["wait", "waiting", one.buffered],
        ["none", "to decide", one.pending ?? 0],
    ];
}

/** @param {{backfill: any, zone: string, onChange: () => void}} props */
export function BackfillRow({ backfill, zone, onChange }) {
    const parts = partsOf(backfill).filter(([, , count]) => count > 0);
    const total = Math.max(
        1,
        parts.reduce((sum, [, , count]) => sum + count, 0),
    );
    const stop = () =>
        attempt(
            () => post(v1("schedules", backfill.schedule, "backfills", String(backfill.id), "stop")),
            `Backfill ${backfill.id}: stopped`,
        ).then(onChange);
    const range = `${shortTime(backfill.from, zone)} – ${shortTime(backfill.to, zone)}`;
    return html`<div class="fill-row">
        <div class="row">
            <strong>Backfill ${backfill.id}</strong>
            <span class="num muted">${range}</span>
            <span class="faint">
                ${plural(backfill.slots, "slot")}${backfill.only === "missed" ? ", only missed" : ""}
                ${`, by ${backfill.createdBy}, `}<${Time} at=${backfill.createdAt} relative />
            </span>
            <span class="grow"></span>
            ${backfill.state === "running"
                ? may("operate") && !backfill.stopped
                    ? html`<button type="button" class="small" onClick=${stop}>Stop</button>`
                    : html`<span class="muted">running</span>`
                : html`<span class="muted"
                      >${backfill.stopped ? "stopped" : "ended"}${backfill.endedAt
                          ? html` <${Time} at=${backfill.endedAt} relative />`
                          : null}</span
                  >`}
        </div>
        <div class="fillbar" aria-hidden="true">
            ${parts.map(
                ([tone, , count]) =>
                    html`<span class="fillbar-${tone}" style=${{ flexGrow: count / total }}></span>`,
            )}
        </div>
        <p class="small muted num">
            ${parts.map(([, name, count]) => `${number(count)} ${name}`).join(" · ") || "nothing yet"}
            ${backfill.expired ? " · slots whose record was deleted were left out" : ""}
        </p>
    </div>`;
}

/** @param {{schedule: any}} props */
export function Backfills({ schedule }) {
    const { id } = schedule;
    const zone = zoneName(schedule.spec.timezone);
    const list = useResource(
        `backfills ${id}`,
        (abort) => get(v1("schedules", id, "backfills"), { limit: 5 }, abort),
        {
            refreshOn: (event) => event.schedule === id && /^(backfill|run)\./.test(event.type),
            pause: 2000,
        },
    );
    if (!list.data?.backfills.length && !list.error) return null;
    return html`<${Card} title="Backfills">
        <${Load} of=${list} rows=${1}>
            ${(/** @type {any} */ data) =>
                html`<div class="stack-small">
                    ${data.backfills.map(
                        (/** @type {any} */ one) =>
                            html`<${BackfillRow}
                                key=${one.id}
                                backfill=${one}
                                zone=${zone}
                                onChange=${list.reload}
                            />`,
                    )}
                    ${data.cursor ? html`<p class="faint small">The last five are shown.</p>` : null}
                </div>`}
        <//>
    <//>`;
}
