/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing zones, and instants as the wall clock of a zone shows them. */
import { html, signal, useEffect, useState } from "../lib/html.js";
import { get } from "../lib/api.js";
import { civil, clockOf, dateOf, ms, offsetName, parseLocal } from "../lib/time.js";

/**
 * The instant at which the clock of a zone shows a time, as text; null if the text is not a time.
 * @param {string} text @param {string} zone
 */
export function instantText(text, zone) {
    const at = parseLocal(text, zone);
    return Number.isNaN(at) ? null : new Date(at).toISOString();
}

/**
 * What a field of type datetime-local wants.
 * @param {string | number | null | undefined} at
 * @param {string} zone
 */
export function localText(at, zone) {
    const instant = ms(at ?? "");
    if (Number.isNaN(instant)) return "";
    const c = civil(instant, zone);
    return `${dateOf(c)}T${clockOf(c).padEnd(8, ":00")}`;
}

/**
 * A field for an instant, in a zone that is named beside it.
 * @param {{value: string | null | undefined, zone: string, onChange: (at: string | null) => void,
 *     label: string, required?: boolean, field?: string}} props
 */
export function ZonedTime({ value, zone, onChange, label, required, field }) {
    const isTime = !value || !Number.isNaN(Date.parse(value));
    const change = (/** @type {any} */ event) =>
        onChange(isTime ? instantText(event.target.value, zone) : event.target.value || null);
    return html`<span class="zoned">
        <input
            type=${isTime ? "datetime-local" : "text"}
            step="1"
            aria-label="${label} (${zone})"
            data-field=${field}
            value=${isTime ? localText(value, zone) : value}
            required=${required}
            onInput=${change}
        />
        <span class="hint">${zone}${isTime && value ? ` · ${offsetName(value, zone)}` : ""}</span>
    </span>`;
}

/** @type {import("../vendor/signals.js").Signal<any[]>} */
const zoneList = signal([]);
let zonesAsked = false;

/** The zones of the server, asked for once; an empty list until they are there. */
export function useZones() {
    useEffect(() => {
        if (zonesAsked) return;
        zonesAsked = true;
        get("/api/v1/zones").then(
            (answer) => (zoneList.value = answer.zones),
            () => (zonesAsked = false),
        );
    }, []);
    return zoneList.value;
}

/** Whether the browser can print times of a zone. @param {string} name */
export function isZone(name) {
    try {
        return Boolean(name && new Intl.DateTimeFormat("en", { timeZone: name }));
    } catch {
        return false;
    }
}

/** "+01:00". @param {number} seconds */
export function offsetText(seconds) {
    const minutes = Math.abs(Math.round(seconds / 60));
    const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
    return `${seconds < 0 ? "−" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** @param {any[]} zones @param {string} text */
function matches(zones, text) {
    const words = text.toLowerCase().replaceAll("_", " ").split(/\s+/).filter(Boolean);
    return zones.filter((zone) => {
        const all = `${zone.name} ${zone.abbreviation} utc${offsetText(zone.offset)}`
            .toLowerCase()
            .replaceAll("_", " ");
        return words.every((word) => all.includes(word));
    });
}

const SHOWN = 50;

/**
 * A field for the name of a zone, with the server's zones to choose from.
 * @param {{value: string, onChange: (name: string) => void, label: string, field?: string,
 *     placeholder?: string, id: string, invalid?: boolean}} props
 */
export function ZonePicker({ value, onChange, label, field, placeholder, id, invalid }) {
    const zones = useZones();
    const [open, setOpen] = useState(false);
    const [active, setActive] = useState(0);
    const [search, setSearch] = useState("");
    const found = open ? matches(zones, search) : [];
    const shown = found.slice(0, SHOWN);
    const choose = (/** @type {string} */ name) => {
        onChange(name);
        setOpen(false);
    };
    const key = (/** @type {KeyboardEvent} */ event) => {
        if (event.key === "Escape" && open) {
            event.stopPropagation();
            setOpen(false);
        } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
            event.preventDefault();
            if (!open) setSearch("");
            setOpen(true);
            setActive(Math.max(0, Math.min(shown.length - 1, active + (event.key === "ArrowDown" ? 1 : -1))));
        } else if (event.key === "Enter" && open && !event.ctrlKey && shown[active]) {
            event.preventDefault();
            choose(shown[active].name);
        }
    };
    return html`<span class="picker">
        <input
            type="text"
            role="combobox"
            aria-label=${label}
            aria-invalid=${invalid ? "true" : null}
            aria-expanded=${open && shown.length > 0 ? "true" : "false"}
            aria-controls="${id}-list"
            aria-autocomplete="list"
            aria-activedescendant=${open && shown[active] ? `${id}-${active}` : null}
            autocomplete="off"
            spellcheck=${false}
            data-field=${field}
            placeholder=${placeholder}
            value=${value}
            onInput=${(/** @type {any} */ event) => {
                onChange(event.target.value);
                setSearch(event.target.value);
                setActive(0);
                setOpen(true);
            }}
            onKeyDown=${key}
            onBlur=${() => setOpen(false)}
        />
        ${open && shown.length > 0
            ? html`<ul class="picker-list" id="${id}-list" role="listbox" aria-label="Zones">
                  ${shown.map(
                      (zone, i) =>
                          html`<li
                              id="${id}-${i}"
                              role="option"
                              aria-selected=${i === active ? "true" : "false"}
                              ref=${(/** @type {any} */ node) =>
                                  i === active && node?.scrollIntoView({ block: "nearest" })}
                              onMouseDown=${(/** @type {Event} */ event) => (
                                  event.preventDefault(), choose(zone.name)
                              )}
                          >
                              <span>${zone.name}</span>
                              <span class="faint num">${zone.abbreviation} ${offsetText(zone.offset)}</span>
                          </li>`,
                  )}
                  ${found.length > SHOWN
                      ? html`<li class="faint small" role="presentation">
                            ${SHOWN} of ${found.length} zones shown; type to search
                        </li>`
                      : null}
              </ul>`
            : null}
    </span>`;
}
