/* SPDX-License-Identifier: Apache-2.0 */
/* The frame of the page: navigation, login, and the view that the address names. */
import { html, render, signal, useEffect, useRef, useState } from "./lib/html.js";
import { connection, get, namespace } from "./lib/api.js";
import { follow } from "./lib/live.js";
import { go, path } from "./lib/router.js";
import { addShortcuts } from "./lib/keys.js";
import { Problem, Toasts } from "./parts/basic.js";
import { Frame } from "./parts/frame.js";
import { Login, me } from "./parts/login.js";

/**
 * The views: by the first segment of the address, the module and its export.
 * @type {Record<string, [() => Promise<any>, string]>}
 */
const VIEWS = {
    "": [() => import("./pages/overview.js"), "Overview"],
    timeline: [() => import("./pages/timeline.js"), "Timeline"],
    schedules: [() => import("./pages/schedules.js"), "Schedules"],
    schedule: [() => import("./pages/schedule.js"), "Schedule"],
    edit: [() => import("./pages/editor.js"), "Editor"],
    new: [() => import("./pages/editor.js"), "Editor"],
    runs: [() => import("./pages/runs.js"), "Runs"],
    run: [() => import("./pages/run.js"), "Run"],
    queues: [() => import("./pages/queues.js"), "Queues"],
    gates: [() => import("./pages/gates.js"), "Gates"],
    nodes: [() => import("./pages/nodes.js"), "Nodes"],
    events: [() => import("./pages/events.js"), "Events"],
    calendars: [() => import("./pages/calendars.js"), "Calendars"],
    namespaces: [() => import("./pages/namespaces.js"), "Namespaces"],
    tokens: [() => import("./pages/tokens.js"), "Tokens"],
    audit: [() => import("./pages/audit.js"), "Audit"],
    backfills: [() => import("./pages/backfills.js"), "Backfills"],
    clock: [() => import("./pages/clock.js"), "ClockChanges"],
    "what-if": [() => import("./pages/whatif.js"), "WhatIf"],
};

/** @type {import("./vendor/signals.js").Signal<{name: string, View: any, error: any}>} */
const view = signal({ name: "?", View: null, error: null });

/** @param {string} name */
async function loadView(name) {
    const found = VIEWS[name];
    if (!found) {
        view.value = { name, View: null, error: new Error("This page does not exist.") };
        return;
    }
    try {
        const module = await found[0]();
        if ((path.value[0] ?? "") === name) view.value = { name, View: module[found[1]], error: null };
    } catch {
        /* After an upgrade of the server, the parts of the old page are gone: load the new page. */
        const error = new Error("This part of the page could not be loaded; the server may have been upgraded.");
        view.value = { name, View: null, error };
    }
}

function View() {
    const name = path.value[0] ?? "";
    const segments = useRef(/** @type {string[]} */ ([]));
    useEffect(() => {
        loadView(name);
    }, [name]);
    useEffect(() => {
        scrollTo(0, 0);
        document.querySelector("h1")?.focus({ preventScroll: true });
    }, [view.value.name, path.value.join("/")]);
    if (view.value.error)
        return html`<${Problem} error=${view.value.error} retry=${() => location.reload()} />`;
    /* Until the next view is loaded, the old one stays, with its own address. */
    if (view.value.name === name) segments.current = path.value.slice(1);
    const { View: Shown } = view.value;
    if (!Shown) return html`<div class="loading" role="status" aria-label="Loading"></div>`;
    return html`<${Shown} key=${`${view.value.name} ${namespace()}`} segments=${segments.current} />`;
}

function App() {
    const [isReady, setReady] = useState(false);
    useEffect(() => {
        get("/api/v1/session")
            .then((caller) => (me.value = caller))
            .catch(() => {})
            .finally(() => setReady(true));
    }, [connection.value === "login"]);
    if (connection.value === "login") return html`<${Login} /><${Toasts} />`;
    if (!isReady) return null;
    return html`<${Frame}><${View} /><//><${Toasts} />`;
}

addShortcuts([
    { keys: "g o", text: "Overview", run: () => go([]) },
    { keys: "g t", text: "Timeline", run: () => go(["timeline"]) },
    { keys: "g s", text: "Schedules", run: () => go(["schedules"]) },
    { keys: "g r", text: "Runs", run: () => go(["runs"]) },
    { keys: "g q", text: "Queues", run: () => go(["queues"]) },
    { keys: "g e", text: "Events", run: () => go(["events"]) },
    { keys: "c", text: "Create a schedule", run: () => go(["new"]) },
]);

follow();
render(html`<${App} />`, /** @type {HTMLElement} */ (document.getElementById("app")));
