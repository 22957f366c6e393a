/* SPDX-License-Identifier: Apache-2.0 */
/* The audit log: who changed what, newest first, and whether its hash chains are intact. */
import { html, useEffect, useState } from "../lib/html.js";
import { get, namespace } from "../lib/api.js";
import { query, setQuery } from "../lib/router.js";
import { fullTime, zoneName } from "../lib/time.js";
import { number, plural } from "../lib/words.js";
import { Card, Dialog, Empty, Head, Problem } from "../parts/basic.js";
import { JsonView } from "../parts/json-view.js";
import { may, me } from "../parts/login.js";
import { WhenFilter } from "../parts/time-field.js";
import { useMedia } from "../parts/media.js";
import { usePaged } from "../parts/paged.js";
import { VirtualList } from "../parts/vlist.js";

const ROW = 38;
const ROW_NARROW = 82;
const NAMES = ["by", "operation", "object", "from", "to", "everything"];

/** How results look: tone and words. @type {Record<string, [string, string]>} */
const RESULTS = {
    done: ["ok", "done"],
    notFound: ["off", "not found"],
    conflict: ["late", "conflict"],
    limit: ["late", "limit"],
    failed: ["bad", "failed"],
    unauthorized: ["bad", "unauthorized"],
    forbidden: ["bad", "forbidden"],
    damaged: ["bad", "damaged row"],
};

const filterNow = () =>
    Object.fromEntries(NAMES.filter((name) => query.value[name]).map((name) => [name, query.value[name]]));

/** @param {any} entry */
const keyOf = (entry) => `${entry.node} ${entry.seq}`;

/** @param {{entry: any, onRaw: (entry: any) => void}} props */
function Row({ entry, onRaw }) {
    const zone = zoneName();
    const [tone, word] = RESULTS[entry.result] ?? ["off", entry.result];
    const isDamaged = entry.result === "damaged";
    return html`<div class="vrow audit-row ${isDamaged ? "audit-damaged" : ""}" role="row">
        <span role="cell" class="audit-time num" title="${entry.at} (${zone})"
            >${fullTime(entry.at, zone)}</span
        >
        <span role="cell" class="audit-by clip"
            >${entry.by ?? html`<span class="faint">${isDamaged ? "not readable" : "nobody"}</span>`}
            ${entry.from ? html` <span class="faint small">${entry.from}</span>` : null}</span
        >
        <span role="cell" class="audit-what clip">${entry.operation ?? "–"}</span>
        <span role="cell" class="audit-object clip" title=${entry.object}
            >${entry.object ?? ""}${entry.version
                ? html` <span class="faint small num">v${entry.version}</span>`
                : null}</span
        >
        <span role="cell" class="audit-space clip faint small">${entry.namespace ?? ""}</span>
        <span role="cell" class="audit-result"
            ><span class=${tone === "ok" ? "faint" : `badge tone-${tone}`}
                >${word}${entry.count > 1 ? ` ×${number(entry.count)}` : ""}</span
            ></span
        >
        <span role="cell" class="audit-raw"
            ><button
                type="button"
                class="small plain"
                aria-label="Show the entry as JSON"
                onClick=${() => onRaw(entry)}
            >
                { }
            </button></span
        >
    </div>`;
}

function HeadRow() {
    return html`<div class="vrow vhead audit-row run-head" role="row">
        ${["Time", "By", "Operation", "Object", "Namespace", "Result"].map(
            (name) => html`<span role="columnheader">${name}</span>`,
        )}
        <span role="columnheader"><span class="hidden">JSON</span></span>
    </div>`;
}

/** @param {{name: string, label: string}} props */
function Text({ name, label }) {
    return html`<input
        type="search"
        class="event-filter"
        placeholder=${label}
        aria-label=${label}
        value=${query.value[name] ?? ""}
        onChange=${(/** @type {any} */ event) => setQuery({ [name]: event.target.value.trim() || null })}
    />`;
}

function Filters() {
    const isAll = me.value?.namespace === undefined || me.value?.namespace === "*";
    return html`<div class="filters" role="group" aria-label="Filters">
        <${Text} name="by" label="By" />
        <${Text} name="operation" label="Operation" />
        <${Text} name="object" label="Object" />
        <${WhenFilter} name="from" label="From" />
        <${WhenFilter} name="to" label="To" />
        ${isAll
            ? html`<label class="check">
                  <input
                      type="checkbox"
                      checked=${query.value.everything === "true"}
                      onChange=${(/** @type {any} */ event) =>
                          setQuery({ everything: event.target.checked ? "true" : null })}
                  />
                  All namespaces
              </label>`
            : null}
    </div>`;
}

/**
 * Reads the whole log, a node per page.
 * @param {(nodes: any[]) => void} progress
 * @param {AbortSignal} abort
 */
async function verify(progress, abort) {
    const nodes = [];
    let intact = true;
    let cursor = null;
    do {
        const page = await get("/api/v1/audit/verify", { cursor }, abort);
        intact = intact && page.intact;
        nodes.push(...page.nodes);
        progress(nodes);
        cursor = page.cursor;
    } while (cursor);
    return { intact, nodes };
}

/** @param {{node: any}} props */
function Chain({ node }) {
    return html`<li>
        <p>
            <span class="badge ${node.broken ? "tone-bad" : "tone-ok"}"
                ><span class="sign" aria-hidden="true">${node.broken ? "✕" : "✓"}</span>${node.broken
                    ? "damaged"
                    : "intact"}</span
            >
            Node ${node.name ?? node.node}: ${plural(node.entries, "entry", "entries")}
        </p>
        <p class="faint small">Head <code>${node.head}</code></p>
        ${node.broken ? html`<p class="tone-text-bad">${node.broken}</p>` : null}
        ${node.damaged.length > 0
            ? html`<ul class="plain-list">
                      ${node.damaged
                          .slice(0, 200)
                          .map(
                              (/** @type {any} */ row) =>
                                  html`<li><span class="num">Row ${row.seq}</span>: ${row.reason}</li>`,
                          )}
                  </ul>
                  ${node.damaged.length > 200
                      ? html`<p class="faint small">
                            200 of ${number(node.damaged.length)} damaged rows are shown.
                        </p>`
                      : null}`
            : null}
    </li>`;
}

/** @param {{onClose: () => void}} props */
function VerifyDialog({ onClose }) {
    const [nodes, setNodes] = useState(/** @type {any[]} */ ([]));
    const [result, setResult] = useState(/** @type {any} */ (null));
    const [error, setError] = useState(/** @type {any} */ (null));
    useEffect(() => {
        const abort = new AbortController();
        verify((some) => setNodes([...some]), abort.signal)
            .then(setResult)
            .catch((problem) => !abort.signal.aborted && setError(problem));
        return () => abort.abort();
    }, []);
    return html`<${Dialog} title="Verify the audit log" onClose=${onClose}>
        <p role="status">
            ${result
                ? result.intact
                    ? "The hash chains of all nodes are intact: no row inside them was changed or removed."
                    : "The audit log is damaged: rows were changed or removed."
                : error
                  ? null
                  : "Reading the whole log…"}
        </p>
        ${error ? html`<${Problem} error=${error} />` : null}
        <ul class="plain-list stack">
            ${nodes.map((node) => html`<${Chain} key=${node.node} node=${node} />`)}
        </ul>
        <p class="hint">
            A chain that was cut at its end looks intact. Store the heads elsewhere, and compare them later.
        </p>
        <div class="dialog-foot"><button type="button" onClick=${onClose}>Close</button></div>
    <//>`;
}

export function Audit() {
    const filter = filterNow();
    const list = usePaged(
        `audit ${namespace()} ${JSON.stringify(filter)}`,
        "/api/v1/audit",
        "entries",
        filter,
        keyOf,
    );
    const [raw, setRaw] = useState(/** @type {any} */ (null));
    const [isVerifying, setVerifying] = useState(false);
    const isNarrow = useMedia("(max-width: 1140px)");
    const { entries } = list;
    return html`<${Head}
            title="Audit"
            sub="Every change and every denial, newest first. A hash chain reveals changed rows."
        >
            ${may("server")
                ? html`<button type="button" onClick=${() => setVerifying(true)}>Verify</button>`
                : null}
        <//>
        <${Filters} />
        <section class="card flush" aria-label="Audit log">
            ${list.error ? html`<${Problem} error=${list.error} retry=${list.reload} />` : null}
            <div class="run-bar row">
                <span class="muted small" role="status"
                    >${list.cursor
                        ? `${number(entries.length)} entries loaded; more follow below`
                        : `${plural(entries.length, "entry", "entries")}, all shown`}</span
                >
                ${list.fresh > 0
                    ? html`<button
                          type="button"
                          class="small primary"
                          onClick=${() => (scrollTo(0, 0), list.reload())}
                      >
                          ${number(list.fresh)} new ${list.fresh === 1 ? "entry" : "entries"}: show
                      </button>`
                    : null}
            </div>
            ${!list.loaded
                ? html`<div class="loading" role="status" aria-label="Loading"></div>`
                : entries.length === 0
                  ? html`<${Empty}
                        title=${Object.keys(filter).length > 0
                            ? "No entry matches these filters."
                            : "No entry yet."}
                    />`
                  : html`<${VirtualList}
                        label="Audit log"
                        class="run-list"
                        count=${entries.length}
                        height=${isNarrow ? ROW_NARROW : ROW}
                        head=${isNarrow ? null : html`<${HeadRow} />`}
                        onNearEnd=${list.loadMore}
                        row=${(/** @type {number} */ i) =>
                            html`<${Row} key=${keyOf(entries[i])} entry=${entries[i]} onRaw=${setRaw} />`}
                    />`}
        </section>
        ${raw
            ? html`<${Dialog} title=${raw.operation ?? "Damaged row"} onClose=${() => setRaw(null)} wide
                  ><${JsonView} value=${raw} label="Entry"
              /><//>`
            : null}
        ${isVerifying ? html`<${VerifyDialog} onClose=${() => setVerifying(false)} />` : null}`;
}
