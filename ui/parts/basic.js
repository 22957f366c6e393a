/* SPDX-License-Identifier: Apache-2.0 */
/* Small components that all views use. */
import { html, signal, useEffect, useRef, useState } from "../lib/html.js";
import { href } from "../lib/router.js";
import { fullTime, ms, now, offsetName, relative, shortTime, zoneName } from "../lib/time.js";
import { look, reasonText } from "../lib/words.js";

/** A state or outcome, with its sign. @param {{of: string | null, reason?: string | null, count?: number}} props */
export function Badge({ of, reason, count = 1 }) {
    const { word, tone, sign } = look(of);
    return html`<span class="badge tone-${tone}" title=${reasonText(reason) || null}>
        <span class="sign" aria-hidden="true">${sign}</span>${word}${reason
            ? html`<span class="badge-reason">${reason}</span>`
            : null}${count > 1 ? html` <span class="num">×${count}</span>` : null}
    </span>`;
}

/**
 * An instant: relative with the absolute time as its title, or the other way round.
 * @param {{at: string | number | null, zone?: string | null, relative?: boolean, none?: string}} props
 */
export function Time({ at, zone, relative: isRelative, none = "–" }) {
    if (at === null || at === undefined) return html`<span class="faint">${none}</span>`;
    const name = zoneName(zone);
    const full = `${fullTime(at, name)} ${offsetName(at, name)} (${name})`;
    const text = isRelative ? relative(at) : shortTime(at, name);
    return html`<time
        class="num"
        dateTime=${new Date(ms(at)).toISOString()}
        title=${isRelative ? full : `${full}, ${relative(at)}`}
        >${text}</time
    >`;
}

/** Both forms: "in 5m · 02:30". @param {{at: string | null, zone?: string | null, none?: string}} props */
export function TimeBoth({ at, zone, none = "–" }) {
    if (!at) return html`<span class="faint">${none}</span>`;
    return html`<${Time} at=${at} zone=${zone} relative /> <span class="faint"
            ><${Time} at=${at} zone=${zone}
        /></span>`;
}

/**
 * Shows data, its error, or that it is loading; the last only after 200 ms (style.css).
 * @param {{of: import("../lib/resource.js").Resource<any>, children: (data: any) => any, rows?: number}} props
 */
export function Load({ of, children, rows = 4 }) {
    if (of.data !== undefined)
        return html`${of.error ? html`<${Problem} error=${of.error} retry=${of.reload} />` : null}${children(of.data)}`;
    if (of.error) return html`<${Problem} error=${of.error} retry=${of.reload} />`;
    return html`<div class="loading" role="status" aria-label="Loading">
        ${Array.from({ length: rows }, () => html`<div class="loading-row"></div>`)}
    </div>`;
}

/** @param {{error: any, retry?: () => void}} props */
export function Problem({ error, retry }) {
    return html`<div class="problem" role="alert">
        <p>
            ${error.message}${error.field ? html` <code>${error.field}</code>` : null}
        </p>
        ${error.requestId
            ? html`<p class="faint small">Request <code>${error.requestId}</code></p>`
            : null}
        ${retry ? html`<button type="button" onClick=${retry}>Try again</button>` : null}
    </div>`;
}

/** @param {{title: string, children?: any}} props */
export function Empty({ title, children }) {
    return html`<div class="empty">
        <p class="empty-title">${title}</p>
        ${children}
    </div>`;
}

/** @param {{to: string[], query?: Record<string, any>, children?: any, class?: string}} props */
export function Link({ to, query, children, class: name }) {
    return html`<a href=${href(to, query)} class=${name}>${children}</a>`;
}

/** The head of a view. @param {{title: any, sub?: any, children?: any}} props */
export function Head({ title, sub, children }) {
    useEffect(() => {
        if (typeof title === "string") document.title = `${title} – Belfry`;
    }, [title]);
    return html`<header class="head">
        <div>
            <h1 tabindex="-1">${title}</h1>
            ${sub ? html`<p class="sub">${sub}</p>` : null}
        </div>
        <div class="actions">${children}</div>
    </header>`;
}

/** @param {{title: any, children?: any, actions?: any, class?: string, id?: string}} props */
export function Card({ title, children, actions, class: name = "", id }) {
    return html`<section class="card ${name}" id=${id} aria-label=${typeof title === "string" ? title : null}>
        ${title
            ? html`<div class="card-head">
                  <h2>${title}</h2>
                  <div class="actions">${actions}</div>
              </div>`
            : null}
        ${children}
    </section>`;
}

/** Names and values. @param {{rows: Array<[any, any] | null | false>}} props */
export function Facts({ rows }) {
    return html`<dl class="facts">
        ${rows.map((row) => row && html`<dt>${row[0]}</dt><dd>${row[1]}</dd>`)}
    </dl>`;
}

/**
 * Tabs whose choice is in the query of the address.
 * @param {{tabs: Array<[string, any]>, chosen: string, onChoose: (name: string) => void, label: string}} props
 */
export function Tabs({ tabs, chosen, onChoose, label }) {
    return html`<div class="tabs" role="group" aria-label=${label}>
        ${tabs.map(
            ([name, text]) =>
                html`<button
                    type="button"
                    class="tab"
                    aria-pressed=${name === chosen ? "true" : "false"}
                    onClick=${() => onChoose(name)}
                >
                    ${text}
                </button>`,
        )}
    </div>`;
}

/** @type {import("../vendor/signals.js").Signal<Array<{id: number, text: any, tone: string}>>} */
const toasts = signal([]);
let lastToast = 0;

/** Says what happened, for a few seconds. @param {any} text @param {"ok" | "bad"} [tone] */
export function toast(text, tone = "ok") {
    const id = ++lastToast;
    toasts.value = [...toasts.value.slice(-3), { id, text, tone }];
    setTimeout(() => closeToast(id), tone === "bad" ? 12_000 : 5000);
}

/** @param {number} id */
function closeToast(id) {
    toasts.value = toasts.value.filter((one) => one.id !== id);
}

export function Toasts() {
    return html`<div class="toasts" role="status" aria-live="polite">
        ${toasts.value.map(
            ({ id, text, tone }) =>
                html`<div class="toast tone-${tone}" key=${id}>
                    <span>${text}</span>
                    <button type="button" class="plain" aria-label="Close" onClick=${() => closeToast(id)}>✕</button>
                </div>`,
        )}
    </div>`;
}

/** Runs a change; says what it did or why it failed. @param {() => Promise<any>} change @param {any} [done] */
export async function attempt(change, done) {
    try {
        const answer = await change();
        const text = typeof done === "function" ? done(answer) : done;
        if (text) toast(text);
        return { answer };
    } catch (error) {
        toast(/** @type {Error} */ (error).message, "bad");
        return { error };
    }
}

/**
 * A native dialog, open while it exists.  Escape and the background close it.
 * @param {{title: any, onClose: () => void, children?: any, wide?: boolean}} props
 */
export function Dialog({ title, onClose, children, wide }) {
    const ref = useRef(/** @type {HTMLDialogElement | null} */ (null));
    useEffect(() => {
        const dialog = /** @type {HTMLDialogElement} */ (ref.current);
        dialog.showModal();
        return () => dialog.close();
    }, []);
    return html`<dialog
        ref=${ref}
        class=${wide ? "wide" : ""}
        aria-label=${typeof title === "string" ? title : null}
        onCancel=${(/** @type {Event} */ event) => (event.preventDefault(), onClose())}
        onMouseDown=${(/** @type {MouseEvent} */ event) => event.target === ref.current && onClose()}
    >
        <div class="dialog-body">
            <div class="dialog-head">
                <h2>${title}</h2>
                <button type="button" class="plain" aria-label="Close" onClick=${onClose}>✕</button>
            </div>
            ${children}
        </div>
    </dialog>`;
}

/**
 * A dialog with a form: `run` changes something; its error is shown in the dialog, which stays.
 * @param {{title: any, action: string, tone?: string, onClose: () => void, run: () => Promise<any>,
 *     children?: any, wide?: boolean, disabled?: boolean}} props
 */
export function FormDialog({ title, action, tone = "primary", onClose, run, children, wide, disabled }) {
    const [error, setError] = useState(/** @type {any} */ (null));
    const [busy, setBusy] = useState(false);
    const submit = async (/** @type {Event} */ event) => {
        event.preventDefault();
        setBusy(true);
        setError(null);
        try {
            await run();
            onClose();
        } catch (problem) {
            setError(problem);
        }
        setBusy(false);
    };
    return html`<${Dialog} title=${title} onClose=${onClose} wide=${wide}>
        <form class="form" onSubmit=${submit}>
            ${children}
            ${error ? html`<${Problem} error=${error} />` : null}
            <div class="dialog-foot">
                <button type="button" onClick=${onClose}>Cancel</button>
                <button type="submit" class=${tone} disabled=${busy || disabled}>${action}</button>
            </div>
        </form>
    <//>`;
}

/** A labelled field of a form. @param {{label: any, hint?: any, error?: any, children?: any}} props */
export function Field({ label, hint, error, children }) {
    return html`<label class="field ${error ? "has-error" : ""}">
        <span class="label">${label}</span>
        ${children}
        ${error
            ? html`<span class="field-error" role="alert">${error}</span>`
            : hint
              ? html`<span class="hint">${hint}</span>`
              : null}
    </label>`;
}

/** A line to copy, such as a command. @param {{text: string}} props */
export function CopyLine({ text }) {
    const [copied, setCopied] = useState(false);
    const copy = async () => {
        try {
            await navigator.clipboard.writeText(text);
            setCopied(true);
            setTimeout(() => setCopied(false), 2000);
        } catch {
            toast("The browser does not allow copying here; select the text instead.", "bad");
        }
    };
    return html`<div class="copy">
        <pre tabindex="0">${text}</pre>
        <button type="button" onClick=${copy}>${copied ? "Copied" : "Copy"}</button>
    </div>`;
}

/**
 * The last outcomes of a schedule, the newest at the right: s succeeded, f failed, o other.
 * @param {{recent: string}} props
 */
export function Spark({ recent }) {
    const letters = [...(recent || "")].slice(0, SPARK_BARS).reverse();
    if (letters.length === 0) return html`<span class="faint">–</span>`;
    const failed = letters.filter((letter) => letter === "f").length;
    return html`<svg
        class="spark"
        viewBox="0 0 ${SPARK_BARS * 5} 16"
        width=${SPARK_BARS * 5}
        height="16"
        role="img"
        aria-label="${failed} of the last ${letters.length} runs failed"
    >
        ${["s", "f", "o"].map((letter) => html`<path key=${letter} class="spark-${letter}" d=${sparkPath(letters, letter)} />`)}
    </svg>`;
}

const SPARK_BARS = 20;
const SPARK_TOP = /** @type {Record<string, number>} */ ({ s: 6, f: 0, o: 10 });

/** The bars of one outcome as one shape, because lists have many of them. @param {string[]} letters @param {string} letter */
function sparkPath(letters, letter) {
    const top = SPARK_TOP[letter];
    return letters
        .map((one, i) => (one === letter ? `M${(SPARK_BARS - letters.length + i) * 5} ${top}h3.5V16h-3.5z` : ""))
        .join("");
}

/** A number that is a link to what it counts. @param {{value: number | null, label: string, to: string[], query?: Record<string, any>, tone?: string}} props */
export function Tile({ value, label, to, query, tone = "" }) {
    const text = value === null || value === undefined ? "–" : new Intl.NumberFormat("en").format(value);
    return html`<a class="tile ${value ? tone : ""}" href=${href(to, query)}>
        <span class="tile-value num">${text}</span>
        <span class="tile-label">${label}</span>
    </a>`;
}

/** Makes a component render again when time passes. */
export function useNow() {
    return now.value;
}
