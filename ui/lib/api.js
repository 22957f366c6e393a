// SPDX-License-Identifier: Apache-2.0
//
// Requests to the server.

/** @returns {Promise<string>} the version of the server */
export async function readVersion() {
    const answer = await fetch('/version');
    return (await answer.json()).version;
}
