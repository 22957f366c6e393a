/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of the database, whether this server is ready, and its version. */
import { html, useState } from "../lib/html.js";
import { get, post } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { ms, span } from "../lib/time.js";
import { number } from "../lib/words.js";
import { Card, Facts, FormDialog, Head, Load, Time, toast, useNow } from "../parts/basic.js";
import { may } from "../parts/login.js";

const SKEW_MS = 1000; /* of a clock, worth a colour */
const EVERY_MS = 5000;

/** States of nodes: tone and sign. @type {Record<string, [string, string]>} */
const STATES = { up: ["ok", "●"], silent: ["late", "◔"], lost: ["bad", "✕"], down: ["off", "■"] };

/** @param {{state: string}} props */
function State({ state }) {
    const [tone, sign] = STATES[state] ?? ["off", "·"];
    return html`<span class="badge tone-${tone}"
        ><span class="sign" aria-hidden="true">${sign}</span>${state}</span
    >`;
}

/** @param {any} event */
const matters = (event) => /^(node|clock)\./.test(event.type);

/** /readyz answers 503 with reasons if the server is not ready. @param {AbortSignal} abort */
async function loadReady(abort) {
    const response = await fetch("/readyz", { signal: abort, cache: "no-store" });
    return response.json();
}

/** @param {{onClose: () => void, onDone: () => void}} props */
function ClockDialog({ onClose, onDone }) {
    const change = async () => {
        await post("/api/v1/clock/accept");
        toast("The clock is accepted.");
        onDone();
    };
    return html`<${FormDialog}
        title="Accept the clock?"
        action="Accept the clock"
        tone="danger"
        onClose=${onClose}
        run=${change}
    >
        <p>
            After its clock has jumped, the server starts no runs until somebody confirms that the clock is
            right.
        </p>
        <p>
            The server's time is <strong><${Time} at=${Date.now()} /></strong> as this browser knows it.
            Slots that the clock jumped over become missed, with the reason clock.
        </p>
    <//>`;
}

/** @param {{ready: any, reload: () => void}} props */
function Ready({ ready, reload }) {
    const [isOpen, setOpen] = useState(false);
    const isReady = ready.status === "ready" || ready.status === "ok";
    return html`<div class="stack">
        <p class="row">
            <span class="badge ${isReady ? "tone-ok" : "tone-bad"}"
                ><span class="sign" aria-hidden="true">${isReady ? "✓" : "✕"}</span>${isReady
                    ? "ready"
                    : "not ready"}</span
            >
            ${ready.reasons?.length > 0
                ? null
                : html`<span class="muted">This server accepts requests and has no warnings.</span>`}
        </p>
        ${(ready.reasons ?? []).map(
            (/** @type {any} */ reason) =>
                html`<p class="note"><code>${reason.code}</code> ${reason.detail}</p>`,
        )}
        ${may("server")
            ? html`<div>
                  <button type="button" onClick=${() => setOpen(true)}>
                      Accept the clock after a jump…
                  </button>
              </div>`
            : null}
        ${isOpen ? html`<${ClockDialog} onClose=${() => setOpen(false)} onDone=${reload} />` : null}
    </div>`;
}

/** @param {{node: any, at: number}} props */
function Row({ node, at }) {
    const isSkewed = Math.abs(node.clockSkewMs) >= SKEW_MS;
    return html`<tr>
        <th scope="row">${node.name} <span class="faint num">#${node.id}</span></th>
        <td><${State} state=${node.state} /></td>
        <td>${node.version ?? html`<span class="faint">–</span>`}</td>
        <td>${node.address ? html`<code>${node.address}</code>` : html`<span class="faint">–</span>`}</td>
        <td><${Time} at=${node.startedAt} /></td>
        <td><${Time} at=${node.lastTurnAt} relative /></td>
        <td class="num">
            ${node.leaseUntil && ms(node.leaseUntil) > at
                ? `${span(ms(node.leaseUntil) - at)} left`
                : html`<span class="faint">over</span>`}
        </td>
        <td
            class="right num ${isSkewed ? "tone-text-bad" : ""}"
            title="The node's clock minus the database's clock"
        >
            ${node.clockSkewMs > 0 ? "+" : ""}${number(node.clockSkewMs)} ms
        </td>
        <td class="right num">${number(node.calls)}</td>
        <td class="right num">${number(node.turn)}</td>
    </tr>`;
}

/** @param {{of: any}} props */
function VersionFacts({ of }) {
    return html`<${Facts}
        rows=${[
            ["Belfry", html`<span class="num">${of.version}</span>`],
            of.commit && ["Commit", html`<code>${of.commit}</code>`],
            ["Started", html`<${Time} at=${of.startedAt} />`],
            of.sqlite && ["SQLite", of.sqlite],
            of.libpq && ["libpq", of.libpq],
            of.openssl && ["OpenSSL", of.openssl],
        ]}
    />`;
}

export function Nodes() {
    const at = useNow();
    const options = { refreshOn: matters, every: EVERY_MS, keep: true };
    const nodes = useResource("nodes", (abort) => get("/api/v1/nodes", {}, abort), options);
    const ready = useResource("ready", loadReady, options);
    const version = useResource("version", (abort) => get("/version", {}, abort), { keep: true });
    return html`<${Head}
            title="Nodes"
            sub="Servers that share one database. A node that does not renew its lease counts as lost."
        />
        <${Card} title="Nodes of this database" class="flush">
            <${Load} of=${nodes}>
                ${(/** @type {any} */ data) =>
                    html`<div class="scroll-x" tabindex="0" role="region" aria-label="Table of nodes">
                        <table class="table">
                            <thead>
                                <tr>
                                    <th>Node</th>
                                    <th>State</th>
                                    <th>Version</th>
                                    <th>Address</th>
                                    <th>Started</th>
                                    <th>Last turn</th>
                                    <th>Lease</th>
                                    <th class="right">Clock</th>
                                    <th class="right">Runs it executes</th>
                                    <th class="right">Turns</th>
                                </tr>
                            </thead>
                            <tbody>
                                ${data.nodes.map(
                                    (/** @type {any} */ node) =>
                                        html`<${Row} key=${node.id} node=${node} at=${at} />`,
                                )}
                            </tbody>
                        </table>
                    </div>`}
            <//>
        <//>
        <div class="grid2">
            <${Card} title="This server"
                ><${Load} of=${ready}
                    >${(/** @type {any} */ of) => html`<${Ready} ready=${of} reload=${ready.reload} />`}<//
                ><//
            >
            <${Card} title="Version"
                ><${Load} of=${version}
                    >${(/** @type {any} */ of) => html`<${VersionFacts} of=${of} />`}<//
                ><//
            >
        </div>`;
}
