/* SPDX-License-Identifier: Apache-2.0 */
/* What happens, as it happens: the event stream in words, with filters, pause and older events. */
import { html, useEffect, useState } from "../lib/html.js";
import { query, setQuery } from "../lib/router.js";
import { fullTime, zoneName } from "../lib/time.js";
import { number } from "../lib/words.js";
import { Dialog, Empty, Head, Link, Problem, Time } from "../parts/basic.js";
import { useEvents } from "../parts/event-list.js";
import { EVENT_GROUPS, eventText, eventTone } from "../parts/event-words.js";
import { JsonView } from "../parts/json-view.js";
import { useMedia } from "../parts/media.js";
import { VirtualList } from "../parts/vlist.js";

const ROW = 36;
const ROW_NARROW = 76;
const TOP = 120; /* pixels from the top within which new events appear at once */

/** The groups that the address names. */
const groups = () => (query.value.show ?? "").split(",").filter(Boolean);

function filterNow() {
    const chosen = groups();
    const types = EVENT_GROUPS.filter(([name]) => chosen.includes(name)).map(([, , one]) => one);
    return { types: types.join(","), schedule: query.value.schedule ?? "", run: query.value.run ?? "" };
}

/** @param {{event: any, onRaw: (event: any) => void}} props */
function Row({ event, onRaw }) {
    const zone = zoneName();
    const tone = eventTone(event);
    return html`<div class="vrow event-row" role="row">
        <span role="cell" class="event-time num" title="${event.at} (${zone})"
            >${fullTime(event.at, zone).slice(5)}<span class="faint">.${event.at.slice(20, 23)}</span></span
        >
        <span role="cell" class="event-text clip ${tone ? `tone-text-${tone}` : ""}" title=${event.type}
            >${eventText(event)}</span
        >
        <span role="cell" class="event-schedule clip"
            >${event.schedule
                ? html`<${Link} to=${["schedule", event.schedule]}>${event.schedule}<//>`
                : null}</span
        >
        <span role="cell" class="event-slot clip"
            >${event.slot
                ? html`<span class="faint small">slot </span><${Time} at=${event.slot} />`
                : null}</span
        >
        <span role="cell" class="event-run"
            >${event.run ? html`<${Link} to=${["run", event.run]}>run<//>` : null}</span
        >
        <span role="cell" class="event-node faint small clip">${event.node ?? ""}</span>
        <span role="cell" class="event-raw"
            ><button
                type="button"
                class="small plain"
                aria-label="Show the event as JSON"
                title=${event.type}
                onClick=${() => onRaw(event)}
            >
                { }
            </button></span
        >
    </div>`;
}

function Filters() {
    const chosen = groups();
    const toggle = (/** @type {string} */ name) => {
        const next = chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name];
        setQuery({ show: next.join(",") || null });
    };
    const text = (/** @type {string} */ name, /** @type {string} */ label) =>
        html`<input
            type="search"
            class="event-filter"
            placeholder=${label}
            aria-label=${label}
            value=${query.value[name] ?? ""}
            onChange=${(/** @type {any} */ event) =>
                setQuery({ [name]: event.target.value.trim() || null })}
        />`;
    return html`<div class="filters" role="group" aria-label="Filters">
        <button
            type="button"
            class="chip"
            aria-pressed=${chosen.length === 0 ? "true" : "false"}
            onClick=${() => setQuery({ show: null })}
        >
            All
        </button>
        ${EVENT_GROUPS.map(
            ([name, words]) =>
                html`<button
                    type="button"
                    class="chip"
                    aria-pressed=${chosen.includes(name) ? "true" : "false"}
                    onClick=${() => toggle(name)}
                >
                    ${words}
                </button>`,
        )}
        ${text("schedule", "Schedule")} ${text("run", "Run id")}
    </div>`;
}

/**
 * Holds new events back while people have paused, or read further down.
 * @param {any} list
 * @param {boolean} isPaused
 */
function useHold(list, isPaused) {
    useEffect(() => {
        const update = () => {
            const isHeld = isPaused || scrollY > TOP;
            list.hold(isHeld);
            if (!isHeld) list.flush();
        };
        update();
        addEventListener("scroll", update, { passive: true });
        return () => removeEventListener("scroll", update);
    }, [isPaused]);
}

/** @param {{list: any, isPaused: boolean, setPaused: (on: boolean) => void}} props */
function Bar({ list, isPaused, setPaused }) {
    const first = list.events.at(-1);
    const show = () => (setPaused(false), list.flush(), scrollTo(0, 0));
    return html`<div class="run-bar row">
        <span class="muted small" role="status">
            ${first
                ? html`${number(list.events.length)} events since <${Time} at=${first.at} />${list.dropped
                          ? "; older ones are left out here"
                          : list.isOldest
                            ? ", all that the server keeps"
                            : ""}`
                : "No event yet"}
        </span>
        <span class="grow"></span>
        ${list.waiting > 0
            ? html`<button type="button" class="small primary" onClick=${show}>
                  ${number(list.waiting)} new ${list.waiting === 1 ? "event" : "events"}: show
              </button>`
            : null}
        <button
            type="button"
            class="small"
            aria-pressed=${isPaused ? "true" : "false"}
            onClick=${() => setPaused(!isPaused)}
        >
            ${isPaused ? "Continue" : "Pause"}
        </button>
    </div>`;
}

export function Events() {
    const list = useEvents(filterNow());
    const [isPaused, setPaused] = useState(false);
    const [raw, setRaw] = useState(/** @type {any} */ (null));
    useHold(list, isPaused);
    const isNarrow = useMedia("(max-width: 860px)");
    return html`<${Head}
            title="Events"
            sub="What the server did, newest first. It keeps events for some days."
        />
        <${Filters} />
        <section class="card flush" aria-label="Events">
            ${list.error ? html`<${Problem} error=${list.error} retry=${list.reload} />` : null}
            <${Bar} list=${list} isPaused=${isPaused} setPaused=${setPaused} />
            ${!list.loaded
                ? html`<div class="loading" role="status" aria-label="Loading"></div>`
                : list.events.length === 0
                  ? html`<${Empty} title="No event matches."
                        ><p>New events appear here by themselves.</p><//
                    >`
                  : html`<${VirtualList}
                        label="Events"
                        class="run-list"
                        count=${list.events.length}
                        height=${isNarrow ? ROW_NARROW : ROW}
                        row=${(/** @type {number} */ i) =>
                            html`<${Row}
                                key=${list.events[i].id}
                                event=${list.events[i]}
                                onRaw=${setRaw}
                            />`}
                    />`}
            <div class="pad center">
                ${list.isOldest
                    ? html`<span class="faint small"
                          >These are the oldest events that the server keeps.</span
                      >`
                    : html`<button type="button" disabled=${list.loading} onClick=${list.older}>
                          Load older events
                      </button>`}
            </div>
        </section>
        ${raw
            ? html`<${Dialog} title=${raw.type} onClose=${() => setRaw(null)} wide
                  ><${JsonView} value=${raw} label="Event"
              /><//>`
            : null}`;
}
