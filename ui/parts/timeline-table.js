/* SPDX-License-Identifier: Apache-2.0 */
/* The timeline as a table: the same slots and counts in words. */
import { html, useEffect, useMemo, useRef } from "../lib/html.js";
import { look, number } from "../lib/words.js";
import { Link } from "./basic.js";
import { VirtualList } from "./vlist.js";
import { itemsOf, itemText } from "./timeline-items.js";
import { durationMs, fullTime, ms } from "../lib/time.js";

const HEIGHT = 38;
const SEEN_MAX = 100; /* schedules that are kept current */

/** @param {any} row @param {string} step */
function linesOf(row, step) {
    const lines = itemsOf(row, step).items.map((item) => ({ row, at: item.at, item, planned: null }));
    for (const planned of row.planned ?? [])
        lines.push({ row, at: ms(planned.first), item: /** @type {any} */ (null), planned });
    return lines;
}

/** @param {any} planned @param {string} zone */
function seriesText({ first, step, count, reason }, zone) {
    const held = reason ? `, but not while ${reason}` : "";
    if (count === 1) return `${fullTime(first, zone)} · planned${held}`;
    const last = ms(first) + (count - 1) * (durationMs(step) || 0);
    return `${fullTime(first, zone)} – ${fullTime(last,
        zone)} · ${number(count)} slots planned, one every ${step}${held}`;
}

/**
 * @param {{rows: any[], step: string, zoneOf: (row: any) => string, onNearEnd: () => void,
 *     onPick: (row: any, at: number, item: any) => void,
 *     onVisible: (ids: () => string[]) => void}} props
 */
export function TimelineTable({ rows, step, zoneOf, onNearEnd, onPick, onVisible }) {
    const seen = useRef(/** @type {Set<string>} */ (new Set()));
    /* In the order in which rows came into view, so that the last rows are known. */
    const see = (/** @type {string} */ id) => {
        seen.current.delete(id);
        seen.current.add(id);
    };
    useEffect(() => onVisible(() => [...seen.current].slice(-SEEN_MAX)), []);
    const lines = useMemo(() => rows.flatMap((row) => linesOf(row, step)), [rows, step]);
    return html`<${VirtualList}
        class="tl-table"
        label="Slots in this window"
        count=${lines.length}
        height=${HEIGHT}
        onNearEnd=${onNearEnd}
        head=${html`<div class="vrow vhead tl-line" role="row">
            <span role="columnheader">Schedule</span>
            <span role="columnheader">Outcome</span>
            <span role="columnheader">When and what</span>
            <span role="columnheader"><span class="hidden">Actions</span></span>
        </div>`}
        row=${(/** @type {number} */ i) => {
            const { row, item, planned, at } = lines[i];
            const name = item ? item.name : "planned";
            const { sign, tone, word } = look(name);
            const zone = zoneOf(row);
            if (!row.isGroup) see(row.id);
            return html`<div class="vrow tl-line" role="row" key=${i} aria-rowindex=${i + 1}
                style=${{ height: `${HEIGHT}px` }}>
                <span role="cell" class="clip">
                ${row.isGroup ? row.name : html`<${Link} to=${["schedule", row.id]}>${row.id}<//>`}</span>
                <span role="cell" class="clip tone-text-${tone}"><span aria-hidden="true">
                ${sign}</span> ${item?.bucket ? "several" : word}</span>
                <span role="cell" class="clip num">
                ${item ? itemText(item, zone) : seriesText(planned, zone)}</span>
                <span role="cell" class="right">
                <button type="button" class="small" onClick=${() => onPick(row, at, item)}>Explain</button>
                </span>
            </div>`;
        }}
    />`;
}
