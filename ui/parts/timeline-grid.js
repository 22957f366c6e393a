/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of the timeline: names as links, and a canvas for the rows that can be seen.  The page
 * itself scrolls.  The canvas has a cursor that arrow keys move, whose place is spoken.
 */
import { html, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../lib/html.js";
import { fullTime, now } from "../lib/time.js";
import { Link } from "./basic.js";
import { useWidth } from "./chart.js";
import { changesBetween, changeText, HOUR, MINUTE, SECOND, ticks } from "./timeline-axis.js";
import { draw, readColours, ROW } from "./timeline-draw.js";
import { itemAt, itemsOf, itemText, nearestOfSeries, neighbour } from "./timeline-items.js";

const CHUNK = 12; /* rows come and go this many at a time, with as many above and below */
const KEYS =
    "Arrow keys move between slots and rows, Enter explains, plus and minus zoom, " +
    "shift with an arrow key moves the window.";
const NEAR = 6; /* pixels within which the pointer finds an item */
const DRAG = 4; /* pixels from which on a press is a movement */

/** The rows that can be seen. @param {{current: HTMLElement | null}} ref @param {number} count */
function useRange(ref, count) {
    const [range, setRange] = useState({ first: 0, last: Math.min(count, 40) });
    useLayoutEffect(() => {
        let frame = 0;
        const measure = () => {
            frame = 0;
            if (!ref.current) return;
            const { top } = ref.current.getBoundingClientRect();
            const above = Math.floor(-top / ROW / CHUNK - 1) * CHUNK;
            const below = Math.ceil((innerHeight - top) / ROW / CHUNK + 1) * CHUNK;
            const first = Math.max(0, Math.min(Math.floor((count - 1) / CHUNK) * CHUNK, above));
            const last = Math.max(first, Math.min(count, below));
            setRange((old) => (old.first === first && old.last === last ? old : { first, last }));
        };
        const soon = () => {
            frame ||= requestAnimationFrame(measure);
        };
        measure();
        addEventListener("scroll", soon, { passive: true });
        addEventListener("resize", soon);
        return () => {
            cancelAnimationFrame(frame);
            removeEventListener("scroll", soon);
            removeEventListener("resize", soon);
        };
    }, [count]);
    return range;
}

/** The colours of the canvas; they change with the theme. */
function useColours() {
    const [colours, setColours] = useState(readColours);
    useEffect(() => {
        const read = () => setColours(readColours());
        const media = matchMedia("(prefers-color-scheme: dark)");
        const observer = new MutationObserver(read);
        observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
        media.addEventListener("change", read);
        return () => {
            observer.disconnect();
            media.removeEventListener("change", read);
        };
    }, []);
    return colours;
}

/**
 * "Sun 03-28 (23 h)"
 * @param {import("./timeline-axis.js").Tick} mark @param {Array<{at: number, by: number}>} changes
 */
function tickText(mark, changes) {
    const change = mark.isDay && changes.find(({ at }) => at >= mark.at && at < mark.at + 24 * HOUR);
    return change ? `${mark.text} (${24 - change.by / HOUR} h)` : mark.text;
}

/** @param {{from: number, to: number, width: number, marks: any[], changes: any[]}} props */
function Axis({ from, to, width, marks, changes }) {
    const x = (/** @type {number} */ at) => ((at - from) / (to - from)) * width;
    const at = x(now.value);
    return html`<svg class="tl-axis" width=${width} height="34" aria-hidden="true">
        ${marks.map(
            (mark) =>
                html`<text
                    class="chart-text ${mark.isDay ? "tl-day" : ""}"
                    x=${Math.min(width - 4, Math.max(4, x(mark.at)))}
                    y="22"
                    text-anchor=${x(mark.at) < 34 ? "start" : x(mark.at) > width - 34 ? "end" : "middle"}
                >
                    ${tickText(mark, changes)}
                </text>`,
        )}
        ${changes.map(
            (change) =>
                html`<text class="tl-change" x=${Math.min(width - 96, Math.max(2, x(change.at) + 3))} y="9">
                ${changeText(change.by)}</text>`,
        )}
        ${at >= 0 && at <= width ? html`<path class="tl-now" d="M${at - 4} 27h8l-4 7z" />` : null}
    </svg>`;
}

/** @param {{row: any, onGroup?: (row: any) => void}} props */
function Name({ row, onGroup }) {
    if (row.isGroup)
        return html`<button type="button" class="plain tl-group"
            aria-expanded=${row.isOpen ? "true" : "false"} onClick=${() => onGroup?.(row)}>
            <span aria-hidden="true">${row.isOpen ? "▾" : "▸"}</span> <span class="clip">${row.name}</span>
        </button>`;
    return html`<span class="tl-name ${row.depth ? "tl-inner" : ""}">
        <${Link} class="clip" to=${["schedule", row.id]}>${row.id}<//>
        ${
            row.status === "paused"
                ? html`<svg width="10" height="10" role="img" aria-label="paused"><title>paused</title>
                <path class="tl-pause" d="M1 0h3v10h-3zM6 0h3v10h-3z" /></svg>`
                : null
        }
        ${row.status === "closed"
            ? html`<span class="faint" title="closed" role="img" aria-label="closed">■</span>` : null}
        ${row.cut
            ? html`<span class="tone-text-late" title=${row.cut} role="img"
                aria-label="Incomplete: ${row.cut}">⚠</span>` : null}
    </span>`;
}

/**
 * The same object for the same row, so that it is not compared again while the page scrolls.
 * @type {WeakMap<object, any>}
 */
const names = new WeakMap();

/** @param {any} row @param {(row: any) => void} onGroup */
function nameOf(row, onGroup) {
    let made = names.get(row);
    if (!made) {
        made = html`<div class="tl-row" key=${row.key ?? row.id}><${Name} row=${row} onGroup=${onGroup} />
        </div>`;
        names.set(row, made);
    }
    return made;
}

/** An instant as exact as the pointer can be. @param {number} at @param {number} perPixel */
function roundTo(at, perPixel) {
    const unit = perPixel > 2 * SECOND ? MINUTE : SECOND;
    return Math.floor(at / unit) * unit;
}

/** @param {any} row @param {string} step @param {number} at @param {number} near @param {string} zone */
function found(row, step, at, near, zone) {
    const prepared = itemsOf(row, step);
    const item = itemAt(prepared, at, near);
    if (item) return { at: item.at, item, text: itemText(item, zone) };
    const planned = nearestOfSeries(prepared.series, at);
    if (planned !== null && Math.abs(planned - at) <= near)
        return {
            at: planned,
            item: null,
            text: `${fullTime(planned, zone)} · planned${prepared.series.some(({ isHeld }) => isHeld)
                ? ", but not while it is paused" : ""}`,
        };
    return null;
}

/**
 * @param {{rows: any[], step: string, view: any, zone: string, chosen: {id: string, at: number} | null,
 *     onPick: (row: any, at: number, item: any) => void, onGroup?: (row: any) => void,
 *     onNearEnd: () => void, onSeen: (ids: string[]) => void, zoneOf: (row: any) => string}} props
 */
export function TimelineGrid(props) {
    const { rows, step, view, zone, chosen, onPick, zoneOf } = props;
    const plot = useRef(/** @type {HTMLDivElement | null} */ (null));
    const canvas = useRef(/** @type {HTMLCanvasElement | null} */ (null));
    const width = useWidth(plot);
    const { first, last } = useRange(plot, rows.length);
    const colours = useColours();
    const [cursor, setCursor] = useState(/** @type {{row: number, at: number} | null} */ (null));
    const [hover, setHover] = useState(/** @type {any} */ (null));
    const [spoken, setSpoken] = useState("");
    const latest = useRef(props);
    latest.current = props;
    const { from, to } = view;
    const clock = now.value;
    const marks = useMemo(
        () => ticks(from, to, zone, Math.max(2, Math.floor(width / 84))),
        [from, to, zone, width],
    );
    const changes = useMemo(() => changesBetween(from, to, zone), [from, to, zone]);
    const shown = rows.slice(first, last);
    const onGroup = useCallback((/** @type {any} */ row) => latest.current.onGroup?.(row), []);

    useLayoutEffect(() => {
        const element = canvas.current;
        if (!element || width === 0) return;
        const began = performance.now();
        const ratio = devicePixelRatio || 1;
        const height = Math.max(1, shown.length) * ROW;
        const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
        if (element.width !== wide) element.width = wide;
        if (element.height !== high) element.height = high;
        element.style.width = `${width}px`;
        element.style.height = `${height}px`;
        const context = /** @type {CanvasRenderingContext2D} */ (element.getContext("2d"));
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        const chosenRow = chosen ? shown.findIndex((row) => row.id === chosen.id) : -1;
        draw(context, {
            rows: shown,
            step,
            from,
            to,
            width,
            now: clock,
            colours,
            lines: marks,
            changes,
            cursor:
                cursor && cursor.row >= first && cursor.row < last
                    ? { row: cursor.row - first, at: cursor.at }
                    : null,
            chosen: chosen && chosenRow >= 0 ? { row: chosenRow, at: chosen.at } : null,
        });
        performance.clearMeasures("timeline-draw");
        performance.measure("timeline-draw", { start: began });
    }, [
        rows,
        first,
        last,
        step,
        from,
        to,
        width,
        colours,
        marks,
        changes,
        cursor,
        chosen?.id,
        chosen?.at,
        clock,
    ]);
    useEffect(() => {
        props.onSeen(shown.filter((row) => !row.isGroup).map((row) => row.id));
        if (last >= rows.length) props.onNearEnd();
    }, [first, last, rows]);
    useWheel(plot, latest);

    const perPixel = width > 0 ? (to - from) / width : 1;
    const pointAt = (/** @type {PointerEvent | MouseEvent} */ event) => {
        const box = /** @type {HTMLElement} */ (plot.current).getBoundingClientRect();
        const at = from + ((event.clientX - box.left) / width) * (to - from);
        return { row: Math.floor((event.clientY - box.top) / ROW), at, x: event.clientX - box.left };
    };
    const pick = (/** @type {number} */ index, /** @type {number} */ at, /** @type {number} */ near) => {
        const row = rows[index];
        if (!row) return;
        const hit = found(row, step, at, near, zone);
        onPick(row, hit ? hit.at : roundTo(at, perPixel), hit?.item ?? null);
    };
    const onHover = (/** @type {PointerEvent} */ event) => {
        const { row, at, x } = pointAt(event);
        const hit = rows[row] && found(rows[row], step, at, NEAR * perPixel, zoneOf(rows[row]));
        const text = hit
            ? hit.text
            : `${fullTime(roundTo(at, perPixel), zoneOf(rows[row]))} · nothing here; a click says why`;
        setHover(rows[row] ? { row, x, text, isHit: Boolean(hit) } : null);
    };
    const drag = useDrag(
        plot,
        latest,
        onHover,
        () => setHover(null),
        (event) => {
            const { row, at } = pointAt(event);
            pick(row, at, NEAR * perPixel);
        },
    );
    const moveTo = (/** @type {number} */ row, /** @type {number} */ at) => {
        const index = Math.max(0, Math.min(rows.length - 1, row));
        setCursor({ row: index, at });
        const of = rows[index];
        if (!of) return;
        const hit = found(of, step, at, perPixel, zoneOf(of));
        setSpoken(`${of.name ?? of.id}: ${hit ? hit.text : `${fullTime(at, zoneOf(of))}, nothing`}`);
        keepInSight(/** @type {HTMLElement} */ (plot.current), index);
    };
    const onKey = (/** @type {KeyboardEvent} */ event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || rows.length === 0) return;
        const inside = (/** @type {number} */ time) => Math.min(to, Math.max(from, time));
        const at = { row: cursor?.row ?? first, at: inside(cursor?.at ?? now.value) };
        if (!keyMove(event, at, rows, step, view, moveTo) && !keyAct(event, at, view, pick, perPixel)) return;
        event.preventDefault();
        event.stopPropagation();
    };

    return html`<div class="tl">
        <div class="tl-head">
            <span class="tl-zone faint small clip" title="Time zone of the axis">${zone}</span>
            ${width > 0
                ? html`<${Axis} from=${from} to=${to} width=${width} marks=${marks} changes=${changes} />`
                    : null}
        </div>
        <div class="tl-body" style=${{ height: `${Math.max(1, rows.length) * ROW}px` }}>
            <div class="tl-names" style=${{ transform: `translateY(${first * ROW}px)` }}>
                ${shown.map((row) => nameOf(row, onGroup))}
            </div>
            <div
                ref=${plot}
                class="tl-plot"
                tabindex="0"
                role="application"
                aria-label="Timeline of ${rows.length} rows. ${KEYS}"
                onFocus=${() => !cursor && !drag.pressed()
                    && setCursor({ row: first, at: Math.min(to, Math.max(from, now.value)) })}
                onKeyDown=${onKey}
                ...${drag.handlers}
            >
                <canvas ref=${canvas} aria-hidden="true"
                    style=${{ transform: `translateY(${first * ROW}px)` }}></canvas>
                ${
                    hover
                        ? html`<div
                          class="chart-tip tl-tip ${hover.isHit ? "" : "faint"}"
                          style=${{ top: `${hover.row * ROW + ROW + 2}px`,
                              ...(hover.x > width / 2 ? { right: `${Math.max(4, width - hover.x)}px` }
                                  : { left: `${Math.max(4, hover.x)}px` }) }}
                          aria-hidden="true"
                      >${hover.text}</div>`
                        : null
                }
            </div>
        </div>
        <p class="hidden" role="status" aria-live="polite">${spoken}</p>
    </div>`;
}

/**
 * Ctrl and wheel zoom; the browser would zoom the page.
 * @param {{current: HTMLElement | null}} plot @param {{current: any}} latest
 */
function useWheel(plot, latest) {
    useEffect(() => {
        const element = /** @type {HTMLElement} */ (plot.current);
        const onWheel = (/** @type {WheelEvent} */ event) => {
            const { view } = latest.current;
            const box = element.getBoundingClientRect();
            if (event.ctrlKey || event.metaKey) {
                event.preventDefault();
                const at = view.from + ((event.clientX - box.left) / box.width) * (view.to - view.from);
                view.zoomBy(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 150), at, true);
            } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
                event.preventDefault();
                view.pan(event.deltaX / box.width);
            }
        };
        element.addEventListener("wheel", onWheel, { passive: false });
        return () => element.removeEventListener("wheel", onWheel);
    }, []);
}

/**
 * Presses that move pan the window, others are clicks.
 * @param {{current: HTMLElement | null}} plot @param {{current: any}} latest
 * @param {(event: PointerEvent) => void} onHover @param {() => void} onLeave
 * @param {(event: PointerEvent) => void} onClick
 */
function useDrag(plot, latest, onHover, onLeave, onClick) {
    const press = useRef(/** @type {{x: number, from: number, to: number, moved: boolean} | null} */ (null));
    const end = () => {
        press.current = null;
    };
    return {
        pressed: () => press.current !== null,
        handlers: {
            onPointerDown: (/** @type {PointerEvent} */ event) => {
                if (event.button !== 0) return;
                const { from, to } = latest.current.view;
                press.current = { x: event.clientX, from, to, moved: false };
                onLeave();
            },
            onPointerMove: (/** @type {PointerEvent} */ event) => {
                const of = press.current;
                if (!of) return onHover(event);
                const by = event.clientX - of.x;
                if (!of.moved && Math.abs(by) < DRAG) return undefined;
                if (!of.moved) plot.current?.setPointerCapture(event.pointerId);
                of.moved = true;
                onLeave();
                const time = (-by / (plot.current?.clientWidth || 1)) * (of.to - of.from);
                return latest.current.view.set(of.from + time, of.to + time, true);
            },
            onPointerUp: (/** @type {PointerEvent} */ event) => {
                if (press.current && !press.current.moved) onClick(event);
                end();
            },
            onPointerCancel: end,
            onPointerLeave: () => !press.current && onLeave(),
        },
    };
}

/** @param {HTMLElement} plot @param {number} row */
function keepInSight(plot, row) {
    const top = plot.getBoundingClientRect().top + row * ROW;
    if (top < 130) scrollBy(0, top - 130);
    else if (top + ROW > innerHeight - 20) scrollBy(0, top + ROW - innerHeight + 20);
}

/**
 * @param {KeyboardEvent} event @param {{row: number, at: number}} at @param {any[]} rows @param {string} step
 * @param {any} view @param {(row: number, at: number) => void} moveTo
 */
function keyMove(event, at, rows, step, view, moveTo) {
    const rowsBy = { ArrowUp: -1, ArrowDown: 1, PageUp: -10, PageDown: 10 }[event.key];
    if (rowsBy) {
        moveTo(at.row + rowsBy, at.at);
        return true;
    }
    const by = { ArrowLeft: /** @type {const} */ (-1), ArrowRight: /** @type {const} */ (1) }[event.key];
    if (by && event.shiftKey) {
        view.pan(by * 0.25);
        return true;
    }
    const edge = { Home: view.from, End: view.to }[event.key];
    if (!by && edge === undefined) return false;
    const of = itemsOf(rows[at.row] ?? rows[0], step);
    const next = by ? neighbour(of, at.at, by) : neighbour(of, edge, event.key === "Home" ? 1 : -1);
    if (next !== null && next >= view.from && next <= view.to) moveTo(at.row, next);
    else if (by) view.pan(by * 0.25);
    return true;
}

/**
 * @param {KeyboardEvent} event @param {{row: number, at: number}} at @param {any} view
 * @param {(row: number, at: number, near: number) => void} pick @param {number} perPixel
 */
function keyAct(event, at, view, pick, perPixel) {
    if (event.key === "Enter" || event.key === " ") pick(at.row, at.at, perPixel);
    else if (event.key === "+" || event.key === "=") view.zoom(-1);
    else if (event.key === "-") view.zoom(1);
    else if (event.key === "n") view.home();
    else return false;
    return true;
}
