/* SPDX-License-Identifier: Apache-2.0 */
/* Which row of the log shows which line, where long lines take several rows. */

/* Characters that take two columns: East Asian scripts and pictures. */
const WIDE =
    /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f000}-\u{1faff}]|[\u{20000}-\u{3fffd}]/u;
const ASCII = /^[\u0020-\u007e]*$/;

/** Cuts a text into pieces of so many columns. @param {string} text @param {number} columns */
export function slices(text, columns) {
    if (text.length <= columns && ASCII.test(text)) return [text];
    const pieces = [];
    let piece = "";
    let width = 0;
    for (const char of text) {
        const size = char === "\t" ? 8 - (width % 8) : WIDE.test(char) ? 2 : 1;
        if (width + size > columns && piece) {
            pieces.push(piece);
            piece = "";
            width = 0;
        }
        piece += char;
        width += size;
    }
    pieces.push(piece);
    return pieces;
}

/** The number of rows of a line. @param {string} text @param {number} columns */
export function rowCount(text, columns) {
    if (ASCII.test(text)) return Math.max(1, Math.ceil(text.length / columns));
    return slices(text, columns).length;
}

/** Maps rows to lines; grows with the log, so that adding lines costs only these lines. */
export function rowMap() {
    /** @type {number[]} */
    let firsts = []; /* the first row of each line, only while lines are wrapped */
    let columns = -1;
    let of = /** @type {any[] | null} */ (null);
    const map = {
        total: 0,
        /** @param {any[]} lines @param {number} width columns, or 0: a row per line */
        update(lines, width) {
            if (width !== columns || lines !== of || firsts.length > lines.length) {
                firsts = [];
                columns = width;
                of = lines;
                map.total = 0;
            }
            if (!width) {
                map.total = lines.length;
                return;
            }
            for (let i = firsts.length; i < lines.length; i++) {
                firsts.push(map.total);
                map.total += rowCount(lines[i].text, width);
            }
        },
        /** @param {number} index */
        rowOf: (index) => (columns ? (firsts[index] ?? 0) : index),
        /** @param {number} row */
        lineAt(row) {
            if (!columns) return { index: row, part: 0 };
            let low = 0;
            let high = firsts.length - 1;
            while (low < high) {
                const middle = (low + high + 1) >> 1;
                if (firsts[middle] <= row) low = middle;
                else high = middle - 1;
            }
            return { index: low, part: row - firsts[low] };
        },
    };
    return map;
}
