/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters of the list of schedules with the number of schedules that each choice would show, as
 * the server counts them.  Beside the list if there is room, otherwise in a dialog.
 */
import { html, useEffect, useState } from "../lib/html.js";
import { look, number } from "../lib/words.js";

const SHOWN = 8; /* values before "Show all" */
const COUNTED = 50; /* values that the server counts */

/**
 * Facets: name in the API and address, title, whether several values can be chosen, whether values
 * that no schedule has are shown too, and whether the values are the users' own.
 * @type {Array<{name: string, title: string, several?: boolean, fixed?: boolean, open?: boolean}>}
 */
export const FACETS = [
    { name: "status", title: "Status", fixed: true },
    { name: "health", title: "Health", several: true, fixed: true },
    { name: "outcome", title: "Last outcome", several: true },
    { name: "action", title: "Action" },
    { name: "queue", title: "Queue", open: true },
    { name: "label", title: "Label", open: true },
    { name: "zone", title: "Time zone", open: true },
];

/** @typedef {{value: string, text: string, count: number}} Choice */

/**
 * The choices of a facet, from the server's counts.
 * @param {string} name
 * @param {any} counts
 * @returns {Choice[]}
 */
function choices(name, counts) {
    if (!counts) return [];
    if (!Array.isArray(counts))
        return Object.entries(counts).map(([value, count]) => ({ value, text: look(value).word, count }));
    if (name !== "label") return counts.map(({ value, count }) => ({ value, text: value, count }));
    return counts.map((one) => {
        const value = `${one.name}=${one.value}`;
        return { value, text: one.value ? value : one.name, count: one.count };
    });
}

/** @param {string | undefined} chosen @param {string} value @param {boolean | undefined} several */
function toggled(chosen, value, several) {
    const list = chosen ? (several ? chosen.split(",") : [chosen]) : [];
    if (list.includes(value)) return list.filter((one) => one !== value).join(",") || null;
    return several ? [...list, value].join(",") : value;
}

/**
 * @param {{title: string, chosen: string | undefined, onChoose: (value: string | null) => void}} props
 */
function OtherValue({ title, chosen, onChoose }) {
    const [text, setText] = useState("");
    const choose = (/** @type {Event} */ event) => {
        event.preventDefault();
        if (text.trim()) onChoose(text.trim());
        setText("");
    };
    return html`<form class="facet-other" onSubmit=${choose}>
        <input
            type="text"
            value=${text}
            placeholder=${chosen ?? "another one"}
            aria-label="${title}: another value than the ${COUNTED} most frequent"
            onInput=${(/** @type {any} */ event) => setText(event.target.value)}
        />
        <p class="hint">The ${COUNTED} most frequent are listed.</p>
    </form>`;
}

/**
 * @param {{facet: typeof FACETS[number], counts: any, chosen: string | undefined,
 *     onChoose: (value: string | null) => void}} props
 */
function Facet({ facet, counts, chosen, onChoose }) {
    const [isWhole, setWhole] = useState(false);
    const list = chosen ? (facet.several ? chosen.split(",") : [chosen]) : [];
    const all = choices(facet.name, counts).filter(
        ({ value, count }) => count > 0 || facet.fixed || list.includes(value),
    );
    for (const value of list)
        if (!all.some((one) => one.value === value)) all.unshift({ value, text: value, count: NaN });
    if (all.length === 0) return null;
    const shown = isWhole ? all : all.filter((one, i) => i < SHOWN || list.includes(one.value));
    return html`<fieldset class="facet">
        <legend>${facet.title}</legend>
        ${shown.map(
            ({ value, text, count }) =>
                html`<button
                    type="button"
                    key=${value}
                    class="facet-value ${count === 0 ? "none" : ""}"
                    aria-pressed=${list.includes(value) ? "true" : "false"}
                    onClick=${() => onChoose(toggled(chosen, value, facet.several))}
                >
                    <span class="clip" title=${text}>${text}</span>
                    <span class="num">${Number.isNaN(count) ? "" : number(count)}</span>
                </button>`,
        )}
        ${
            all.length > shown.length || isWhole
                ? html`<button type="button" class="plain small" onClick=${() => setWhole(!isWhole)}>
                  ${isWhole ? "Show fewer" : `Show all ${all.length}`}
              </button>`
                : null
        }
        ${
            facet.open && Array.isArray(counts) && counts.length >= COUNTED
                ? html`<${OtherValue} title=${facet.title} chosen=${chosen} onChoose=${onChoose} />`
                : null
        }
    </fieldset>`;
}

/**
 * @param {{counts: any, chosen: Record<string, string>,
 *     onChoose: (values: Record<string, string | null>) => void}} props
 */
export function Facets({ counts, chosen, onChoose }) {
    return html`${FACETS.map(
        (facet) =>
            html`<${Facet}
                key=${facet.name}
                facet=${facet}
                counts=${counts?.[facet.name]}
                chosen=${chosen[facet.name]}
                onChoose=${(/** @type {string | null} */ value) => onChoose({ [facet.name]: value })}
            />`,
    )}`;
}

/**
 * The filters that are in force, each with a button that removes it.
 * @param {{chosen: Record<string, string>, onChoose: (values: Record<string, string | null>) => void}} props
 */
export function FilterChips({ chosen, onChoose }) {
    const active = FACETS.filter(({ name }) => chosen[name]);
    const names = chosen.search ? [{ name: "search", title: "Search" }, ...active] : active;
    if (names.length === 0) return null;
    const none = Object.fromEntries(names.map(({ name }) => [name, null]));
    return html`<ul class="chips" aria-label="Filters in force">
        ${names.map(
            ({ name, title }) =>
                html`<li key=${name}>
                    <button
                        type="button"
                        class="chip"
                        title="Remove this filter"
                        onClick=${() => onChoose({ [name]: null })}
                    >
                        <span class="muted">${title}:</span>
                        <span class="clip">${wordsOf(name, chosen[name])}</span>
                        <span aria-hidden="true">✕</span>
                    </button>
                </li>`,
        )}
        <li><button type="button" class="plain small" onClick=${() => onChoose(none)}>Clear all</button></li>
    </ul>`;
}

/** @param {string} name @param {string} value */
function wordsOf(name, value) {
    const isOwn = name === "search" || FACETS.find((one) => one.name === name)?.open;
    return isOwn
        ? value
        : value
              .split(",")
              .map((one) => look(one).word)
              .join(" or ");
}

/** The filters as a phrase: "health failing, queue reports". @param {Record<string, string>} chosen */
export function filterPhrase(chosen) {
    const parts = FACETS.filter(({ name }) => chosen[name]).map(
        ({ name, title }) => `${title.toLowerCase()} ${wordsOf(name, chosen[name])}`,
    );
    if (chosen.search) parts.unshift(`“${chosen.search}” in the name or description`);
    return parts.join(", ");
}

/** Whether a media query matches, now and later. @param {string} text */
export function useMedia(text) {
    const [matches, setMatches] = useState(() => matchMedia(text).matches);
    useEffect(() => {
        const media = matchMedia(text);
        const change = () => setMatches(media.matches);
        media.addEventListener("change", change);
        return () => media.removeEventListener("change", change);
    }, [text]);
    return matches;
}
