/* SPDX-License-Identifier: Apache-2.0 */
/* Keyboard shortcuts: "/" or two keys such as "g s".  Views add theirs while they are shown. */
import { signal, useEffect } from "./html.js";

const SEQUENCE_MS = 1200; /* between the two keys of a shortcut */

/** @typedef {{keys: string, text: string, run: () => void}} Shortcut */

/** @type {import("../vendor/signals.js").Signal<Shortcut[]>} */
export const shortcuts = signal([]);

/** @param {Shortcut[]} list */
export function addShortcuts(list) {
    shortcuts.value = [...shortcuts.value, ...list];
    return () => {
        shortcuts.value = shortcuts.value.filter((one) => !list.includes(one));
    };
}

/** For components: shortcuts that exist while the component does. @param {Shortcut[]} list */
export function useShortcuts(list) {
    useEffect(() => addShortcuts(list), []);
}

/** @param {KeyboardEvent} event */
function isTyping(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    return target.closest?.("input, textarea, select, [contenteditable]") !== null;
}

let before = "";
let beforeAt = 0;

addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
    if (document.querySelector("dialog[open]")) return;
    const two = `${before} ${event.key}`;
    const isSequence = before !== "" && Date.now() - beforeAt < SEQUENCE_MS;
    const of = (/** @type {string} */ wanted) => shortcuts.value.findLast(({ keys }) => keys === wanted);
    const found = (isSequence && of(two)) || of(event.key);
    before = found ? "" : event.key;
    beforeAt = Date.now();
    if (!found) return;
    event.preventDefault();
    found.run();
});
