/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Charts over time: bars, lines and outlines in one SVG, with a cursor that mouse and arrow keys
 * move, and the same numbers as a table.  Colours come from classes, so that they follow the theme.
 */
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../lib/html.js";
import { fullTime, now } from "../lib/time.js";
import { number } from "../lib/words.js";
import { changesBetween, changeText, ticks } from "./timeline-axis.js";

const PAD = { left: 44, right: 10, top: 10, bottom: 22 };

/**
 * @typedef {"bars" | "part" | "outline" | "line" | "mark"} Kind
 * bars: how many; part: some of the bars; outline: steps; mark: a sign above the bar
 * @typedef {{name: string, label: string, kind: Kind, tone: string, dashed?: boolean}} Series
 * @typedef {{at: number, end: number, [name: string]: any}} Point
 */

/** The width of an element, kept current. @param {{current: HTMLElement | null}} ref */
export function useWidth(ref) {
    const [width, setWidth] = useState(0);
    useLayoutEffect(() => {
        const element = /** @type {HTMLElement} */ (ref.current);
        const measure = () => setWidth(Math.floor(element.clientWidth));
        measure();
        const observer = new ResizeObserver(measure);
        observer.observe(element);
        return () => observer.disconnect();
    }, []);
    return width;
}

/** Round values up to `max`. @param {number} max */
function linearSteps(max) {
    const rough = Math.max(1, max) / 4;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? 1);
    return Array.from({ length: Math.ceil(Math.max(1, max) / step) + 1 }, (_, i) => i * step);
}

const LOG_STEPS = [1, 10, 100, 1000, 10_000, 60_000, 600_000, 3_600_000, 36_000_000, 86_400_000, 864_000_000];

/**
 * From the last step up to `min` to the first from `max` on.
 * @param {number} min @param {number} max
 */
function logSteps(min, max) {
    const above = LOG_STEPS.findIndex((step) => step >= max);
    const last = above < 0 ? LOG_STEPS.length - 1 : Math.max(above, 2);
    const below = LOG_STEPS.findLastIndex((step) => step <= min);
    return LOG_STEPS.slice(Math.max(0, Math.min(below, last - 2)), last + 1);
}

/** @param {Point[]} points @param {Series[]} series @param {boolean} isLog */
function valueScale(points, series, isLog) {
    const values = points.flatMap((point) => series.map(({ name }) => point[name]).filter(Number.isFinite));
    const max = values.reduce((most, value) => Math.max(most, value), 0);
    const min = values.reduce((least, value) => Math.min(least, value), max);
    const steps = isLog ? logSteps(min, max) : linearSteps(max);
    const [low, top] = [steps[0], steps[steps.length - 1]];
    const logPart = (/** @type {number} */ v) => Math.log(Math.max(low, v) / low) / Math.log(top / low);
    return { steps, part: isLog ? logPart : (/** @type {number} */ v) => v / top };
}

/** @typedef {{x: (at: number) => number, y: (value: number) => number, bottom: number}} Scale */

/** @param {Point[]} points @param {string} name @param {Scale} scale */
function stepPath(points, name, { x, y, bottom }) {
    let path = "";
    let open = false;
    let last = 0;
    for (const point of points) {
        const value = point[name];
        if (value === null || value === undefined) {
            if (open) path += `V${bottom}`;
            open = false;
            continue;
        }
        if (!open) path += `M${x(point.at)} ${bottom}`;
        else if (last !== point.at) path += `V${bottom}H${x(point.at)}`;
        path += `V${y(value)}H${x(point.end)}`;
        open = true;
        last = point.end;
    }
    return open ? `${path}V${bottom}` : path;
}

/** @param {Point[]} points @param {string} name @param {Scale} scale */
function linePath(points, name, { x, y }) {
    let path = "";
    let pen = "M";
    for (const point of points) {
        const value = point[name];
        if (value === null || value === undefined) {
            pen = "M";
            continue;
        }
        path += `${pen}${x((point.at + point.end) / 2).toFixed(1)} ${y(value).toFixed(1)}`;
        pen = "L";
    }
    return path;
}

/** Single points have no line to either side: circles. @param {Point[]} points @param {string} name */
function lonely(points, name) {
    const has = (/** @type {Point | undefined} */ point) => (point?.[name] ?? null) !== null;
    return points.filter((point, i) => has(point) && !has(points[i - 1]) && !has(points[i + 1]));
}

/** @param {{of: Series, points: Point[], scale: Scale}} props */
function Drawn({ of, points, scale }) {
    const { x, y, bottom } = scale;
    const tone = `chart-${of.tone}`;
    if (of.kind === "outline")
        return html`<path class="chart-outline ${tone} ${of.dashed ? "chart-dashed" : ""}"
            d=${stepPath(points, of.name, scale)} />`;
    if (of.kind === "line")
        return html`<path class="chart-line ${tone} ${of.dashed ? "chart-dashed" : ""}"
            d=${linePath(points, of.name, scale)} />
            ${lonely(points, of.name).map(
                (point) =>
                    html`<circle class=${tone} cx=${x((point.at + point.end) / 2)} cy=${y(point[of.name])}
                        r="2.5" />`,
            )}`;
    return points.map((point) => {
        const value = point[of.name];
        if (!value) return null;
        const left = x(point.at);
        const width = Math.max(1, x(point.end) - left - 1);
        if (of.kind === "mark") {
            const middle = left + width / 2;
            return html`<path class=${tone} d="M${middle - 3.5} 1h7l-3.5 6z" />`;
        }
        const height = Math.max(2, bottom - y(value));
        return html`<rect class=${tone} x=${left} y=${bottom - height} width=${width} height=${height} rx="1"
            />`;
    });
}

/** @param {{series: Series[]}} props */
export function Legend({ series }) {
    return html`<ul class="chart-legend">
        ${series.map(
            ({ label, kind, tone, dashed }) =>
                html`<li>
                    <svg width="16" height="12" viewBox="0 0 16 12" aria-hidden="true">
                        ${
                            kind === "line"
                                ? html`<path class="chart-line chart-${tone} ${dashed ? "chart-dashed" : ""}"
                                    d="M0 6H16" />`
                                : kind === "outline"
                                  ? html`<path
                                      class="chart-outline chart-${tone} ${dashed ? "chart-dashed" : ""}"
                                          d="M1 12V3H15V12" />`
                                  : kind === "mark"
                                    ? html`<path class="chart-${tone}" d="M4 3h8l-4 7z" />`
                                    : html`<rect class="chart-${tone}" x="4" y="2" width="8" height="10"
                                        rx="1" />`
                        }
                    </svg>
                    ${label}
                </li>`,
        )}
    </ul>`;
}

/**
 * @param {{series: Series[], points: Point[], head: string, format: (v: number) => string, timeText: (p:
 *     Point) => string, label: string}} props
 */
function ChartTable({ series, points, head, format, timeText, label }) {
    const [isOpen, setOpen] = useState(false);
    const shown = isOpen ? points.filter((point) => series.some(({ name }) => point[name])) : [];
    return html`<details class="chart-table"
        onToggle=${(/** @type {any} */ event) => setOpen(event.target.open)}>
        <summary>Show as a table</summary>
        ${
            isOpen
                ? html`<div class="scroll-x chart-table-body" tabindex="0" role="region"
                    aria-label="${label}: table">
                  <table class="table">
                      <thead>
                          <tr>
                              <th scope="col">${head}</th>
                              ${series.map((one) => html`<th scope="col" class="right">${one.label}</th>`)}
                          </tr>
                      </thead>
                      <tbody>
                          ${
                              shown.length === 0
                                  ? html`<tr><td colspan=${series.length + 1}>Nothing in this range</td></tr>`
                                  : shown.map(
                                        (point) =>
                                            html`<tr>
                                            <th scope="row" class="num">${timeText(point)}</th>
                                            ${series.map(
                                                ({ name }) =>
                                                    html`<td class="right num">
                                                    ${cell(point[name], format)}</td>`,
                                            )}
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

/** @param {number | null | undefined} value @param {(v: number) => string} format */
const cell = (value, format) => (value === null || value === undefined ? "–" : format(value));

/**
 * @param {{point: Point, series: Series[], scale: Scale, format: (v: number) => string, timeText: (p: Point)
 *     => string, width: number}} props
 */
function Tip({ point, series, scale, format, timeText, width }) {
    const at = scale.x((point.at + point.end) / 2);
    const side = at > width / 2 ? { right: `${width - at + 10}px` } : { left: `${at + 10}px` };
    return html`<div class="chart-tip" style=${side} aria-hidden="true">
        <p class="num">${timeText(point)}</p>
        ${series.map(
            ({ name, label }) =>
                (point[name] ?? null) !== null &&
                html`<p class="row"><span class="grow muted">${label}</span><span class="num">
                ${format(point[name])}</span></p>`,
        )}
    </div>`;
}

/**
 * A time that is marked, such as an outage.
 * @param {{of: {from: number, to: number, text: string}, scale: Scale}} props
 */
function Marked({ of, scale }) {
    const left = scale.x(of.from);
    const width = Math.max(2, scale.x(of.to) - left);
    return html`<rect class="chart-marked" x=${left} y=${PAD.top} width=${width}
        height=${scale.bottom - PAD.top} />
        <text class="chart-text" x=${left + 4} y=${PAD.top + 11}>${width > 30 ? of.text : ""}</text>`;
}

/**
 * @param {{from: number, to: number, zone: string, width: number, scale: Scale, height: number, showNow:
 *     boolean}} props
 */
function TimeAxis({ from, to, zone, width, scale, height, showNow }) {
    const most = Math.max(2, Math.floor((width - PAD.left) / 76));
    const marks = useMemo(() => ticks(from, to, zone, most), [from, to, zone, most]);
    const changes = useMemo(() => changesBetween(from, to, zone), [from, to, zone]);
    const at = now.value;
    return html`<g>
        ${marks.map(
            (mark) =>
                html`<line class="chart-grid ${mark.isDay ? "strong" : ""}" x1=${scale.x(mark.at)}
                    x2=${scale.x(mark.at)} y1=${PAD.top} y2=${scale.bottom} />
                    <text class="chart-text" x=${Math.min(width - 36, Math.max(18, scale.x(mark.at)))}
                        y=${height - 6} text-anchor="middle">
                        ${mark.text}
                    </text>`,
        )}
        ${changes.map(
            (change) =>
                html`<line class="chart-change" x1=${scale.x(change.at)} x2=${scale.x(change.at)}
                    y1=${PAD.top} y2=${scale.bottom}>
                    <title>${changeText(change.by)}</title>
                </line>`,
        )}
        ${
            showNow && at > from && at < to
                ? html`<line class="chart-now" x1=${scale.x(at)} x2=${scale.x(at)} y1="0" y2=${scale.bottom}
                    />`
                : null
        }
    </g>`;
}

/**
 * @param {{label: string, series: Series[], points: Point[], from: number, to: number, zone: string,
 *     height?: number, isLog?: boolean, format?: (value: number) => string, showNow?: boolean,
 *     timeText?: (point: Point) => string, onPick?: (point: Point) => void, pickText?: string,
 *     empty?: string, legend?: boolean, table?: boolean, timeHead?: string,
 *     marked?: {from: number, to: number, text: string}}} props
 * `onPick` is called for a point that was clicked or chosen with Enter; `pickText` says what it does.
 */
export function Chart(props) {
    const { label, series, points, from, to, zone, height = 180, isLog = false, format = number } = props;
    const timeText =
        props.timeText ?? ((/** @type {Point} */ point) => fullTime(point.at, zone).slice(0, 16));
    const ref = useRef(/** @type {HTMLDivElement | null} */ (null));
    const width = useWidth(ref);
    const [chosen, setChosen] = useState(-1);
    useEffect(() => setChosen(-1), [from, to]);
    const values = useMemo(() => valueScale(points, series, isLog), [points, series, isLog]);
    const bottom = height - PAD.bottom;
    const inner = Math.max(1, width - PAD.left - PAD.right);
    const scale = {
        x: (/** @type {number} */ at) =>
            PAD.left + ((Math.min(to, Math.max(from, at)) - from) / (to - from)) * inner,
        y: (/** @type {number} */ value) => bottom - values.part(value) * (bottom - PAD.top),
        bottom,
    };
    const point = points[chosen];
    const isEmpty = !points.some((one) =>
        series.some(({ name }) => (one[name] ?? null) !== null && (one[name] > 0 || isLog)),
    );
    const indexAt = (/** @type {MouseEvent} */ event) => {
        const box = /** @type {HTMLElement} */ (ref.current).getBoundingClientRect();
        const at = from + ((event.clientX - box.left - PAD.left) / inner) * (to - from);
        return nearest(points, at);
    };
    const onKey = (/** @type {KeyboardEvent} */ event) => {
        const to = keyTarget(event.key, chosen, points.length);
        if (to !== null) setChosen(to);
        else if (event.key === "Enter" && point) props.onPick?.(point);
        else if (event.key === "Escape") setChosen(-1);
        else return;
        event.preventDefault();
        event.stopPropagation();
    };
    const words = point
        ? `${timeText(point)}: ${series.map(({ name, label: text }) =>
            `${text} ${cell(point[name], format)}`).join(", ")}`
        : "Arrow keys move through the chart";
    return html`<div class="chart-box">
        ${props.legend === false ? null : html`<${Legend} series=${series} />`}
        <div
            ref=${ref}
            class="chart ${props.onPick ? "chart-picks" : ""}"
            style=${{ height: `${height}px`, minHeight: 0 }}
            tabindex=${isEmpty ? null : "0"}
            role=${isEmpty ? null : "slider"}
            aria-label=${isEmpty ? null : props.onPick ? `${label}; Enter: ${props.pickText}` : label}
            aria-orientation=${isEmpty ? null : "horizontal"}
            aria-valuemin=${isEmpty ? null : 0}
            aria-valuemax=${isEmpty ? null : Math.max(0, points.length - 1)}
            aria-valuenow=${isEmpty ? null : Math.max(0, chosen)}
            aria-valuetext=${isEmpty ? null : words}
            onPointerMove=${(/** @type {PointerEvent} */ event) => setChosen(indexAt(event))}
            onPointerLeave=${() => setChosen(-1)}
            onBlur=${() => setChosen(-1)}
            onClick=${(/** @type {MouseEvent} */ event) => points[indexAt(event)]
                && props.onPick?.(points[indexAt(event)])}
            onKeyDown=${onKey}
        >
            ${
                width > 0
                    ? html`<svg width=${width} height=${height} aria-hidden="true">
                      ${values.steps.map(
                          (
                              step,
                          ) =>
                              html`<line class="chart-grid" x1=${PAD.left} x2=${width - PAD.right}
                                  y1=${scale.y(step)} y2=${scale.y(step)} />
                              <text class="chart-text" x=${PAD.left - 6} y=${scale.y(step) + 4}
                                  text-anchor="end">${format(step)}</text>`,
                      )}
                      <${TimeAxis} from=${from} to=${to} zone=${zone} width=${width} scale=${scale}
                          height=${height} showNow=${props.showNow !== false} />
                      ${props.marked ? html`<${Marked} of=${props.marked} scale=${scale} />` : null}
                      ${
                          point
                              ? html`<rect class="chart-cursor" x=${scale.x(point.at)}
                                  width=${Math.max(1, scale.x(point.end) - scale.x(point.at))} y=${PAD.top}
                                      height=${bottom - PAD.top} />`
                              : null
                      }
                      ${series.map((of) => html`<${Drawn} of=${of} points=${points} scale=${scale} />`)}
                  </svg>`
                    : null
            }
            ${isEmpty ? html`<p class="chart-empty">${props.empty ?? "Nothing in this range"}</p>` : null}
            ${point && !isEmpty
                ? html`<${Tip} point=${point} series=${series} scale=${scale} format=${format}
                    timeText=${timeText} width=${width} />` : null}
        </div>
        ${props.table === false ? null
            : html`<${ChartTable} series=${series} points=${points} head=${props.timeHead ?? `Time (${zone})`}
                format=${format} timeText=${timeText} label=${label} />`}
    </div>`;
}

/**
 * The index of the point that contains an instant, or of the next to it.
 * @param {Point[]} points @param {number} at
 */
function nearest(points, at) {
    const found = points.findIndex((point) => at < point.end);
    return found < 0 ? points.length - 1 : found;
}

/** @param {string} key @param {number} chosen @param {number} count */
function keyTarget(key, chosen, count) {
    if (key === "ArrowRight") return Math.min(count - 1, chosen + 1);
    if (key === "ArrowLeft") return Math.max(0, chosen < 0 ? count - 1 : chosen - 1);
    if (key === "Home") return 0;
    if (key === "End") return count - 1;
    return null;
}
