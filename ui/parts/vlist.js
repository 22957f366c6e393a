/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A long table of rows of one height: only the rows that can be seen are in the document.  The
 * page itself scrolls, so that the browser's search, scroll bar and keys work as usual.
 */
import { html, useEffect, useRef, useState } from "../lib/html.js";

const MARGIN = 8; /* rows above and below what can be seen */

/**
 * @param {{count: number, height: number, row: (index: number) => any, onNearEnd?: () => void,
 *     label: string, head?: any, class?: string}} props
 * `row` returns a component with class "vrow" and role "row"; `onNearEnd` is called when the last
 * rows come into view, to load more.
 */
export function VirtualList({ count, height, row, onNearEnd, label, head, class: name = "" }) {
    const ref = useRef(/** @type {HTMLDivElement | null} */ (null));
    const [range, setRange] = useState({ first: 0, last: 40 });
    const nearEnd = useRef(onNearEnd);
    nearEnd.current = onNearEnd;

    useEffect(() => {
        let frame = 0;
        const measure = () => {
            frame = 0;
            if (!ref.current) return;
            const top = ref.current.getBoundingClientRect().top;
            const first = Math.max(0, Math.floor(-top / height) - MARGIN);
            const last = Math.min(count, Math.ceil((innerHeight - top) / height) + MARGIN);
            setRange((old) => (old.first === first && old.last === last ? old : { first, last }));
            if (last >= count) nearEnd.current?.();
        };
        const soon = () => {
            if (!frame) frame = requestAnimationFrame(measure);
        };
        measure();
        addEventListener("scroll", soon, { passive: true });
        addEventListener("resize", soon);
        return () => {
            cancelAnimationFrame(frame);
            removeEventListener("scroll", soon);
            removeEventListener("resize", soon);
        };
    }, [count, height]);

    const rows = [];
    for (let i = range.first; i < Math.min(range.last, count); i++) rows.push(row(i));
    return html`<div class="vlist ${name}" role="table" aria-label=${label} aria-rowcount=${count}>
        ${head}
        <div ref=${ref} role="rowgroup" style=${{ height: `${count * height}px`, position: "relative" }}>
            <div role="presentation" style=${{ transform: `translateY(${range.first * height}px)` }}>${rows}</div>
        </div>
    </div>`;
}
