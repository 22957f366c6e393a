/* SPDX-License-Identifier: Apache-2.0 */
/* Why a schedule did, did not, will or will not run at a time, in the words of the server. */
import { html, useEffect, useRef } from "../lib/html.js";
import { get, namespace, v1 } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { fullTime, ms, offsetName, relative, span, zoneName } from "../lib/time.js";
import { reasonText, stateOf } from "../lib/words.js";
import { Badge, Facts, Link, Load, Time } from "./basic.js";
import { bucketText } from "./timeline-items.js";

/** "Europe/Berlin (GMT+1)" @param {number} at @param {string} zone */
function zoneText(at, zone) {
    const offset = offsetName(at, zone);
    return offset === zone ? zone : `${zone} (${offset})`;
}

/** @param {{entry: any, zone: string}} props */
function SlotFacts({ entry, zone }) {
    const { run } = entry;
    const due = entry.due ?? entry.slot;
    const late = run?.startedAt ? ms(run.startedAt) - ms(due) : 0;
    return html`<${Facts}
        rows=${[
            ["Outcome", html`<${Badge} of=${stateOf(entry)} reason=${run?.reason ?? entry.reason} />`],
            (run?.reason ?? entry.reason) && ["Reason", reasonText(run?.reason ?? entry.reason)],
            ["Slot", html`<${Time} at=${entry.slot} zone=${zone} />`],
            entry.due && entry.due !== entry.slot && ["Due", html`<${Time} at=${entry.due} zone=${zone} />`],
            run?.startedAt && [
                "Started",
                html`<${Time} at=${run.startedAt} zone=${zone} />
                ${late >= 1000 ? html` <span class="muted">${span(late)} after it was due</span>` : null}`,
            ],
            run?.endedAt && [
                "Ended",
                html`<${Time} at=${run.endedAt} zone=${zone} /> <span
                    class="muted">after ${span(ms(run.endedAt) - ms(run.startedAt ?? run.endedAt))}</span>`,
            ],
            run && run.attempt > 1 && ["Attempt", String(run.attempt)],
            entry.id && ["Run", html`<${Link} to=${["run", entry.id]}><code>${entry.id}</code><//>`],
        ]}
    />`;
}

/** @param {{moment: any, zone: string, move: (at: string) => void}} props */
function Moment({ moment, zone, move }) {
    return html`<section class="stack">
        ${moment.sentences.map((/** @type {string} */ sentence) => html`<p>${sentence}</p>`)}
        ${moment.slot ? html`<${SlotFacts} entry=${moment.slot} zone=${zone} />` : null}
        <div class="row">
            <button type="button" class="small" disabled=${!moment.previous}
                onClick=${() => move(moment.previous)}>
                ‹ ${moment.previous ? fullTime(moment.previous, zone).slice(5, 16) : "no earlier slot"}
            </button>
            <button type="button" class="small" disabled=${!moment.next} onClick=${() => move(moment.next)}>
                ${moment.next ? fullTime(moment.next, zone).slice(5, 16) : "no later slot"} ›
            </button>
        </div>
    </section>`;
}

/**
 * @param {{schedule: string, at: number, bucket: any, entry: any, onClose: () => void,
 *     move: (at: number) => void, zoomIn: (() => void) | null}} props
 */
export function ExplainPanel({ schedule, at, bucket, entry, onClose, move, zoomIn }) {
    const ref = useRef(/** @type {HTMLElement | null} */ (null));
    const instant = new Date(at).toISOString();
    const answer = useResource(
        `explain ${namespace()} ${schedule} ${instant}`,
        (abort) => get(v1("schedules", schedule, "explain"), { at: instant }, abort),
        { refreshOn: (event) => event.schedule === schedule, pause: 2000, keep: true },
    );
    useEffect(() => ref.current?.focus(), [schedule]);
    const zone = zoneName(answer.data?.timezone);
    const close = (/** @type {KeyboardEvent} */ event) => event.key === "Escape" && onClose();
    return html`<aside class="tl-panel" ref=${ref} tabindex="-1" aria-label="Explanation" onKeyDown=${close}>
        <div class="dialog-head">
            <h2 class="clip"><${Link} to=${["schedule", schedule]}>${schedule}<//></h2>
            <button type="button" class="plain" aria-label="Close the explanation"
                onClick=${onClose}>✕</button>
        </div>
        <p class="num"><b>${fullTime(at, zone)}</b> <span class="faint">
        ${zoneText(at, zone)}, ${relative(at)}</span></p>
        ${
            bucket
                ? html`<div class="tl-bucket">
                  <p>${bucketText(bucket)}</p>
                  ${zoomIn
                      ? html`<button type="button" class="small" onClick=${zoomIn}>Zoom in to its
                          slots</button>` : null}
              </div>`
                : null
        }
        <${Load} of=${answer}>
            ${(/** @type {any} */ data) => html`
                ${data.moments.map((/** @type {any} */ moment) =>
                    html`<${Moment} moment=${moment} zone=${zone}
                        move=${(/** @type {string} */ to) => move(ms(to))} />`)}
                ${
                    entry &&
                    !data.moments.some(
                        (/** @type {any} */ one) =>
                            one.slot?.id === entry.id && one.slot?.slot === entry.slot,
                    )
                        ? html`<section class="stack"><h3>
                        ${entry.kind === "backfill" ? "Backfill" : entry.kind === "trigger" ? "Trigger"
                            : "Slot"}</h3><${SlotFacts} entry=${entry} zone=${zone} /></section>`
                        : null
                }
                ${data.note ? html`<p class="muted small">${data.note}</p>` : null}
            `}
        <//>
        <p class="small"><${Link} to=${["runs"]} query=${{ schedule }}>All runs of this schedule<//></p>
    </aside>`;
}

/**
 * What a cell of a queue has.
 * @param {{row: any, bucket: any, at: number, zone: string, onClose: () => void, show: () => void}} props
 */
export function QueuePanel({ row, bucket, at, zone, onClose, show }) {
    const ref = useRef(/** @type {HTMLElement | null} */ (null));
    useEffect(() => ref.current?.focus(), [row.key]);
    return html`<aside class="tl-panel" ref=${ref} tabindex="-1" aria-label="Explanation"
        onKeyDown=${(/** @type {KeyboardEvent} */ event) => event.key === "Escape" && onClose()}>
        <div class="dialog-head">
            <h2 class="clip">${row.name}</h2>
            <button type="button" class="plain" aria-label="Close the explanation"
                onClick=${onClose}>✕</button>
        </div>
        <p class="num"><b>${fullTime(at, zone)}</b> <span class="faint">${zone}, ${relative(at)}</span></p>
        <p>
        ${bucket ? `In the ${row.stepText} from then: ${bucketText(bucket)}.`
            : "No slot of these schedules is due then, and no run starts."}</p>
        ${row.queue ? html`<button type="button" onClick=${show}>Show only its schedules</button>` : null}
    </aside>`;
}
