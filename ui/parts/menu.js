/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A menu that opens below a button.  A view has one MenuHost, however many buttons it has, so
 * that a row of a long list costs only its button.
 */
import { html, signal, useLayoutEffect, useRef } from "../lib/html.js";

/**
 * A link (`href`) or a command (`run`) of a menu.
 * @typedef {{text: string, href?: string, run?: () => void, tone?: string}} MenuItem
 */

/** @type {import("../vendor/signals.js").Signal<{anchor: HTMLElement, items: MenuItem[]} | null>} */
const shown = signal(null);

/** Opens a menu below the element that has the event. @param {Event} event @param {MenuItem[]} items */
export function openMenu(event, items) {
    shown.value = { anchor: /** @type {HTMLElement} */ (event.currentTarget), items };
}

/** @param {HTMLElement} menu @param {HTMLElement} anchor */
function place(menu, anchor) {
    const at = anchor.getBoundingClientRect();
    const left = Math.max(8, Math.min(at.right - menu.offsetWidth, innerWidth - menu.offsetWidth - 8));
    const fits = at.bottom + 4 + menu.offsetHeight < innerHeight;
    menu.style.left = `${left}px`;
    menu.style.top = `${fits ? at.bottom + 4 : Math.max(8, at.top - 4 - menu.offsetHeight)}px`;
}

/** @param {KeyboardEvent} event */
function move(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const menu = /** @type {HTMLElement} */ (event.currentTarget);
    const items = /** @type {HTMLElement[]} */ ([...menu.querySelectorAll("a, button")]);
    const now = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    items[(now + step + items.length) % items.length].focus();
}

/** @param {MenuItem} item @param {() => void} close */
function entry(item, close) {
    const name = `menu-item ${item.tone ? `tone-text-${item.tone}` : ""}`;
    if (item.href)
        return html`<a role="menuitem" class=${name} href=${item.href} onClick=${close}>${item.text}</a>`;
    const run = () => {
        close();
        item.run?.();
    };
    return html`<button type="button" role="menuitem" class=${name} onClick=${run}>${item.text}</button>`;
}

export function MenuHost() {
    const ref = useRef(/** @type {HTMLDivElement | null} */ (null));
    const menu = shown.value;
    useLayoutEffect(() => {
        if (!menu || !ref.current) return undefined;
        const { anchor } = menu;
        ref.current.showPopover();
        place(ref.current, anchor);
        /** @type {HTMLElement} */ (ref.current.querySelector("a, button")).focus();
        const close = () => (shown.value = null);
        addEventListener("scroll", close, { passive: true });
        return () => {
            removeEventListener("scroll", close);
            if (document.activeElement === document.body) anchor.focus({ preventScroll: true });
        };
    }, [menu]);
    if (!menu) return null;
    const close = () => {
        shown.value = null;
    };
    return html`<div
        ref=${ref}
        class="menu-popup"
        role="menu"
        popover="auto"
        onToggle=${(/** @type {any} */ event) => event.newState === "closed" && close()}
        onKeyDown=${move}
    >
        ${menu.items.map((item) => entry(item, close))}
    </div>`;
}
