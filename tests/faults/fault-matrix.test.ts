/** Every cell of the fault matrix, or the share of them that `npm test` takes, is as `docs/reliability.md` says. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { fnv1a } from "../../lib/hash.ts";
import { assay, newFolder } from "../support/assay-process.ts";
import { unspoiled } from "../support/busy-machine.ts";
import { makeRun } from "../support/load-run.ts";
import { startMockProcess } from "../support/spawned-mock.ts";
import type { Command, Fault, Outcome } from "./cell.ts";
import { COMMANDS } from "./commands-under-test.ts";
import { differences } from "./differences.ts";
import { FAULTS, type FaultName } from "./fault-rows.ts";
import { type CommandName, MATRIX, SHARE } from "./matrix.ts";
import { impediment, longestOf, runCell, type Shared } from "./run-cell.ts";

/** Which cells to run: `all`, a `sample` of them, or those whose "fault x command" matches; absent: the share. */
const chosen = process.env["FAULT_MATRIX"];

/** A sample holds one of so many cells, always the same, chosen by the hashes of their names. */
const SAMPLED = 4;

const isFault = (name: string): name is FaultName => Object.hasOwn(FAULTS, name);
const isCommand = (name: string): name is CommandName => Object.hasOwn(COMMANDS, name);

let shared: Shared;
beforeAll(async () => {
  const slow = await startMockProcess("--timing", "fast", "--work", "10m");
  const quick = await startMockProcess("--timing", "fast", "--work", "800ms");
  const [load = "", sameLoad = "", conformance = ""] = ["load", "same", "conformance"].map((name) =>
    join(newFolder(), name),
  );
  const isNeeded = (name: CommandName) => cells().some(({ command }) => command === name);
  for (const run of [load, sameLoad]) {
    mkdirSync(run);
    for (const [name, lines] of Object.entries(makeRun())) writeFileSync(join(run, `${name}.jsonl`), lines.join("\n"));
  }
  const only = ["--only", "chat.*", "--out", conformance];
  if (isNeeded("replay")) await assay(["conformance", "--target", quick.url, ...only], { ASSAY_API_KEY: "k" });
  shared = { slow, quick, recorded: { load, sameLoad, conformance } };
});

describe.each(cells())("$fault", ({ fault, command, expected }) => {
  const row: Fault = FAULTS[fault];
  const column: Command = COMMANDS[command];
  test(`${fault} x ${command}`, { timeout: 4 * longestOf(column) }, async ({ skip }) => {
    const why = impediment(row);
    if (why !== undefined) return skip(why);
    const found = await unspoiled(
      () => runCell(row, column, shared),
      (each) => each.isClientLimited && differences(each, expected).length > 0,
    );
    expect(differences(found, expected), found.output).toEqual([]);
  });
});

function isChosen(fault: FaultName, command: CommandName): boolean {
  const name = `${fault} x ${command}`;
  if (chosen === undefined) return SHARE.some((cell) => cell[0] === fault && cell[1] === command);
  if (chosen !== "sample") return chosen === "all" || new RegExp(chosen).test(name);
  const column: Command = COMMANDS[command];
  return column.isLong !== true && (fnv1a(name) >>> 8) % SAMPLED === 0;
}

/** The cells to run; those that do not apply are left out. */
function cells() {
  const all = Object.entries(MATRIX).flatMap(([fault, row]) =>
    Object.entries<Outcome | string>(row).map(([command, expected]) => ({ fault, command, expected })),
  );
  return all.flatMap(({ fault, command, expected }) => {
    if (typeof expected === "string" || !isFault(fault) || !isCommand(command)) return [];
    return isChosen(fault, command) ? [{ fault, command, expected }] : [];
  });
}
