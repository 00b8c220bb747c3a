/** docs/outputs.md names the gauges of servers that are known. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { KNOWN_SERVERS, ROLE_NAMES, ROLES } from "../../reports/load/metrics/known-series.ts";
import { tableRows } from "../../tests/support/pages/markdown-tables.ts";

const page = readFileSync(new URL("../../docs/outputs.md", import.meta.url), "utf8");

test("the page has the known gauges of each server", () => {
  const rows = tableRows(page, ["server", ...ROLE_NAMES.map((role) => ROLES[role].title)]);
  const expected = KNOWN_SERVERS.map(({ server, gauges }) => ({
    server,
    ...Object.fromEntries(ROLE_NAMES.map((role) => [ROLES[role].title, (gauges[role] ?? ["-"]).join(", ")])),
  }));
  expect(rows.map((row) => ({ ...row }))).toEqual(expected);
});
