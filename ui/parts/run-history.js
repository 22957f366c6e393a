/* SPDX-License-Identifier: Apache-2.0 */
/* The attempts of a run as a table, and its history: events, and what people did. */
import { html, useState } from "../lib/html.js";
import { fullTime, ms, span, zoneName } from "../lib/time.js";
import { number, reasonText } from "../lib/words.js";
import { Badge, Time } from "./basic.js";
import { eventText, eventTone } from "./event-words.js";

/** @param {{one: any, zone: string | null, before: number}} props */
function Attempt({ one, zone, before }) {
    const isOpen = !one.outcome;
    const began = one.startedAt ? ms(one.startedAt) : NaN;
    const took = one.endedAt ? ms(one.endedAt) - began : NaN;
    return html`<tr>
        <td class="num">${one.attempt}</td>
        <td>
            ${isOpen
                ? html`<${Badge} of="running" />`
                : html`<${Badge} of=${one.outcome} reason=${one.reason} />`}
        </td>
        <td><${Time} at=${one.startedAt} zone=${zone} /></td>
        <td class="right num">${Number.isNaN(began - before) ? "" : span(Math.max(0, began - before))}</td>
        <td><${Time} at=${one.endedAt} zone=${zone} none="not yet" /></td>
        <td class="right num">${Number.isNaN(took) ? "" : span(took)}</td>
        <td>${one.worker ?? html`<span class="faint">a node</span>`}</td>
        <td class="num">${one.fence}</td>
        <td>
            ${one.error
                ? html`<code>${one.error.code}</code> ${one.error.message}`
                : html`<span class="faint">${one.reason ? reasonText(one.reason) : "–"}</span>`}
            ${one.error?.retryable === false ? html` <span class="faint small">not retryable</span>` : null}
        </td>
    </tr>`;
}

/** @param {{data: any, zone: string | null}} props */
export function Attempts({ data, zone }) {
    const { run, attempts, moreAttempts } = data;
    if (attempts.length === 0) return html`<p class="faint">No attempt yet.</p>`;
    return html`<div class="scroll-x attempts" tabindex="0" role="region" aria-label="Table of attempts">
            <table class="table">
                <thead>
                    <tr>
                        <th>No.</th>
                        <th>Outcome</th>
                        <th>Started</th>
                        <th class="right">After</th>
                        <th>Ended</th>
                        <th class="right">Took</th>
                        <th>Worker</th>
                        <th>Fence</th>
                        <th>Error</th>
                    </tr>
                </thead>
                <tbody>
                    ${attempts.map(
                        (/** @type {any} */ one, /** @type {number} */ i) =>
                            html`<${Attempt}
                                key=${one.fence}
                                one=${one}
                                zone=${zone}
                                before=${i === 0 ? ms(run.due) : ms(attempts[i - 1].endedAt)}
                            />`,
                    )}
                </tbody>
            </table>
        </div>
        ${moreAttempts
            ? html`<p class="faint small">
                  The first ${number(attempts.length)} attempts are shown; there are more.
              </p>`
            : null}`;
}

const DONE = /** @type {Record<string, string>} */ ({
    "run.approve": "approved it",
    "run.reject": "rejected it",
    "run.cancel": "cancelled it",
    "run.terminate": "terminated it",
    "run.retry": "retried it",
});

/** @param {any} entry */
function auditText(entry) {
    const what = DONE[entry.operation] ?? entry.operation ?? "did something";
    return `${entry.by ?? "Somebody"} ${what}${entry.result === "done" ? "" : ` (${entry.result})`}`;
}

/** Events and entries of the audit log in one order. @param {any[]} events @param {any[] | null} audit */
function merge(events, audit) {
    const rows = events.map((event) => ({
        at: event.at,
        key: `event ${event.id}`,
        who: event.node ? `node ${event.node}` : "",
        text: eventText(event),
        tone: eventTone(event),
    }));
    for (const entry of audit ?? [])
        rows.push({
            at: entry.at,
            key: `audit ${entry.node} ${entry.seq}`,
            who: entry.by ?? entry.from ?? "somebody",
            text: auditText(entry),
            tone: "person",
        });
    return rows.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

const FEW = 50;

/** @param {{data: any, zone: string | null}} props */
export function History({ data, zone }) {
    const [isAll, setAll] = useState(false);
    const rows = merge(data.events, data.audit);
    const shown = isAll ? rows : rows.slice(-FEW);
    const name = zoneName(zone);
    if (rows.length === 0)
        return html`<p class="faint">
            The events of this run are gone; the server keeps them for some days.
        </p>`;
    return html`${shown.length < rows.length
            ? html`<button type="button" class="small" onClick=${() => setAll(true)}>
                  The last ${FEW} of ${number(rows.length)} are shown; show all
              </button>`
            : null}
        <ol class="history">
            ${shown.map(
                ({ at, key, who, text, tone }) =>
                    html`<li key=${key} class=${tone === "person" ? "history-person" : ""}>
                        <time class="num faint" datetime=${at} title=${name}
                            >${fullTime(at, name)}.${at.slice(20, 23)}</time
                        >
                        <span class=${tone && tone !== "person" ? `tone-text-${tone}` : ""}>${text}</span>
                        <span class="faint small">${who}</span>
                    </li>`,
            )}
        </ol>
        ${data.audit === null
            ? html`<p class="faint small">
                  Who approved, cancelled or retried it is in the audit log, which administrators can read.
              </p>`
            : null}`;
}
