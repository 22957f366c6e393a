// SPDX-License-Identifier: Apache-2.0
//
// Shows the version of the server.
import { h, render } from './vendor/preact.js';
import htm from './vendor/htm.js';
import { signal } from './vendor/signals.js';
import { readVersion } from './lib/api.js';

const html = htm.bind(h);
const version = signal('');

function App() {
    return html`<h1>Belfry</h1><p>Version ${version.value}</p>`;
}

render(html`<${App} />`, /** @type {Element} */ (document.getElementById('app')));
version.value = await readVersion();
