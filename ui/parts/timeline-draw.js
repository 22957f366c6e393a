/* SPDX-License-Identifier: Apache-2.0 */
/* Draws rows of the timeline on a canvas.  Each outcome has a shape besides its colour. */
import { bucketParts, itemsOf } from "./timeline-items.js";

export const ROW = 30; /* height of a row, in CSS pixels */
const BAR = 12;
const TOP = (ROW - BAR) / 2;

/** Shapes around (0, 0), for the canvas and for the legend. @type {Record<string, string>} */
export const SHAPES = {
    planned: "M0 -6V6",
    withheld: "M0 -6V-2.5M0 2.5V6",
    backfill: "M-3.5 -3.5H3.5V3.5H-3.5ZM-5 7H5",
    skipped: "M0 -5.5L5.5 0L0 5.5L-5.5 0Z",
    missed: "M0 -6L6 5H-6Z",
    dropped: "M0 6L6 -5H-6Z",
    cancelled: "M-5 0A5 5 0 1 0 5 0A5 5 0 1 0 -5 0M-3.5 3.5L3.5 -3.5",
    started: "M-3 0A3 3 0 1 0 3 0A3 3 0 1 0 -3 0",
};

const TONES = ["ok", "bad", "late", "miss", "skip", "run", "wait", "off", "planned"];
const OTHERS = ["line", "line-strong", "text", "faint", "accent", "surface", "focus"];

/** The colours of the theme, resolved. @returns {Record<string, string>} */
export function readColours() {
    const probe = document.createElement("span");
    document.body.append(probe);
    /** @type {Record<string, string>} */
    const colours = {};
    for (const name of [...TONES, ...OTHERS]) {
        probe.style.color = `var(--${name})`;
        colours[name] = getComputedStyle(probe).color;
    }
    for (const name of TONES) {
        probe.style.color = `color-mix(in srgb, var(--${name}) ${name === "ok" ? 48 : 22}%, var(--surface))`;
        colours[`${name}-soft`] = getComputedStyle(probe).color;
    }
    probe.remove();
    return colours;
}

/** @type {Map<string, Path2D>} */
const paths = new Map();

/** @param {string} name */
function shape(name) {
    let found = paths.get(name);
    if (!found) paths.set(name, (found = new Path2D(SHAPES[name])));
    return found;
}

/**
 * @typedef {{rows: any[], step: string, from: number, to: number, width: number, now: number,
 *     colours: Record<string, string>, lines: Array<{at: number, isDay: boolean}>,
 *     changes: Array<{at: number}>, cursor: {row: number, at: number} | null,
 *     chosen: {row: number, at: number} | null}} Scene
 */

/** @param {CanvasRenderingContext2D} context @param {Scene} scene */
export function draw(context, scene) {
    const { rows, from, to, width } = scene;
    const x = (/** @type {number} */ at) => ((at - from) / (to - from)) * width;
    const height = rows.length * ROW;
    context.clearRect(0, 0, width, height);
    drawGrid(context, scene, x, height);
    rows.forEach((row, i) => {
        context.save();
        context.translate(0, i * ROW);
        drawRow(context, row, scene, x);
        context.restore();
    });
    drawNow(context, scene, x, height);
    drawCursor(context, scene, x);
}

/** @typedef {(at: number) => number} X */

/** @param {CanvasRenderingContext2D} c @param {Scene} scene @param {X} x @param {number} height */
function drawGrid(c, { rows, colours, lines, changes, width }, x, height) {
    for (const line of lines) {
        c.fillStyle = line.isDay ? colours["line-strong"] : colours.line;
        c.globalAlpha = line.isDay ? 0.55 : 1;
        c.fillRect(Math.round(x(line.at)), 0, 1, height);
    }
    c.globalAlpha = 1;
    c.fillStyle = colours.line;
    rows.forEach((row, i) => c.fillRect(0, (i + 1) * ROW - 1, width, 1));
    c.strokeStyle = colours.late;
    c.setLineDash([2, 3]);
    for (const change of changes) {
        c.beginPath();
        c.moveTo(Math.round(x(change.at)) + 0.5, 0);
        c.lineTo(Math.round(x(change.at)) + 0.5, height);
        c.stroke();
    }
    c.setLineDash([]);
}

/** @param {CanvasRenderingContext2D} c @param {Scene} scene @param {X} x @param {number} height */
function drawNow(c, { colours, now, width }, x, height) {
    const at = x(now);
    if (at < 0 || at > width) return;
    c.fillStyle = colours.accent;
    c.fillRect(Math.round(at) - 1, 0, 2, height);
}

/** @param {CanvasRenderingContext2D} c @param {Scene} scene @param {X} x */
function drawCursor(c, { colours, cursor, chosen, width, from, to }, x) {
    for (const [mark, colour] of /** @type {const} */ ([
        [chosen, "text"],
        [cursor, "focus"],
    ])) {
        if (!mark || mark.at < from || mark.at > to) continue;
        c.strokeStyle = colours[colour];
        c.lineWidth = 2;
        c.strokeRect(
            Math.round(Math.max(8, Math.min(width - 8, x(mark.at)))) - 8,
            mark.row * ROW + 2,
            16,
            ROW - 4,
        );
    }
}

/** @param {CanvasRenderingContext2D} c @param {any} row @param {Scene} scene @param {X} x */
function drawRow(c, row, scene, x) {
    const { items, series, most } = itemsOf(row, scene.step);
    for (const one of series) drawSeries(c, one, scene, x);
    for (const item of items) {
        if (item.at > scene.to || item.end < scene.from) continue;
        if (item.kind === "bucket") drawBucket(c, item, most, scene, x);
        else if (item.kind === "run") drawRun(c, item, scene, x);
        else if (item.kind === "range") drawRange(c, item, scene, x);
        else drawSign(c, item, x(item.at), scene);
    }
}

/**
 * Ticks, or a band if they would touch.
 * @param {CanvasRenderingContext2D} c @param {import("./timeline-items.js").Series} one @param {Scene} scene
 * @param {X} x
 */
function drawSeries(c, one, { from, to, colours }, x) {
    const last = one.first + (one.count - 1) * one.step;
    c.fillStyle = colours.planned;
    if (x(one.first + one.step) - x(one.first) < 4) {
        const left = x(Math.max(from, one.first));
        const right = x(Math.min(to, last));
        c.globalAlpha = one.isHeld ? 0.2 : 0.4;
        for (let at = left; at < right; at += 4)
            c.fillRect(at, ROW / 2 - (one.isHeld ? 1 : 3), 1.5, one.isHeld ? 2 : 6);
        c.globalAlpha = 1;
        return;
    }
    const begin = Math.max(0, Math.floor((from - one.first) / one.step));
    for (let i = begin; i < one.count; i++) {
        const at = x(one.first + i * one.step);
        if (at > x(to)) return;
        if (one.isHeld) {
            c.fillRect(at - 0.75, ROW / 2 - 5, 1.5, 3);
            c.fillRect(at - 0.75, ROW / 2 + 2, 1.5, 3);
        } else {
            c.fillRect(at - 0.75, ROW / 2 - 5, 1.5, 10);
        }
    }
}

/**
 * @param {CanvasRenderingContext2D} c @param {import("./timeline-items.js").Item} item @param {number} most
 * @param {Scene} scene @param {X} x
 */
function drawBucket(c, item, most, { colours }, x) {
    const left = x(item.at);
    const width = Math.max(1.5, x(item.end) - left - 1);
    const full = ROW - 6;
    let bottom = ROW - 3;
    const parts = bucketParts(item.bucket);
    const total = parts.reduce((sum, [, , count]) => sum + count, 0);
    const tall = Math.max(4, Math.sqrt(total / most) * full);
    for (const [name, tone, count] of [...parts].reverse()) {
        const isBad = tone !== "ok" && tone !== "planned";
        const height = Math.max(isBad ? 3 : 1, (count / total) * tall);
        c.fillStyle = tone === "ok" || tone === "planned" ? colours[`${tone}-soft`] : colours[tone];
        c.fillRect(left, bottom - height, width, height);
        bottom -= height;
    }
    if (item.bucket.late > 0) drawLateMark(c, left + width / 2, colours.late);
}

/** @param {CanvasRenderingContext2D} c @param {number} at @param {string} colour */
function drawLateMark(c, at, colour) {
    c.fillStyle = colour;
    c.beginPath();
    c.moveTo(at - 4, 1);
    c.lineTo(at + 4, 1);
    c.lineTo(at, 6);
    c.fill();
}

/**
 * @param {CanvasRenderingContext2D} c @param {import("./timeline-items.js").Item} item @param {Scene} scene
 * @param {X} x
 */
function drawRun(c, item, { colours, now }, x) {
    const slot = x(item.at);
    const isFailed = item.tone === "bad";
    const start = item.start === undefined ? null : x(item.start);
    const left = start ?? slot;
    const right = Math.max(left + 4, x(item.isOpen ? now : item.end));
    if (item.entry.kind === "backfill") drawBackfill(c, slot, colours[item.tone]);
    else if (left - slot > 3) {
        c.fillStyle = item.isLate ? colours.late : colours["line-strong"];
        c.fillRect(slot, TOP + 1, 1.5, BAR - 2);
        c.fillRect(slot, ROW / 2 - 0.75, left - slot, 1.5);
    }
    const top = isFailed ? TOP - 3 : TOP;
    const height = isFailed ? BAR + 6 : BAR;
    c.beginPath();
    c.roundRect(left, top, right - left, height, 2.5);
    if (start === null) {
        c.fillStyle = colours["wait-soft"];
        c.fill();
        c.strokeStyle = colours.wait;
        c.lineWidth = 1.5;
        c.stroke();
    } else if (item.name === "cancelled" || item.name === "terminated") {
        c.fillStyle = colours["off-soft"];
        c.fill();
        c.strokeStyle = colours.off;
        c.lineWidth = 1.5;
        c.stroke();
    } else {
        c.fillStyle = colours[item.tone] ?? colours.off;
        c.fill();
    }
    if (isFailed && right - left >= 10) drawCross(c, left + 6, ROW / 2, colours.surface);
    if (item.isOpen && start !== null) drawArrow(c, right, colours.run);
    if (item.isLate) drawLateMark(c, left + 3, colours.late);
    drawKind(c, item, left, right, colours);
}

/**
 * A backfill belongs to a slot long before it: it is shown there, too.
 * @param {CanvasRenderingContext2D} c @param {number} at @param {string} colour
 */
function drawBackfill(c, at, colour) {
    c.save();
    c.translate(at, ROW / 2);
    c.fillStyle = colour;
    c.strokeStyle = colour;
    c.lineWidth = 1.5;
    c.fill(shape("backfill"));
    c.stroke(shape("backfill"));
    c.restore();
}

/**
 * Triggers have a dot, backfills a line below.
 * @param {CanvasRenderingContext2D} c @param {any} item @param {number} left @param {number} right
 * @param {Record<string, string>} colours
 */
function drawKind(c, item, left, right, colours) {
    c.fillStyle = colours.text;
    if (item.entry.kind === "backfill") c.fillRect(left, ROW - 5, Math.max(6, right - left), 2);
    if (item.entry.kind !== "trigger") return;
    c.beginPath();
    c.arc(left + 3, ROW - 4, 2, 0, 7);
    c.fill();
}

/** @param {CanvasRenderingContext2D} c @param {number} x @param {number} y @param {string} colour */
function drawCross(c, x, y, colour) {
    c.strokeStyle = colour;
    c.lineWidth = 1.6;
    c.beginPath();
    c.moveTo(x - 2.5, y - 2.5);
    c.lineTo(x + 2.5, y + 2.5);
    c.moveTo(x + 2.5, y - 2.5);
    c.lineTo(x - 2.5, y + 2.5);
    c.stroke();
}

/** @param {CanvasRenderingContext2D} c @param {number} x @param {string} colour */
function drawArrow(c, x, colour) {
    c.fillStyle = colour;
    c.beginPath();
    c.moveTo(x - 1, TOP - 2);
    c.lineTo(x + 6, ROW / 2);
    c.lineTo(x - 1, TOP + BAR + 2);
    c.fill();
}

/**
 * @param {CanvasRenderingContext2D} c @param {import("./timeline-items.js").Item} item @param {number} at
 * @param {Scene} scene
 */
function drawSign(c, item, at, { colours }) {
    const name = SHAPES[item.name] ? item.name : "started";
    const isOutline = name === "planned" || name === "withheld" || name === "cancelled";
    c.save();
    c.translate(at, ROW / 2);
    c.strokeStyle = colours[item.tone];
    c.lineWidth = 1.75;
    if (!isOutline) {
        c.fillStyle = name === "skipped" ? colours["skip-soft"] : colours[item.tone];
        c.fill(shape(name));
    }
    c.stroke(shape(name));
    c.restore();
}

/**
 * @param {CanvasRenderingContext2D} c @param {import("./timeline-items.js").Item} item @param {Scene} scene
 * @param {X} x
 */
function drawRange(c, item, scene, x) {
    const left = Math.max(-10, x(item.at));
    const right = Math.min(scene.width + 10, Math.max(left + 12, x(item.end)));
    c.fillStyle = scene.colours[`${item.tone}-soft`];
    c.strokeStyle = scene.colours[item.tone];
    c.lineWidth = 1;
    c.beginPath();
    c.roundRect(left, TOP, right - left, BAR, 2.5);
    c.fill();
    c.stroke();
    drawSign(c, item, (left + right) / 2, scene);
}
