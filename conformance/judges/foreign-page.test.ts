import { expect, test } from "vitest";
import { titledPage } from "../../lib/foreign-page.ts";
import { answering } from "../../tests/support/targets/answering.ts";
import { accepted, errorOf } from "./acceptance.ts";

const PAGE =
  '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN">\n<html><head>\n<title>\n403 Forbidden</title>\n</head>';

test("a page is named by its title, for a terminal too", () => {
  expect(titledPage(PAGE)).toBe('an HTML or XML page, "403 Forbidden"');
  expect(titledPage("<html><title>\u001b[31mno</title>")).toBe('an HTML or XML page, "�[31mno"');
  expect(titledPage("<html><body>no</body></html>")).toBeUndefined();
  expect(titledPage('{"error":"<title>no</title>"}')).toBeUndefined();
});

test("a legal request that is refused with a page may have been refused by a firewall before the service", () => {
  const refused = answering(PAGE, 403);
  expect(errorOf(refused)).toBe(': an HTML or XML page, "403 Forbidden"');
  expect(accepted(refused)).toMatchObject({
    kind: "broken",
    observed: expect.stringMatching(
      /returned 403: an HTML or XML page, .*a firewall before it may refuse requests by what/,
    ),
  });
  for (const status of [404, 413, 502]) {
    expect(accepted(answering(PAGE, status))).toMatchObject({ observed: expect.not.stringContaining("firewall") });
  }
  expect(accepted(answering({ error: "no" }, 403))).toMatchObject({
    observed: expect.not.stringContaining("firewall"),
  });
});
