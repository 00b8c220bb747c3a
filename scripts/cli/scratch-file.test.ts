/** The scratch file of a report: seen by nobody else, gone with the process, and a full disk is one sentence. */

import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { Column } from "../../reports/load/stats/column.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { ScratchFile, scratchPages } from "./scratch-file.ts";

const folder = mkdtempSync(join(tmpdir(), "assay-scratch-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

const FULL = "/dev/full";

function filled(values: number): ReturnType<typeof scratchPages> & { readonly list: Column } {
  const pages = scratchPages("Nothing is lost.", 100_000);
  const list = new Column(pages.store);
  for (let value = 0; value < values; value += 1) list.push(value / 3);
  return { ...pages, list };
}

test("has no name, and is written beyond the budget only", () => {
  vi.stubEnv("TMPDIR", folder);
  const few = filled(1_000);
  const many = filled(100_000);
  expect([few.store.scratchBytes, readdirSync(folder)]).toEqual([0, []]);
  expect(many.store.scratchBytes).toBeGreaterThan(600_000);
  let [next, wrong] = [0, 0];
  many.list.each((value) => {
    if (value !== next / 3) wrong += 1;
    next += 1;
  });
  expect([next, wrong]).toEqual([100_000, 0]);
  few.close();
  many.close();
  vi.unstubAllEnvs();
});

test("that cannot be made is one sentence with what to do", () => {
  vi.stubEnv("TMPDIR", join(folder, "none"));
  expect(() => filled(100_000)).toThrow(UsageError);
  expect(() => filled(100_000)).toThrow(
    /^Cannot keep what the report needs of each record in a file in .*none: there is no such file or folder\. Free space there, or name a folder on another disk with TMPDIR\. Nothing is lost\.$/,
  );
  vi.unstubAllEnvs();
});

test.skipIf(!existsSync(FULL))("on a full disk is one sentence with what to do", () => {
  const descriptor = openSync(FULL, "r+");
  const file = new ScratchFile(descriptor, "Nothing is lost.");
  expect(() => file.write(new Uint8Array(64), 0)).toThrow(/ENOSPC: no space left on device.* Nothing is lost\.$/);
  closeSync(descriptor);
});
