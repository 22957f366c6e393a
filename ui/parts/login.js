/* SPDX-License-Identifier: Apache-2.0 */
/* Login: exchanges a token for a session cookie.  The token is kept nowhere. */
import { html, signal, useState } from "../lib/html.js";
import { connection, request } from "../lib/api.js";
import { Field, Problem, toast } from "./basic.js";

/**
 * Who uses the page: name, role and namespace; null if the server needs no token.
 * @type {import("../vendor/signals.js").Signal<any>}
 */
export const me = signal(null);

/** Which rights each role has; the server decides, this only hides what it would deny. */
const RIGHTS = {
    viewer: ["view"],
    operator: ["view", "operate"],
    editor: ["view", "operate", "edit"],
    admin: ["view", "operate", "edit", "admin"],
    worker: ["work"],
};

/** @param {"view" | "operate" | "edit" | "admin" | "server"} right */
export function may(right) {
    const caller = me.value;
    if (!caller?.role) return true;
    const roles = String(caller.role).split("+");
    if (right === "server") return roles.includes("admin") && caller.namespace === "*";
    return roles.some((role) => RIGHTS[/** @type {keyof typeof RIGHTS} */ (role)]?.includes(right));
}

export async function logout() {
    try {
        await request("DELETE", "/api/v1/session");
    } catch (error) {
        toast(/** @type {Error} */ (error).message, "bad");
        return;
    }
    me.value = null;
    connection.value = "login";
}

export function Login() {
    const [token, setToken] = useState("");
    const [error, setError] = useState(/** @type {any} */ (null));
    const submit = async (/** @type {Event} */ event) => {
        event.preventDefault();
        setError(null);
        try {
            me.value = await request("POST", "/api/v1/session", {
                headers: { Authorization: `Bearer ${token.trim()}` },
            });
            setToken("");
            connection.value = "ok";
        } catch (problem) {
            setError(problem);
        }
    };
    return html`<main class="login">
        <form class="card form" onSubmit=${submit}>
            <h1>Belfry</h1>
            <p class="sub">This server needs a token.</p>
            <${Field}
                label="Token"
                hint=${html`Create one on the server: <code>belfry token create NAME --role viewer</code>`}
            >
                <input
                    type="password"
                    autocomplete="off"
                    spellcheck=${false}
                    required
                    autofocus
                    value=${token}
                    onInput=${(/** @type {any} */ event) => setToken(event.target.value)}
                />
            <//>
            ${error ? html`<${Problem} error=${error} />` : null}
            <button type="submit" class="primary">Log in</button>
            <p class="faint small">The browser stays logged in for 12 hours, or until the token ends.</p>
        </form>
    </main>`;
}
