/** Every cell of the fault matrix, or the share of them that `npm run test:all` takes, is as `docs/reliability.md` says. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, test } from "vitest";
import { FILES } from "../../formats/file-names.ts";
import { historyLineJson } from "../../formats/history.ts";
import { fnv1a } from "../../lib/hash.ts";
import { assay, newFile, newFolder } from "../support/commands/assay-process.ts";
import { unspoiled } from "../support/commands/busy-machine.ts";
import { makeRun } from "../support/results/load-run.ts";
import { madeLine } from "../support/results/made-history.ts";
import { type MockProcess, startMockProcess } from "../support/targets/spawned-mock.ts";
import type { Command, Fault, Outcome } from "./cell.ts";
import { COMMANDS } from "./commands-under-test.ts";
import { differences } from "./differences.ts";
import { FAULTS, type FaultName } from "./fault-rows.ts";
import { type CommandName, MATRIX, SHARE } from "./matrix.ts";
import { impediment, longestOf, needsLongTasks, runCell, type Shared } from "./run-cell.ts";

/**
 * Which cells to run: `all`, a `sample`, or those whose "fault x command" matches; absent: the share. A sample is the share and
 * others.
 */
const chosen = process.env["FAULT_MATRIX"];

/** In addition to the share, a sample holds one of N cells, always the same, chosen by the hashes of their names. */
const SAMPLED = 8;

const isFault = (name: string): name is FaultName => Object.hasOwn(FAULTS, name);
const isCommand = (name: string): name is CommandName => Object.hasOwn(COMMANDS, name);

let recorded: Shared["recorded"];
beforeAll(async () => {
  const [load = "", sameLoad = "", conformance = ""] = ["load", "same", "conformance"].map((name) =>
    join(newFolder(), name),
  );
  const isNeeded = (name: CommandName) => cells().some(({ command }) => command === name);
  for (const run of [load, sameLoad]) {
    mkdirSync(run);
    for (const [name, lines] of Object.entries(makeRun())) writeFileSync(join(run, `${name}.jsonl`), lines.join("\n"));
  }
  if (isNeeded("replay")) {
    const { url, stop } = await startMockProcess("--timing", "fast", "--work", "800ms");
    await assay(["conformance", "--target", url, "--only", "chat.*", "--out", conformance], { ASSAY_API_KEY: "k" });
    await stop();
  }
  const history = newFile(FILES.history, historyLineJson(madeLine({ day: 1 })));
  recorded = { load, sameLoad, conformance, history };
});

/** A mock whose video tasks take this long. */
const startMock = (workMs: number) => startMockProcess("--timing", "fast", "--work", `${workMs}ms`);
const [LONG_WORK_MS, SHORT_WORK_MS] = [600_000, 800];

/** Mocks that no cell uses now, by how long their tasks take: a cell counts the tasks of its own. */
const idle: Record<number, MockProcess[]> = { [LONG_WORK_MS]: [], [SHORT_WORK_MS]: [] };

/** What a conformance run says where the machine was too busy to poll a task in time. */
const ENDED_TOO_SOON = 'finished before any poll saw "processing"';

describe.concurrent.each(cells())("$fault", ({ fault, command, expected }) => {
  const row: Fault = FAULTS[fault];
  const column: Command = COMMANDS[command];
  test(`${fault} x ${command}`, { timeout: 4 * longestOf(column) }, async ({ skip, expect }) => {
    const why = impediment(row);
    if (why !== undefined) return skip(why);
    let workMs = needsLongTasks(row, column) ? LONG_WORK_MS : SHORT_WORK_MS;
    const used = idle[workMs];
    const mock = used?.pop() ?? (await startMock(workMs));
    const found = await unspoiled(
      async () => {
        const longer = [LONG_WORK_MS, SHORT_WORK_MS].includes(workMs) ? undefined : await startMock(workMs);
        return runCell(row, column, { mock: longer ?? mock, recorded });
      },
      (each) => {
        const wrong = differences(each, expected).join("; ");
        if (wrong === "") return undefined;
        if (each.isClientLimited) return `a load is CLIENT-LIMITED: ${wrong}`;
        if (!each.output.includes(ENDED_TOO_SOON)) return undefined;
        workMs *= 4;
        return "a task ended before a request found it processing";
      },
    );
    used?.push(mock);
    expect(differences(found, expected), found.output).toEqual([]);
  });
});

function isChosen(fault: FaultName, command: CommandName): boolean {
  const name = `${fault} x ${command}`;
  const column: Command = COMMANDS[command];
  const isShared = SHARE.some((cell) => cell[0] === fault && cell[1] === command);
  if (chosen === undefined || chosen === "") return isShared;
  if (chosen === "sample") return isShared || (column.isLong !== true && (fnv1a(name) >>> 8) % SAMPLED === 0);
  return chosen === "all" || new RegExp(chosen).test(name);
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
