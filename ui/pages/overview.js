/* SPDX-License-Identifier: Apache-2.0 */
import { html } from "../lib/html.js";
import { Head } from "../parts/basic.js";

export function Overview() {
    return html`<${Head} title="Overview" />`;
}
