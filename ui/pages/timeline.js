/* SPDX-License-Identifier: Apache-2.0 */
/* What ran, runs and will run: a row per schedule or queue, from five minutes to a month. */
import { html, useEffect, useMemo, useRef, useState } from "../lib/html.js";
import { get, namespace } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { query, setQuery } from "../lib/router.js";
import { useShortcuts } from "../lib/keys.js";
import { dateOf, civil, clockOf, durationMs, ms, offsetName, zoneChoice, zoneName } from "../lib/time.js";
import { number, plural } from "../lib/words.js";
import { Empty, Head, Link, Problem } from "../parts/basic.js";
import { SHAPES } from "../parts/timeline-draw.js";
import { ROWS_MAX, useRows } from "../parts/timeline-data.js";
import { queueOf, useGrouped, useGroups } from "../parts/timeline-groups.js";
import { TimelineGrid } from "../parts/timeline-grid.js";
import { ExplainPanel, QueuePanel } from "../parts/timeline-panel.js";
import { TimelineTable } from "../parts/timeline-table.js";
import { SPANS, useView } from "../parts/timeline-view.js";

const TYPING_MS = 250;
const FILTERS = ["search", "queue", "label", "status", "schedule", "action", "health", "outcome", "zone"];
/** Filters without a control of their own, which links from other views set. */
const CHIPS = ["schedule", "action", "health", "outcome", "zone"];

/** @param {number} at @param {string} zone */
function edgeText(at, zone) {
    const c = civil(at, zone);
    return `${c.weekday} ${dateOf(c)} ${clockOf(c)}`;
}

/** @param {{view: any, zone: string}} props */
function Toolbar({ view, zone }) {
    const { from, to, follows } = view;
    const chosen = SPANS.find(([, size]) => Math.abs(size - (to - from)) < 1500)?.[0] ?? "";
    return html`<div class="tl-bar" role="group" aria-label="Window">
        <span class="row">
            <button type="button" aria-label="Earlier" title="Earlier (←)"
                onClick=${() => view.pan(-0.5)}>‹</button>
            <button type="button" class=${follows ? "tl-follows" : ""}
                aria-pressed=${follows ? "true" : "false"} title="Follow the time (n)"
                    onClick=${() => view.home()}>Now</button>
            <button type="button" aria-label="Later" title="Later (→)"
                onClick=${() => view.pan(0.5)}>›</button>
        </span>
        <span class="row">
            <button type="button" aria-label="Zoom out" title="Zoom out (−)"
                disabled=${to - from >= SPANS[SPANS.length - 1][1] * 0.99}
                    onClick=${() => view.zoom(1)}>−</button>
            <select aria-label="Length of the window" value=${chosen}
                onChange=${(/** @type {any} */ event) => event.target.value
                    && view.choose(event.target.value)}>
                ${chosen ? null : html`<option value="">Other</option>`}
                ${SPANS.map(([name, , text]) => html`<option value=${name}>${text}</option>`)}
            </select>
            <button type="button" aria-label="Zoom in" title="Zoom in (+)"
                disabled=${to - from <= SPANS[0][1] * 1.01} onClick=${() => view.zoom(-1)}>+</button>
        </span>
        <span class="num muted tl-window">${edgeText(from, zone)} – ${edgeText(to, zone)} <span class="faint">
        ${offsetName(from, zone)}</span></span>
    </div>`;
}

/** @param {{facets: any, isGrouped: boolean, isTable: boolean}} props */
function Filters({ facets, isGrouped, isTable }) {
    const [text, setText] = useState(query.value.search ?? "");
    const timer = useRef(0);
    useEffect(() => setText(query.value.search ?? ""), [query.value.search]);
    const change = (/** @type {Record<string, any>} */ values) => setQuery({ cursor: null, ...values });
    const typed = (/** @type {any} */ event) => {
        const { value } = event.target;
        setText(value);
        clearTimeout(timer.current);
        timer.current = setTimeout(
            () => setQuery({ search: value.trim() || null, cursor: null }, { replace: true }),
            TYPING_MS,
        );
    };
    const { queue, label, status } = query.value;
    return html`<div class="filters" role="group" aria-label="Filters">
        <input type="search" class="tl-search" placeholder="Filter by name" aria-label="Filter by name"
            value=${text} onInput=${typed} />
        <${Choice} label="Queue" value=${queue}
            options=${(facets?.queue ?? []).map((/** @type {any} */ one) => one.value)}
                onChoose=${(/** @type {string} */ to) => change({ queue: to })} />
        <${Choice} label="Label" value=${label}
            options=${(facets?.label ?? []).map((/** @type {any} */ one) => labelName(one))}
                onChoose=${(/** @type {string} */ to) => change({ label: to })} />
        <${Choice} label="Status" value=${status} options=${["active", "paused", "closed"]}
            onChoose=${(/** @type {string} */ to) => change({ status: to })} />
        ${CHIPS.filter((name) => query.value[name]).map(
            (name) =>
                html`<button type="button" class="chip tl-chip" aria-pressed="true" title="Remove the filter"
                    onClick=${() => change({ [name]: null })}>
                    <span class="clip">
                    ${name}: ${query.value[name].split(",").join(", ")}</span> <span
                        aria-hidden="true">✕</span>
                </button>`,
        )}
        <span class="tl-modes">
            <button type="button" class="chip" aria-pressed=${isGrouped ? "true" : "false"}
                onClick=${() => change({ group: isGrouped ? null : "queue", in: null, open: null })}>
                By queue
            </button>
            <button type="button" class="chip" aria-pressed=${isTable ? "true" : "false"}
                onClick=${() => change({ table: isTable ? null : 1 })}>
                As a table
            </button>
        </span>
    </div>`;
}

/** @param {any} one */
const labelName = ({ name, value }) => `${name}=${value}`;

/**
 * A filter with the values that exist.
 * @param {{label: string, value?: string, options: string[], onChoose: (to: string | null) => void}} props
 */
function Choice({ label, value, options, onChoose }) {
    if (options.length === 0 && !value) return null;
    const all = value && !options.includes(value) ? [value, ...options] : options;
    return html`<select aria-label=${label} value=${value ?? ""}
        onChange=${(/** @type {any} */ event) => onChoose(event.target.value || null)}>
        <option value="">${label}: all</option>
        ${all.map((one) => html`<option value=${one}>${one}</option>`)}
    </select>`;
}

/** @type {Array<[string, string, string]>} */
const LEGEND = [
    ["planned", "planned", "planned"],
    ["withheld", "planned", "paused"],
    ["skipped", "skip", "skipped"],
    ["missed", "miss", "missed"],
    ["dropped", "miss", "dropped"],
    ["cancelled", "off", "cancelled slot"],
    ["backfill", "ok", "backfill"],
];

function Legend() {
    return html`<ul class="chart-legend tl-legend" aria-label="Legend">
        <li><svg width="18" height="16" aria-hidden="true">
        <rect class="tl-fill-ok" x="1" y="3" width="16" height="10" rx="2.5" /></svg>succeeded</li>
        <li><svg width="18" height="16" aria-hidden="true">
        <rect class="tl-fill-bad" x="1" width="16" height="16" rx="2.5" />
        <path class="heat-sign" d="M6 5.5l5 5m0 -5l-5 5" /></svg>failed</li>
        <li><svg width="18" height="16" aria-hidden="true">
        <path class="tl-fill-run" d="M1 3h10v-2l6 7l-6 7v-2h-10z" /></svg>running</li>
        <li><svg width="18" height="16" aria-hidden="true">
        <rect class="tl-line-wait" x="1.5" y="3" width="15" height="10" rx="2.5" /></svg>waits</li>
        <li><svg width="18" height="16" aria-hidden="true"><path class="tl-fill-late" d="M5 2h8l-4 5z" />
        <path class="tl-line-late" d="M1 11H17M1 8V14" /></svg>late</li>
        ${LEGEND.map(
            ([name, tone, text]) =>
                html`<li><svg width="16" height="16" viewBox="-8 -8 16 16" aria-hidden="true">
                <path class="tl-shape tl-line-${tone}" d=${SHAPES[name]} /></svg>${text}</li>`,
        )}
    </ul>`;
}

/** What is shown of how many. @param {{rows: any, total: number | null | undefined, count: number}} props */
function Extent({ rows, total, count }) {
    const of = total === null || total === undefined ? "" : ` of ${number(total)}`;
    const isFull = rows.cursor && count >= ROWS_MAX;
    return html`<div class="tl-extent">
        <p class="muted small num" role="status">
            ${rows.cursor || query.value.cursor ? `${number(count)}${of} schedules shown`
                : plural(count, "schedule")}${rows.cursor && !isFull ? "; more are loaded as you scroll" : ""}
        </p>
        ${isFull
            ? html`<button type="button" class="small" onClick=${() => setQuery({ cursor: rows.cursor })}>Show
                the next ${number(ROWS_MAX)}</button>` : null}
        ${query.value.cursor
            ? html`<button type="button" class="small" onClick=${() => setQuery({ cursor: null })}>Show the
                first</button>` : null}
        ${rows.cut ? html`<p class="note">${rows.cut}</p>` : null}
    </div>`;
}

/** The zone of the axis: that of the schedules, if all have the same. @param {any[]} rows */
function axisZone(rows) {
    if (zoneChoice.value !== "schedule") return zoneName();
    const first = rows.find((row) => row.timezone)?.timezone;
    return first && rows.every((row) => !row.timezone || row.timezone === first) ? first : "UTC";
}

/** @param {Record<string, string>} values */
function filtersOf(values) {
    return Object.fromEntries(FILTERS.filter((name) => values[name]).map((name) => [name, values[name]]));
}

/** How many schedules match, and the values of filters that exist. @param {Record<string, string>} filters */
function useFacets(filters) {
    const { schedule, ...others } = filters;
    const facets = useResource(
        `timeline facets ${namespace()} ${JSON.stringify(others)}`,
        (abort) => get("/api/v1/schedules", { ...others, limit: 1, fields: "enabled", facets: true }, abort),
        { keep: true, refreshOn: (event) => /^schedule\.(created|deleted)$/.test(event.type), pause: 5000 },
    );
    return { facets: facets.data?.facets, total: schedule ? null : facets.data?.total };
}

/** The place that the address names: what is explained. */
function chosenPlace() {
    const { open, at } = query.value;
    const instant = ms(at ?? "");
    return open !== undefined && !Number.isNaN(instant) ? { id: open, at: instant } : null;
}

/** @param {any} row @param {number} at @param {string} step */
function bucketAt(row, at, step) {
    const size = durationMs(row?.step ?? step);
    return row?.buckets?.find((/** @type {any} */ one) => at >= ms(one.at) && at < ms(one.at) + size) ?? null;
}

export function Timeline() {
    const view = useView();
    const values = query.value;
    const filters = filtersOf(values);
    const isGrouped = values.group === "queue";
    const isTable = values.table === "1";
    const openQueue = isGrouped ? values.in : undefined;
    const frame = { from: new Date(view.from).toISOString(), to: new Date(view.to).toISOString() };
    const seen = useRef(() => /** @type {string[]} */ ([]));
    const inside = openQueue && queueOf(openQueue) !== null ? { queue: queueOf(openQueue) } : {};
    const settled = useSettled(frame);
    const wanted =
        isGrouped && openQueue === undefined
            ? null
            : { ...settled, ...filters, ...inside, cursor: values.cursor };
    const rows = useRows(wanted, () => seen.current());
    const groups = useGroups(isGrouped ? { ...settled, ...filters } : null);
    const { facets, total } = useFacets(filters);
    const grouped = useGrouped(groups.rows, openQueue, openQueue === undefined ? NONE : rows.rows);
    const shown = isGrouped ? grouped : rows.rows;
    const step = isGrouped ? groups.step : rows.step;
    const zone = axisZone(shown);
    const zoneOf = (/** @type {any} */ row) => (row?.timezone ? zoneName(row.timezone) : zone);
    const place = chosenPlace();
    const picked = useRef(/** @type {any} */ (null));
    const [queuePlace, setQueuePlace] = useState(/** @type {any} */ (null));
    const pick = (/** @type {any} */ row, /** @type {number} */ at, /** @type {any} */ item) => {
        if (row.isGroup) return setQueuePlace({ row, at });
        picked.current = item ? { id: row.id, at, item } : null;
        setQueuePlace(null);
        return setQuery({ open: row.id, at: new Date(at).toISOString() });
    };
    const close = () => {
        setQueuePlace(null);
        setQuery({ open: null, at: null });
        /** @type {any} */ (document.querySelector(".tl-plot"))?.focus({ preventScroll: true });
    };
    const shortcuts = useRef(view);
    shortcuts.current = view;
    useShortcuts([
        { keys: "+", text: "Timeline: zoom in", run: () => shortcuts.current.zoom(-1) },
        { keys: "-", text: "Timeline: zoom out", run: () => shortcuts.current.zoom(1) },
        { keys: "n", text: "Timeline: follow the time", run: () => shortcuts.current.home() },
        { keys: "ArrowLeft", text: "Timeline: earlier", run: () => shortcuts.current.pan(-0.25) },
        { keys: "ArrowRight", text: "Timeline: later", run: () => shortcuts.current.pan(0.25) },
    ]);
    const error = isGrouped ? (groups.error ?? rows.error) : rows.error;
    const isEmpty = shown.length === 0 && !error && (isGrouped ? groups.data !== undefined : !rows.isOld);
    const common = { rows: shown, step, zoneOf, onPick: pick, onNearEnd: rows.loadMore };
    return html`
        <${Head} title="Timeline" />
        <${Toolbar} view=${view} zone=${zone} />
        <${Filters} facets=${facets} isGrouped=${isGrouped} isTable=${isTable} />
        ${error ? html`<${Problem} error=${error} />` : null}
        <section class="card flush tl-card ${rows.isOld ? "tl-old" : ""}" aria-label="Slots and runs">
            ${
                isEmpty
                    ? html`<${Nothing} filters=${filters} />`
                    : isTable
                      ? html`<${TimelineTable} ...${common}
                          onVisible=${(/** @type {() => string[]} */ ids) => (seen.current = ids)} />`
                      : html`
                <${Legend} />
                <${TimelineGrid}
                    ...${common}
                    view=${view}
                    zone=${zone}
                    chosen=${place}
                    onSeen=${(/** @type {string[]} */ ids) => {
                        seen.current = () => ids;
                        rows.onSeen();
                    }}
                    onGroup=${(/** @type {any} */ row) => !row.isFixed
                        && setQuery({ in: row.isOpen ? null : row.open })}
                />`
            }
        </section>
        ${isGrouped ? (groups.cut ? html`<p class="note">${groups.cut}</p>` : null) : isEmpty ? null
            : html`<${Extent} rows=${rows} total=${total} count=${rows.rows.length} />`}
        ${place
            ? html`<${Explained} place=${place} rows=${shown} step=${step} picked=${picked.current}
                view=${view} onClose=${close} />` : null}
        ${queuePlace
            ? html`<${QueuePanel} row=${queuePlace.row} at=${queuePlace.at}
                bucket=${bucketAt(queuePlace.row, queuePlace.at, step)} zone=${zone} onClose=${close}
                    show=${() => setQuery({ group: null, in: null, queue: queuePlace.row.queue })} />` : null}
    `;
}

/** @type {any[]} */
const NONE = [];

/**
 * The window that is loaded: it stays while a drag or a wheel moves the shown one.
 * @param {{from: string, to: string}} frame
 */
function useSettled(frame) {
    const [settled, setSettled] = useState(frame);
    const key = `${frame.from} ${frame.to}`;
    useEffect(() => {
        const timer = setTimeout(
            () => setSettled(frame),
            settled.from === frame.from && settled.to === frame.to ? 0 : 120,
        );
        return () => clearTimeout(timer);
    }, [key]);
    return settled;
}

/**
 * @param {{place: {id: string, at: number}, rows: any[], step: string, picked: any, view: any, onClose: ()
 *     => void}} props
 */
function Explained({ place, rows, step, picked, view, onClose }) {
    const row = rows.find((one) => one.id === place.id);
    const isPicked = picked && picked.id === place.id && picked.at === place.at;
    const item = isPicked ? picked.item : null;
    const bucket = item?.bucket ?? (row?.buckets ? bucketAt(row, place.at, step) : null);
    const entry =
        item?.entry ?? row?.slots?.find((/** @type {any} */ one) => ms(one.slot) === place.at) ?? null;
    const size = durationMs(row?.step ?? step);
    return html`<${ExplainPanel}
        schedule=${place.id}
        at=${place.at}
        bucket=${bucket}
        entry=${entry}
        onClose=${onClose}
        move=${(/** @type {number} */ at) => setQuery({ at: new Date(at).toISOString() })}
        zoomIn=${bucket && size > 1000 ? () => view.set(ms(bucket.at) - size, ms(bucket.at) + 2 * size)
            : null}
    />`;
}

/** @param {{filters: Record<string, string>}} props */
function Nothing({ filters }) {
    if (Object.keys(filters).length > 0)
        return html`<${Empty} title="No schedule matches these filters">
            <button type="button"
                onClick=${() => setQuery(Object.fromEntries(FILTERS.map((name) => [name, null])))}>Remove the
                    filters</button>
        <//>`;
    return html`<${Empty} title="No schedules yet">
        <p>The timeline shows the slots of schedules: what ran, what runs and what will run.</p>
        <p><${Link} class="button primary" to=${["new"]}>Create a schedule<//></p>
    <//>`;
}
