/* SPDX-License-Identifier: Apache-2.0 */
/* How late runs started and how long they took, by day: GET /lateness and GET /durations. */
import { html, useMemo } from "../lib/html.js";
import { get, namespace } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { span } from "../lib/time.js";
import { plural } from "../lib/words.js";
import { Problem, Time } from "./basic.js";
import { Chart } from "./chart.js";
import { addDays } from "./timeline-axis.js";

/** @type {import("./chart.js").Series[]} */
const SERIES = [
    { name: "p50Ms", label: "p50", kind: "line", tone: "ok" },
    { name: "p95Ms", label: "p95", kind: "line", tone: "late", dashed: true },
    { name: "p99Ms", label: "p99", kind: "line", tone: "bad" },
];

/** Days that no run ended have no values. @param {any} answer */
function pointsOf(answer) {
    const known = new Map(answer.groups.map((/** @type {any} */ group) => [group.day, group]));
    const points = [];
    for (let date = answer.from; date <= answer.to; date = addDays(date, 1)) {
        const at = Date.parse(`${date}T00:00:00Z`);
        const found = known.get(date);
        points.push({
            at,
            end: at + 86_400_000,
            date,
            count: found?.count ?? 0,
            p50Ms: found?.p50Ms ?? null,
            p95Ms: found?.p95Ms ?? null,
            p99Ms: found?.p99Ms ?? null,
        });
    }
    return points;
}

/** @param {any} total */
function totalText(total) {
    if (!total || total.count === 0) return "No run has ended in these days";
    const values = [
        ["p50", total.p50Ms],
        ["p95", total.p95Ms],
        ["p99", total.p99Ms],
        ["maximum", total.maxMs],
    ];
    const known = values.filter(([, value]) => value !== null);
    return `${plural(total.count, "run")}: ${known.map(([name, value]) =>
        `${name} ${span(value)}`).join(" · ")}`;
}

/**
 * `from` and `to` are dates, both inclusive; the default is the last 30 days.
 * @param {{path: string, title: string, schedule?: string, queue?: string, label?: string,
 *     from?: string, to?: string, height?: number}} props
 */
function QuantileChart({ path, title, schedule, queue, label, from, to, height = 160 }) {
    const last = to ?? new Date().toISOString().slice(0, 10);
    const values = { by: "day", from: from ?? addDays(last, -29), to: last, schedule, queue, label };
    const answer = useResource(
        `${path} ${namespace()} ${JSON.stringify(values)}`,
        (abort) => get(path, values, abort),
        {
            refreshOn: (event) => event.type === "run.ended" && (!schedule || event.schedule === schedule),
            pause: 10_000,
            keep: true,
        },
    );
    const { data } = answer;
    const points = useMemo(() => (data ? pointsOf(data) : []), [data]);
    return html`<div style=${{ minHeight: `${height + 84}px` }}>
        ${answer.error ? html`<${Problem} error=${answer.error} retry=${answer.reload} />` : null}
        ${
            data
                ? html`<p class="muted small num">${totalText(data.total)}</p>
                  <${Chart}
                      label=${title}
                      series=${SERIES}
                      points=${points}
                      from=${Date.parse(`${data.from}T00:00:00Z`)}
                      to=${Date.parse(`${data.to}T00:00:00Z`) + 86_400_000}
                      zone="UTC"
                      height=${height}
                      isLog
                      showNow=${false}
                      format=${span}
                      timeText=${(/** @type {any} */ point) =>
                          `${point.date}${point.count ? `, ${plural(point.count, "run")}` : ""}`}
                      timeHead="Day, in the zone of the schedule"
                      empty="No run has ended in these days"
                  />
                  ${schedule ? null
                      : html`<p class="faint small">Runs that ended before <${Time} at=${data.asOf} /> are
                          counted.</p>`}`
                : null
        }
    </div>`;
}

/**
 * From when runs were due to the start of their first attempt.
 * @param {{schedule?: string, queue?: string, label?: string, from?: string, to?: string, height?: number}}
 *     props
 */
export const LatenessChart = (props) =>
    html`<${QuantileChart} path="/api/v1/lateness" title="Lateness of runs by day" ...${props} />`;

/**
 * How long the last attempts of runs took.
 * @param {{schedule?: string, queue?: string, label?: string, from?: string, to?: string, height?: number}}
 *     props
 */
export const DurationChart = (props) =>
    html`<${QuantileChart} path="/api/v1/durations" title="Duration of runs by day" ...${props} />`;
