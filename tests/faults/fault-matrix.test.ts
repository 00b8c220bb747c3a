/** Every cell of the fault matrix, or the share of them that `npm test` takes, is as `docs/reliability.md` says. */

import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { assay, newFolder } from "../support/assay-process.ts";
import { startMockProcess } from "../support/spawned-mock.ts";
import type { Command, Fault, Outcome } from "./cell.ts";
import { COMMANDS } from "./commands-under-test.ts";
import { FAULTS, type FaultName } from "./fault-rows.ts";
import { type CommandName, MATRIX, SHARE } from "./matrix.ts";
import { impediment, runCell, type Shared } from "./run-cell.ts";

/** Which cells to run: all, or those whose "fault x command" matches; absent: the share. */
const chosen = process.env["FAULT_MATRIX"];

const isFault = (name: string): name is FaultName => Object.hasOwn(FAULTS, name);
const isCommand = (name: string): name is CommandName => Object.hasOwn(COMMANDS, name);

let shared: Shared;
beforeAll(async () => {
  const slow = await startMockProcess("--timing", "fast", "--work", "10m");
  const quick = await startMockProcess("--timing", "fast", "--work", "800ms");
  const recorded = join(newFolder(), "recorded");
  const flags = ["--warmup", "0", "--duration", "1s", "--no-default-slos", "--slo", "ok>=1"];
  await assay(["load", "chat", "--target", quick.url, "--out", recorded, ...flags]);
  shared = { slow, quick, recorded };
});

describe.each(cells())("$fault", ({ fault, command, expected }) => {
  test(`${fault} x ${command}`, async ({ skip }) => {
    const row: Fault = FAULTS[fault];
    const column: Command = COMMANDS[command];
    const why = impediment(row);
    if (why !== undefined) return skip(why);
    const found = await runCell(row, column, shared);
    expect(found.left, found.output).toEqual([]);
    const { exit, result, tasks } = found;
    const code = exit === 2 && expected.exit === 0 && found.isClientLimited ? 0 : exit;
    expect({ exit: code, result }, found.output).toEqual({ exit: expected.exit, result: expected.result });
    expect(expected.tasks.split(" or "), found.output).toContain(tasks);
    if (found.isClientLimited && expected.exit === 0) return;
    let from = 0;
    for (const part of expected.says.split("…")) {
      const at = found.output.indexOf(part, from);
      expect(at, `"${expected.says}" in ${found.output}`).toBeGreaterThanOrEqual(from);
      from = at + part.length;
    }
  });
});

/** The cells to run; those that do not apply are left out. */
function cells() {
  const all = Object.entries(MATRIX).flatMap(([fault, row]) =>
    Object.entries<Outcome | string>(row).map(([command, expected]) => ({ fault, command, expected })),
  );
  return all.flatMap(({ fault, command, expected }) => {
    if (typeof expected === "string" || !isFault(fault) || !isCommand(command)) return [];
    const isChosen =
      chosen === undefined
        ? SHARE.some((cell) => cell[0] === fault && cell[1] === command)
        : chosen === "all" || new RegExp(chosen).test(`${fault} x ${command}`);
    return isChosen ? [{ fault, command, expected }] : [];
  });
}
