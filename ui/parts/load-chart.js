/* SPDX-License-Identifier: Apache-2.0 */
/* How many slots are due and how many runs start, run, start late and fail: GET /load. */
import { html, useMemo, useState } from "../lib/html.js";
import { get, namespace } from "../lib/api.js";
import { go } from "../lib/router.js";
import { useResource } from "../lib/resource.js";
import { durationMs, fullTime, ms, zoneName } from "../lib/time.js";
import { number, plural } from "../lib/words.js";
import { Problem } from "./basic.js";
import { Chart } from "./chart.js";

/** @type {import("./chart.js").Series[]} */
const SERIES = [
    { name: "planned", label: "Due by the plan", kind: "outline", tone: "planned", dashed: true },
    { name: "started", label: "Started", kind: "bars", tone: "start" },
    { name: "failed", label: "Failed", kind: "part", tone: "bad" },
    { name: "running", label: "Running at once", kind: "line", tone: "run" },
    { name: "late", label: "Late", kind: "mark", tone: "late" },
];

const GROUPS_FIRST = 6; /* groups shown before the others are asked for */

const NOT_KNOWN = { started: null, running: null, late: null, failed: null };
const NOTHING = { started: 0, running: 0, late: 0, failed: 0 };

/** Fills the steps that the answer leaves out. @param {any} answer @param {any} group */
function pointsOf(answer, group) {
    const from = ms(answer.from);
    const to = ms(answer.to);
    const step = durationMs(answer.step);
    const known = new Map(group.buckets.map((/** @type {any} */ bucket) => [ms(bucket.at), bucket]));
    const first = group.buckets.length > 0 ? ms(group.buckets[0].at) : from;
    const points = [];
    for (let at = first - Math.ceil((first - from) / step) * step; at < to; at += step) {
        if (at + step <= from) continue;
        const found = known.get(at);
        /* Null: in the future, or too many to count. */
        const actual = at > ms(answer.now) ? NOT_KNOWN : (found ?? NOTHING);
        points.push({
            at,
            end: at + step,
            planned: found?.planned ?? 0,
            started: actual.started,
            running: actual.running,
            late: actual.late,
            failed: actual.failed,
        });
    }
    return points;
}

/** @param {any} group */
function groupName(group) {
    if (group.other) return "All others";
    return group.group === null ? "Without one" : group.group;
}

/** @param {any} group */
const weight = (group) =>
    group.buckets.reduce(
        (/** @type {number} */ sum, /** @type {any} */ b) => sum + (b.planned ?? 0) + (b.started ?? 0),
        0,
    );

/**
 * @param {{answer: any, group: any, height: number, label: string, query: Record<string, any>, legend?:
 *     boolean}} props
 */
function GroupChart({ answer, group, height, label, query, legend }) {
    const points = useMemo(() => pointsOf(answer, group), [answer, group]);
    const zone = zoneName();
    const open = (/** @type {any} */ point) =>
        go(["timeline"], {
            ...query,
            from: new Date(point.at).toISOString(),
            to: new Date(point.end).toISOString(),
        });
    return html`<${Chart}
        label=${label}
        series=${SERIES}
        points=${points}
        from=${ms(answer.from)}
        to=${ms(answer.to)}
        zone=${zone}
        height=${height}
        legend=${legend}
        timeText=${(/** @type {any} */ p) =>
            `${fullTime(p.at, zone).slice(0, 16)}–${fullTime(p.end, zone).slice(11, 16)}`}
        onPick=${open}
        pickText="open the timeline there"
        empty="No slot is due and no run started in this time"
    />`;
}

/** @param {string} by @param {any} group @returns {Record<string, any>} */
function groupQuery(by, group) {
    if (group.other || group.group === null || !group.group) return {};
    return by === "queue" ? { queue: group.group } : { label: `${by.slice("label:".length)}=${group.group}` };
}

/**
 * Loads itself and follows the events.  `query` has the filters of the page (queue, label,
 * schedule); `by` is "queue" or "label:NAME" for a chart per group.
 * @param {{from?: string | number, to?: string | number, query?: Record<string, any>, by?: string,
 *     height?: number}} props
 */
export function LoadChart({ from, to, query = {}, by, height = 180 }) {
    const [all, setAll] = useState(false);
    const instant = (/** @type {string | number | undefined} */ at) =>
        at === undefined ? undefined : new Date(ms(at)).toISOString();
    const { queue, label, schedule } = query;
    const values = { from: instant(from), to: instant(to), queue, label, schedule, by };
    const load = useResource(
        `load ${namespace()} ${JSON.stringify(values)}`,
        (abort) => get("/api/v1/load", values, abort),
        { refreshOn: isLoadEvent, pause: 2000, every: 30_000, keep: true },
    );
    const answer = load.data;
    const room = { minHeight: `${height + 62}px` };
    if (!answer)
        return html`<div style=${room}>
        ${load.error ? html`<${Problem} error=${load.error} retry=${load.reload} />` : null}</div>`;
    const groups = [...answer.groups].sort((a, b) => weight(b) - weight(a));
    const shown = by && !all ? groups.slice(0, GROUPS_FIRST) : groups;
    return html`<div class="stack" style=${room}>
        ${load.error ? html`<${Problem} error=${load.error} retry=${load.reload} />` : null}
        ${
            !by
                ? html`<${GroupChart} answer=${answer} group=${groups[0] ?? { group: null, buckets: [] }}
                    height=${height} label="Load" query=${{ queue, label, schedule }} />`
                : shown.map(
                      (group, i) =>
                          html`<section key=${groupName(group)}>
                          <h3 class="clip">${groupName(group)} <span class="faint">
                          ${number(weight(group))} slots and starts</span></h3>
                          <${GroupChart} answer=${answer} group=${group} height=${Math.min(height, 110)}
                              legend=${i === 0} label="Load of ${groupName(group)}"
                                  query=${{ queue, label, schedule, ...groupQuery(by, group) }} />
                      </section>`,
                  )
        }
        ${
            by && groups.length > shown.length
                ? html`<p><button type="button" onClick=${() => setAll(true)}>Show
                    all ${plural(groups.length, "group")}</button> <span class="faint">
                    ${shown.length} of ${groups.length} shown</span></p>`
                : null
        }
        ${answer.cut ? html`<p class="note">${answer.cut}</p>` : null}
    </div>`;
}

/** @param {any} event */
function isLoadEvent(event) {
    return /^(run\.(planned|unplanned|started|ended|late)|slot\.|schedule\.)/.test(event.type);
}
