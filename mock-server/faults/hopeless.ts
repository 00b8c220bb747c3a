/** A family: services that do the same to every request. A judge of them must end in bounded time, and not green. */

import { errorResponse, jsonResponse, type PlainResponse } from "../base/mock-response.ts";
import { fault } from "../variants/variant.ts";

const problem = (status: number): PlainResponse =>
  errorResponse({ status, message: "the service is hopeless", code: "hopeless", param: null });
const text = (status: number, type: string, body: string): PlainResponse => ({
  ...jsonResponse(status, body),
  headers: { "content-type": type },
});
const retry = (status: number): PlainResponse => {
  const given = problem(status);
  return { ...given, headers: { ...given.headers, "retry-after": "1" } };
};

const HOPELESS: readonly { readonly name: string; readonly about: string; readonly given: PlainResponse }[] = [
  { name: "all-400", about: "everything is answered with 400", given: problem(400) },
  { name: "all-401", about: "everything is answered with 401", given: problem(401) },
  { name: "all-404", about: "everything is answered with 404", given: problem(404) },
  { name: "all-429", about: "everything is answered with 429 and Retry-After: 1", given: retry(429) },
  { name: "all-500", about: "everything is answered with 500", given: problem(500) },
  { name: "all-503", about: "everything is answered with 503 and Retry-After: 1", given: retry(503) },
  {
    name: "all-html",
    about: "everything is answered with 200 and a page of HTML",
    given: text(200, "text/html", "<!doctype html><title>Welcome</title><p>It works!"),
  },
  { name: "all-empty-object", about: "everything is answered with 200 and {}", given: jsonResponse(200, {}) },
  {
    name: "all-empty-body",
    about: "everything is answered with 200 and no body",
    given: text(200, "application/json", ""),
  },
  {
    name: "all-redirect",
    about: "everything is redirected to the same place for ever",
    given: { ...jsonResponse(307, {}), headers: { location: "/v1/again" } },
  },
  { name: "all-silent", about: "nothing is ever answered", given: { ...jsonResponse(200, {}), ending: "hang" } },
  { name: "all-reset", about: "every connection is reset", given: { ...jsonResponse(200, {}), ending: "reset" } },
  {
    name: "all-cut",
    about: "every answer is cut in half",
    given: { ...jsonResponse(200, { half: "only" }), ending: "cut" },
  },
  {
    name: "all-endless",
    about: "every answer has a body without end",
    given: { ...jsonResponse(200, {}), ending: "endless" },
  },
];

export default HOPELESS.map(({ name, about, given }) =>
  fault({ name, about, breaks: ["chat.minimal"], transform: () => given, transformStream: () => given }),
);
