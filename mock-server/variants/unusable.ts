/** Targets that return the same response to every request: a check of them must end in bounded time, and not pass. */

import { gzipSync } from "node:zlib";
import type { Json } from "../../lib/json.ts";
import { errorResponse, jsonResponse, type PlainResponse } from "../base/mock-response.ts";
import { always, replaced } from "./transforms.ts";
import { fault, type Variant } from "./variant.ts";

const error = (status: number): PlainResponse =>
  errorResponse({ status, message: "the service is unusable", code: "unusable", param: null });

const RETRY_LATER = { "retry-after": "1" };
const withHeader = (response: PlainResponse, header: Readonly<Record<string, string>>): PlainResponse => ({
  ...response,
  headers: { ...response.headers, ...header },
});

/** A JSON document that is nested more deeply than any parser that recurses can follow. */
const DEEP = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;

/** JSON of some other service, with names that responses of this one have too. */
const OTHER_JSON: Json = {
  id: "3f2a",
  data: { total: 3, rows: [1, null, "x"] },
  status: { code: 0 },
  model: ["T"],
  choices: "none",
  usage: 12,
};

/** Bytes that are no text: a fixed sequence, so that runs can be compared. */
const GARBAGE = Buffer.from(Array.from({ length: 512 }, (_, i) => (i * 167 + 131) % 256));

const BOMB_BYTES = 64 * 1024 * 1024;
let zipped: Buffer | undefined;
/** 64 MiB of white space in about as many KiB; made when it is first wanted. */
const bomb = (): Buffer => {
  zipped ??= gzipSync(Buffer.alloc(BOMB_BYTES, " "));
  return zipped;
};

const HTML = "<!doctype html><title>Welcome</title><p>It works!";

export const unusable: readonly Variant[] = [
  fault("all-400", "any", "every response is 400", always(error(400))),
  fault("all-401", "any", "every response is 401", always(error(401))),
  fault("all-404", "any", "every response is 404", always(error(404))),
  fault("all-429", "any", "every response is 429 with Retry-After: 1", always(withHeader(error(429), RETRY_LATER))),
  fault("all-500", "any", "every response is 500", always(error(500))),
  fault("all-503", "any", "every response is 503 with Retry-After: 1", always(withHeader(error(503), RETRY_LATER))),
  fault(
    "all-html",
    "any",
    "every response is 200 with an HTML page",
    always(withHeader(jsonResponse(200, HTML), { "content-type": "text/html" })),
  ),
  fault("all-empty-object", "any", "every response is 200 with {}", always(jsonResponse(200, {}))),
  fault("all-null", "any", "every response is 200 with null", always(jsonResponse(200, null))),
  fault("all-array", "any", "every response is 200 with an array", always(jsonResponse(200, [1, "two", { three: 3 }]))),
  fault(
    "all-echo",
    "any",
    "every response is 200 with the body of the request",
    replaced((request) => jsonResponse(200, request.body)),
  ),
  fault(
    "all-other-json",
    "any",
    "every response is 200 with JSON of another service",
    always(jsonResponse(200, OTHER_JSON)),
  ),
  fault("all-deep-json", "any", "every response is 200 with JSON of 100,000 levels", always(jsonResponse(200, DEEP))),
  fault(
    "all-garbage",
    "any",
    "every response is 200 with bytes that are no text",
    always({ ...jsonResponse(200, ""), bytes: GARBAGE }),
  ),
  fault(
    "all-gzip-bomb",
    "any",
    "every response is 200 with 64 MiB of white space, compressed",
    replaced(() => withHeader({ ...jsonResponse(200, ""), bytes: bomb() }, { "content-encoding": "gzip" })),
  ),
  fault("all-empty-body", "any", "every response is 200 without a body", always(jsonResponse(200, ""))),
  fault(
    "all-redirect",
    "any",
    "every response is a redirect to the same address",
    always(withHeader(jsonResponse(307, {}), { location: "/v1/again" })),
  ),
  fault("all-silent", "any", "no request gets a response", always({ ...jsonResponse(200, {}), ending: "hang" })),
  fault("all-reset", "any", "every connection is reset", always({ ...jsonResponse(200, {}), ending: "reset" })),
  fault(
    "all-cut",
    "any",
    "every response is cut in half",
    always({ ...jsonResponse(200, { half: "only" }), ending: "cut" }),
  ),
  fault(
    "all-endless",
    "any",
    "every response has a body without end",
    always({ ...jsonResponse(200, {}), ending: "endless" }),
  ),
];
