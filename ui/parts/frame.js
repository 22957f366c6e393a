/* SPDX-License-Identifier: Apache-2.0 */
/* What surrounds every view: navigation, zone, namespace, state of the connection, footer. */
import { html, signal, useEffect, useState } from "../lib/html.js";
import { connection, get, namespace } from "../lib/api.js";
import { useResource } from "../lib/resource.js";
import { liveState } from "../lib/live.js";
import { go, href, path, setQuery } from "../lib/router.js";
import { addShortcuts, shortcuts } from "../lib/keys.js";
import { fullTime, now, viewerZone, zoneChoice, zoneName } from "../lib/time.js";
import { plural } from "../lib/words.js";
import { Dialog, Time } from "./basic.js";
import { logout, may, me } from "./login.js";

/** Groups of the navigation: address, name, right. @type {Array<[string, Array<[string, string, any?]>]>} */
const GROUPS = [
    ["", [["", "Overview"], ["timeline", "Timeline"], ["schedules", "Schedules"], ["runs", "Runs"]]],
    ["Work", [["queues", "Queues"], ["gates", "Gates"], ["backfills", "Backfills"], ["events", "Events"]]],
    ["Plan", [["calendars", "Calendars"], ["clock", "Clock changes"], ["what-if", "What if"]]],
    [
        "Server",
        [
            ["nodes", "Nodes", "server"],
            ["namespaces", "Namespaces", "server"],
            ["tokens", "Tokens", "admin"],
            ["audit", "Audit", "admin"],
        ],
    ],
];

/** Views that belong to another one of the navigation. */
const PARENTS = { schedule: "schedules", edit: "schedules", new: "schedules", run: "runs" };

const menuOpen = signal(false);
const helpOpen = signal(false);

function Navigation() {
    const name = path.value[0] ?? "";
    const current = PARENTS[/** @type {keyof typeof PARENTS} */ (name)] ?? name;
    return html`<nav id="nav" class="nav ${menuOpen.value ? "open" : ""}" aria-label="Main">
        <a class="brand" href=${href([])}>Belfry</a>
        ${GROUPS.map(([title, entries]) => {
            const shown = entries.filter(([, , right]) => !right || may(right));
            if (shown.length === 0) return null;
            return html`<div class="nav-group">
                ${title ? html`<p class="nav-title">${title}</p>` : null}
                ${shown.map(
                    ([segment, text]) =>
                        html`<a
                            href=${href(segment ? [segment] : [])}
                            aria-current=${segment === current ? "page" : null}
                            onClick=${() => (menuOpen.value = false)}
                            >${text}</a
                        >`,
                )}
            </div>`;
        })}
    </nav>`;
}

function Search() {
    const [text, setText] = useState("");
    useEffect(
        () =>
            addShortcuts([
                {
                    keys: "/",
                    text: "Search schedules",
                    run: () => document.getElementById("search")?.focus(),
                },
                { keys: "?", text: "Show the keyboard shortcuts", run: () => (helpOpen.value = true) },
            ]),
        [],
    );
    const submit = (/** @type {Event} */ event) => {
        event.preventDefault();
        if (/^r_[a-z0-9]+$/i.test(text.trim())) go(["run", text.trim()]);
        else go(["schedules"], { search: text.trim() });
        setText("");
    };
    return html`<form class="search" role="search" onSubmit=${submit}>
        <input
            id="search"
            type="search"
            placeholder="Search schedules, or a run id"
            aria-label="Search schedules, or a run id"
            value=${text}
            onInput=${(/** @type {any} */ event) => setText(event.target.value)}
            onKeyDown=${(/** @type {any} */ event) => event.key === "Escape" && event.target.blur()}
        />
    </form>`;
}

function ZoneChoice() {
    const choice = zoneChoice.value;
    const known = ["viewer", "schedule", "UTC"];
    return html`<label class="zone">
        <span class="hidden">Time zone of this page</span>
        <select
            value=${choice}
            title="Time zone of all times on this page"
            onChange=${(/** @type {any} */ event) =>
                setQuery({ tz: event.target.value === "viewer" ? null : event.target.value })}
        >
            <option value="viewer">${viewerZone} (yours)</option>
            <option value="schedule">Zone of the schedule</option>
            <option value="UTC">UTC</option>
            ${known.includes(choice) ? null : html`<option value=${choice}>${choice}</option>`}
        </select>
    </label>`;
}

function NamespaceChoice() {
    const canList = may("server");
    const list = useResource(canList ? "namespaces" : "", (abort) =>
        get("/api/v1/namespaces", { limit: 1000 }, abort),
    );
    const names = (list.data?.namespaces ?? []).map((/** @type {any} */ one) => one.name ?? one.namespace ?? one.id);
    if (names.length < 2) return null;
    return html`<label>
        <span class="hidden">Namespace</span>
        <select
            value=${namespace() || "default"}
            title="Namespace"
            onChange=${(/** @type {any} */ event) =>
                go([], { namespace: event.target.value === "default" ? null : event.target.value })}
        >
            ${names.map((/** @type {string} */ name) => html`<option value=${name}>${name}</option>`)}
        </select>
    </label>`;
}

const THEMES = /** @type {const} */ (["system", "light", "dark"]);

/** @param {string} theme */
function applyTheme(theme) {
    document.documentElement.dataset.theme = theme;
}
applyTheme(localStorage.getItem("belfry.theme") ?? "system");

function ThemeChoice() {
    const [theme, setTheme] = useState(localStorage.getItem("belfry.theme") ?? "system");
    const next = THEMES[(THEMES.indexOf(/** @type {any} */ (theme)) + 1) % THEMES.length];
    const change = () => {
        localStorage.setItem("belfry.theme", next);
        applyTheme(next);
        setTheme(next);
    };
    const sign = { system: "◐", light: "☀", dark: "☾" }[theme] ?? "◐";
    return html`<button type="button" class="plain" onClick=${change} title="Colours: ${theme}; switch to ${next}" aria-label="Colours: ${theme}; switch to ${next}">
        ${sign}
    </button>`;
}

function LiveSign() {
    const state = connection.value === "down" ? "down" : liveState.value;
    const text = {
        live: "Live: changes appear by themselves",
        connecting: "Connecting to the event stream",
        off: "Paused while the page is hidden",
        down: "The server does not answer; trying again",
    }[state];
    return html`<span class="live live-${state}" role="status" title=${text}>
        <span class="dot" aria-hidden="true"></span><span class="live-text">${state === "live" ? "live" : state}</span>
    </span>`;
}

function Help() {
    return html`<${Dialog} title="Keyboard shortcuts" onClose=${() => (helpOpen.value = false)}>
        <dl class="keys">
            ${shortcuts.value.map(
                ({ keys, text }) => html`<dt>
                        ${keys.split(" ").map((key) => html`<kbd>${key}</kbd> `)}
                    </dt>
                    <dd>${text}</dd>`,
            )}
            <dt><kbd>Esc</kbd></dt>
            <dd>Close a dialog</dd>
        </dl>
    <//>`;
}

/** The ledger balance of the whole namespace, the version and the time of the server. */
function Footer() {
    const version = useResource("version", (abort) => get("/version", {}, abort));
    const balance = useResource(
        `balance ${namespace()}`,
        (abort) => get("/api/v1/ledger/balance", {}, abort),
        { every: 60_000, keep: true },
    );
    const of = balance.data;
    const words = {
        balanced: ["ok", "✓"],
        unbalanced: ["bad", "✕"],
        running: ["off", "…"],
        unknown: ["off", "?"],
    };
    const [tone, sign] = words[/** @type {keyof typeof words} */ (of?.result ?? "unknown")] ?? words.unknown;
    return html`<footer class="footer">
        ${of
            ? html`<span class="tone-text-${tone}">
                  <span aria-hidden="true">${sign}</span>${" "}
                  ${of.result === "balanced"
                      ? html`Ledger balanced: ${plural(of.slots ?? 0, "slot")} of ${plural(of.schedules ?? 0, "schedule")} each have one outcome`
                      : of.result === "unbalanced"
                        ? html`Ledger not balanced: ${plural(of.differenceCount ?? 0, "schedule")} differ`
                        : html`Ledger balance: ${of.result}`}
                  ${of.asOf ? html` <span class="faint">(<${Time} at=${of.asOf} relative />)</span>` : null}
              </span>`
            : html`<span class="faint">Ledger balance not known</span>`}
        <span class="grow"></span>
        <span class="faint">
            Times in ${zoneChoice.value === "schedule" ? "the zone of each schedule" : zoneName()}
        </span>
        <span class="faint num" title="The server's time">${fullTime(now.value, "UTC")} UTC</span>
        <span class="faint">Belfry ${version.data?.version ?? ""}</span>
        <a href="/openapi.json">API</a>
    </footer>`;
}

/** @param {{children?: any}} props */
export function Frame({ children }) {
    return html`<div class="frame">
        <a class="skip" href="#main" onClick=${(/** @type {Event} */ event) => {
            event.preventDefault();
            document.getElementById("main")?.focus();
        }}>Skip to the content</a>
        <${Navigation} />
        <div class="body">
            <div class="bar">
                <button
                    type="button"
                    class="plain menu"
                    aria-label="Menu"
                    aria-controls="nav"
                    aria-expanded=${menuOpen.value ? "true" : "false"}
                    onClick=${() => (menuOpen.value = !menuOpen.value)}
                >
                    ☰
                </button>
                <${Search} />
                <span class="grow"></span>
                <${NamespaceChoice} />
                <${ZoneChoice} />
                <${LiveSign} />
                <button type="button" class="plain" aria-label="Keyboard shortcuts" title="Keyboard shortcuts (?)" onClick=${() => (helpOpen.value = true)}>?</button>
                <${ThemeChoice} />
                ${me.value?.expiresAt
                    ? html`<button type="button" onClick=${logout} title="Logged in as ${me.value.name}">Log out</button>`
                    : null}
            </div>
            ${connection.value === "down"
                ? html`<p class="banner tone-bad" role="alert">
                      The server does not answer. This page shows what it knew last, and continues by itself.
                  </p>`
                : null}
            <main id="main" tabindex="-1" class="main">${children}</main>
            <${Footer} />
        </div>
        ${helpOpen.value ? html`<${Help} />` : null}
    </div>`;
}
