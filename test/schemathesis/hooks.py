# SPDX-License-Identifier: Apache-2.0
"""What schemathesis must not do to the server under test, and one more check."""

import os
import re

import schemathesis
from schemathesis.core.failures import AcceptedNegativeData
from schemathesis.openapi.checks import RejectedPositiveData

# An address that the server refuses to call, so that no request leaves this machine.
HARMLESS = "http://127.0.0.1/"
DURATION = re.compile(r"([0-9]+(\.[0-9]+)?(d|h|m|s|ms|us|ns))+")
ETAG = re.compile(r'\*|"[1-9][0-9]{0,17}"')
IN_USE = os.environ.get("BELFRY_TOKENS_IN_USE", "").split(",")


def operation_of(case):
    return case.operation.definition.raw.get("operationId")


def disarm(value):
    """Replaces the URLs that runs would call."""
    if isinstance(value, list):
        for one in value:
            disarm(one)
    elif isinstance(value, dict):
        for key, one in value.items():
            if key == "url" and isinstance(one, str) and one.startswith(("http://", "https://")):
                value[key] = HARMLESS
            disarm(one)


@schemathesis.hook
def before_call(context, case, kwargs):
    disarm(case.body)
    # A claim waits for up to a minute, and nothing is gained by waiting.
    if operation_of(case) == "queue.claim" and isinstance(case.body, dict):
        wait = case.body.get("wait")
        if isinstance(wait, str) and DURATION.fullmatch(wait):
            case.body["wait"] = "1ms"


@schemathesis.hook
def filter_path_parameters(context, path_parameters):
    """The tokens of this run are not deleted."""
    return str((path_parameters or {}).get("token")) not in IN_USE


def has_item_error(response):
    try:
        results = response.json()["results"]
        return any(one["status"] in ("error", "invalid") for one in results)
    except (KeyError, TypeError, ValueError):
        return False


def is_refused_json(response):
    try:
        return response.json()["code"] == "invalid_json"
    except (KeyError, TypeError, ValueError):
        return False


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Drops reports that are wrong."""
    if isinstance(failure, RejectedPositiveData):
        # The description limits all JSON (no U+0000, integers of 64 bits); a schema cannot.
        # For coverage, schemathesis sends `0` as If-Match, which does not match the pattern.
        sent = response.request.headers.get("If-Match")
        return not (is_refused_json(response) or (sent and not ETAG.fullmatch(sent)))
    # A batch answers 200, with an error for each invalid item: such an item was rejected.
    is_batch = "/bulk/" in case.path or re.fullmatch(r"/api/v1/runs/[a-z]+", case.path)
    return not (isinstance(failure, AcceptedNegativeData) and is_batch and has_item_error(response))


@schemathesis.check
def is_not_rate_limited(context, response, case):
    """A request that a rate limit rejects tests nothing."""
    assert response.status_code != 429, "429: a rate limit rejected the request"
