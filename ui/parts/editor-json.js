/* SPDX-License-Identifier: Apache-2.0 */
/* The document as text: line numbers, problems at their lines, and what may be at the cursor. */
import { html, useEffect, useMemo, useRef, useState } from "../lib/html.js";
import { fieldPath, parseDoc, printDoc } from "./editor-doc.js";
import { checkDoc, helpFor, loadSchemas, locate, memberAt, schemas } from "./editor-schema.js";

const LARGE = 500_000; /* characters: beyond, only the server checks, so that typing stays fast */

/** @param {string} text @param {number} at */
const lineOf = (text, at) => text.slice(0, at).split("\n").length;

/** The position that browsers name in errors of JSON.parse. @param {string} message @param {string} text */
function syntaxPosition(message, text) {
    const at = /position (\d+)/.exec(message);
    if (at) return Number(at[1]);
    const line = /line (\d+) column (\d+)/.exec(message);
    if (!line) return text.length;
    return (
        text
            .split("\n")
            .slice(0, Number(line[1]) - 1)
            .join("\n").length + Number(line[2])
    );
}

/**
 * The nearest member that the text has, of a field that may be deeper.
 * @param {Map<string, any>} places
 * @param {string} field
 */
function placeOf(places, field) {
    for (let name = field; name; name = name.replace(/(\.[^.[\]]*|\[\d+\])$|^[^.[\]]+$/, "")) {
        const found = places.get(name);
        if (found) return found;
    }
    return places.get("") ?? { from: 0, to: 0 };
}

/** @param {{help: any, field: string}} props */
function Help({ help, field }) {
    if (!help) return html`<p class="faint">Put the cursor into a member to see what it means.</p>`;
    return html`<p><code>${field || "the document"}</code> <span class="faint">${help.type}</span></p>
        ${help.text ? html`<p class="muted">${help.text}</p>` : null}
        ${help.words.length > 0
            ? html`<p>
                  ${"One of "}
                  ${help.words.map(
                      (/** @type {any} */ word, /** @type {number} */ i) =>
                          html`${i ? ", " : ""}<code>${word}</code>`,
                  )}
              </p>`
            : null}
        ${help.usual !== undefined && help.usual !== null
            ? html`<p class="faint">Default: <code>${JSON.stringify(help.usual)}</code></p>`
            : null}
        ${help.members.length > 0
            ? html`<p class="faint">
                  ${"Members: "}
                  ${help.members.map(
                      (/** @type {string} */ name, /** @type {number} */ i) =>
                          html`${i ? ", " : ""}<code>${name}</code>`,
                  )}
              </p>`
            : null}`;
}

/**
 * @param {{doc: any, text: string, onTyped: (text: string) => void, syntax: string | null,
 *     errors: Array<{field: string, message: string}>}} props
 * `syntax` says why `text` is no JSON; otherwise `doc` is its value.
 */
export function JsonView({ doc, text, onTyped, syntax, errors }) {
    const area = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
    const gutter = useRef(/** @type {HTMLDivElement | null} */ (null));
    const [cursor, setCursor] = useState(0);
    useEffect(loadSchemas, []);
    const isLarge = text.length > LARGE;
    const places = useMemo(() => locate(isLarge ? "" : text), [text]);
    const problems = useMemo(() => {
        if (syntax) return [{ field: "", message: syntax, at: syntaxPosition(syntax, text) }];
        const local = (isLarge ? [] : checkDoc(doc)).filter(
            ({ field }) => !errors.some((one) => one.field === field),
        );
        return [...errors, ...local].map((one) => ({ ...one, at: placeOf(places, one.field).from }));
    }, [text, syntax, errors, schemas.value]);
    const lines = text.split("\n").length;
    const numbers = useMemo(() => Array.from({ length: lines }, (_, i) => i + 1).join("\n"), [lines]);
    const bad = new Set(problems.map(({ at }) => lineOf(text, at)));
    const field = memberAt(places, cursor);
    const goTo = (/** @type {number} */ at) => {
        const node = /** @type {HTMLTextAreaElement} */ (area.current);
        node.focus();
        node.setSelectionRange(at, at);
        node.scrollTop = Math.max(0, (lineOf(text, at) - 5) * 20);
        setCursor(at);
    };
    const move = (/** @type {any} */ event) => setCursor(event.target.selectionStart);
    return html`<div class="json-view">
        <div class="card flush">
            <div class="json-bar">
                <span class="faint small"
                    >${syntax
                        ? "Not JSON yet"
                        : isLarge
                          ? "Too long to explain here; the server checks it."
                          : "The form shows the same document."}</span
                >
                <button
                    type="button"
                    class="small"
                    disabled=${Boolean(syntax)}
                    onClick=${() => onTyped(printDoc(doc))}
                >
                    Format
                </button>
            </div>
            <div class="json-text">
                <div class="json-lines" aria-hidden="true" ref=${gutter}>
                    ${[...bad].map(
                        (line) =>
                            html`<span class="bad" style=${{ top: `${8 + (line - 1) * 20}px` }}
                                >${line}</span
                            >`,
                    )}
                    <pre>${numbers}</pre>
                </div>
                <textarea
                    ref=${area}
                    class="mono"
                    wrap="off"
                    spellcheck=${false}
                    autocapitalize="off"
                    aria-label="The schedule as JSON"
                    aria-invalid=${problems.length > 0 ? "true" : null}
                    aria-describedby="json-problems"
                    rows=${Math.min(40, Math.max(20, lines + 1))}
                    value=${text}
                    onInput=${(/** @type {any} */ event) => {
                        onTyped(event.target.value);
                        move(event);
                    }}
                    onKeyUp=${move}
                    onClick=${move}
                    onScroll=${(/** @type {any} */ event) => {
                        if (gutter.current) gutter.current.scrollTop = event.target.scrollTop;
                    }}
                ></textarea>
            </div>
        </div>
        <div class="json-side">
            <div class="card" id="json-problems" aria-live="polite">
                <h2>${problems.length === 0 ? "No problems" : "Problems"}</h2>
                <ul class="bare-list">
                    ${problems.map(
                        ({ field: name, message, at }) =>
                            html`<li>
                                <button type="button" class="link" onClick=${() => goTo(at)}>
                                    line ${lineOf(text, at)}${name ? html` <code>${name}</code>` : null}
                                </button>
                                <span class="tone-text-bad">${message}</span>
                            </li>`,
                    )}
                </ul>
            </div>
            <div class="card small json-help">
                <${Help} field=${field} help=${helpFor(doc, fieldPath(field))} />
            </div>
        </div>
    </div>`;
}
