import { expect, test } from "vitest";
import { isPage, titledPage } from "../../../lib/foreign-page.ts";
import pages from "../../../scenarios/testdata/pages.json" with { type: "json" };
import { pageAdvice } from "./refused-by-page.ts";

const refusal = { op: "chat.stream", outcome: "http_error", status: 403 };
const page = 'The target returned status 403. It sent an HTML page, "403 Forbidden".';

test.each([400, 403, 405, 406])("a page with %i may be that of a firewall", (status) => {
  expect(pageAdvice({ ...refusal, status, reason: page })).toContain(
    "a firewall before it may refuse requests by what",
  );
});

test.each(pages)("a page $name is taken for one as the load generator names it", ({ body, title, says }) => {
  expect(titledPage(body)).toBe(title && `an HTML or XML page, "${title}"`);
  expect(pageAdvice({ ...refusal, reason: `The target returned status 403. ${says}` }) !== undefined).toBe(
    isPage(body),
  );
});

test.each([
  { reason: 'The target returned status 403. {"error":"<title>no</title>"}' },
  { reason: undefined },
  { status: 502, reason: page },
  { status: undefined, outcome: "malformed", reason: page },
])("other failures, such as %j, are not explained by it", (change) => {
  expect(pageAdvice({ ...refusal, ...change })).toBeUndefined();
});
