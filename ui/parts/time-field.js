/* SPDX-License-Identifier: Apache-2.0 */
/* Local times that people type, as instants. */
import { civil } from "../lib/time.js";

/**
 * The instant of a local time "2026-11-19T02:30" in a zone; the later one of two, and the time
 * after the gap if a clock change skips it.  Null if the text is none.
 * @param {string} text @param {string} zone @returns {number | null}
 */
export function instantOf(text, zone) {
    const wanted = Date.parse(`${text}Z`);
    if (Number.isNaN(wanted)) return null;
    let at = wanted;
    for (let i = 0; i < 3; i++) {
        const c = civil(at, zone);
        const shown = Date.UTC(c.year, c.month - 1, c.day, c.hour, c.minute, c.second);
        if (shown === wanted) break;
        at += wanted - shown;
    }
    return at;
}
