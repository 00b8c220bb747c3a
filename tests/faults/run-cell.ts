/** Runs one command under one fault, and finds out what came of it. */

import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, vi } from "vitest";
import { z } from "zod";
import { type Calibration, parseCalibration } from "../../formats/calibration.ts";
import { lateTargetStep } from "../../reports/calibration/calibration-steps.ts";
import { openTasksOf } from "../../runs/tasks/open-tasks.ts";
import { assay, cleanEnvironment, leftIn, newFolder } from "../support/commands/assay-process.ts";
import { resultOf } from "../support/results/read-results.ts";
import type { MockProcess } from "../support/targets/spawned-mock.ts";
import type { Cell, Command, Fault, Found, MockState } from "./cell.ts";
import { faultyTarget } from "./faulty-target.ts";
import { CELL_VARIABLE, processesOf } from "./processes-of-cell.ts";
import type { Argv } from "./surroundings.ts";

const program = fileURLToPath(new URL("../../scripts/assay.mjs", import.meta.url));

const mockState = z.object({ tasks: z.record(z.string(), z.number()) });

/** What a cell shares with others. */
export interface Shared {
  /** Whose video tasks go on for ever where `needsLongTasks`, and end soon elsewhere. */
  readonly mock: MockProcess;
  readonly recorded: Cell["recorded"];
}

/** Why a fault cannot be made here; undefined when it can. */
export function impediment({ needs }: Pick<Fault, "needs">): string | undefined {
  if (process.platform !== "linux") return "the processes of a command are found by means of Linux";
  if (needs === undefined) return undefined;
  const [file, ...args] = needs;
  try {
    execFileSync(file, args, { stdio: "ignore" });
    return undefined;
  } catch {
    return `this needs "${needs.join(" ")}", which failed`;
  }
}

/** How long a command may take, in milliseconds; a demo on a quarter of a CPU takes minutes. */
export const longestOf = ({ isLong }: Pick<Command, "isLong">): number => (isLong === true ? 480_000 : 150_000);

/** Whether nothing but the fault or the command ends a video task. */
export const needsLongTasks = (fault: Fault, command: Command): boolean =>
  fault.ends === true || command.hasLongTasks === true;

export async function runCell(fault: Fault, command: Command, shared: Shared): Promise<Found> {
  const isEndless = fault.ends === true;
  const longestMs = longestOf(command);
  const { mock } = shared;
  await fetch(`${mock.url}/_mock/reset`, { method: "POST" });
  const parent = newFolder();
  const folder = join(parent, "disk", "run");
  mkdirSync(dirname(folder));
  const target = await faultyTarget(mock.url);
  const undo: (() => unknown)[] = [
    () => target.stop(),
    () => rmSync(parent, { recursive: true, force: true, maxRetries: 5 }),
  ];
  const mark = randomUUID();
  try {
    await target.become(fault.target ?? "serves");
    const made = (await fault.prepare?.({ parent, folder, undo: (step) => undo.unshift(step) })) ?? {};
    const { address = target.url, flags = [], wrap = (argv: Argv) => argv, stdio = {} } = made;
    const seen = { output: "" };
    const base = { folder, parent, recorded: shared.recorded, target, mock: mock.url, address, flags, isEndless };
    const state = async (): Promise<MockState> => {
      const { tasks } = mockState.parse(await mock.inspect("state"));
      const all = Object.values(tasks).reduce((sum, count) => sum + count, 0);
      return { openTasks: tasks["processing"] ?? 0, tasks: all };
    };
    const ended: { code?: number | null } = {};
    const cell: Cell = {
      ...base,
      get child() {
        return child;
      },
      get pid() {
        return processesOf(mark).find(({ command }) => command.includes(program))?.pid ?? 0;
      },
      processes: () => processesOf(mark),
      writes: (name, text) =>
        reached(
          async () => existsSync(join(folder, name)) && readFileSync(join(folder, name), "utf8").includes(text),
          () => "code" in ended,
          longestMs,
        ),
      until: async (pattern) => {
        await reached(
          async () => pattern.test(seen.output),
          () => "code" in ended,
          longestMs,
        );
        const match = pattern.exec(seen.output);
        return match?.[1] ?? match?.[0];
      },
      signal: (name) => void child.kill(name),
    };
    await command.given?.(cell);
    const own = (await command.env?.(cell)) ?? {};
    const [file = "", ...args] = wrap([process.execPath, program, ...command.args(cell)]);
    const child = spawn(file, args, {
      cwd: parent,
      detached: true,
      env: { ...cleanEnvironment(), ...own, ...made.env, ASSAY_API_KEY: "k", [CELL_VARIABLE]: mark },
      stdio: ["pipe", stdio.stdout ?? "pipe", stdio.stderr ?? "pipe"],
    });
    const closed = new Promise<number | null>((resolve) =>
      child.once("exit", (code) => {
        ended.code = code;
        resolve(code);
      }),
    );
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        seen.output += text;
      });
    }
    if (fault.strike !== undefined) {
      await command.underWay(cell);
      await fault.strike(cell);
    }
    await command.afterwards?.(cell);
    const limit = setTimeout(() => endAll(mark), longestMs);
    let exit = await closed;
    if (made.exitFile !== undefined) exit = await exitIn(made.exitFile);
    await reached(
      async () => processesOf(mark).length === 0,
      () => false,
      30_000,
    ).catch(() => undefined);
    clearTimeout(limit);
    const left = processesOf(mark);
    const { tasks: created } = await state();
    const tasks = created === 0 ? "none" : await endOfTasks(cell, state, seen.output);
    const result = command.result(folder);
    return { exit, output: seen.output, result, tasks, left, isClientLimited: isClientLimited(folder) };
  } finally {
    endAll(mark);
    for (const step of undo) await step();
  }
}

/** What became of the tasks. A clean-up must end those that were not cancelled, once the target serves again. */
async function endOfTasks(cell: Cell, state: () => Promise<MockState>, output: string): Promise<Found["tasks"]> {
  const { tasks, unanswered } = existsSync(cell.folder)
    ? await openTasksOf(cell.folder)
    : { tasks: [], unanswered: [] };
  const { openTasks } = await state();
  const named = leftIn(output);
  if (openTasks === 0 || (tasks.length === 0 && openTasks <= unanswered.length)) return "cancelled";
  await cell.target.become("serves");
  const { stderr } = await assay(["clean-up", cell.folder, "--target", cell.target.url], { ASSAY_API_KEY: "k" });
  // A submission that was under way when its process was killed has no known task.
  expect((await state()).openTasks, `after a clean-up, which said ${stderr}`).toBeLessThanOrEqual(unanswered.length);
  const isNamed =
    unanswered.every((id) => named.requests.includes(id)) && tasks.every((task) => named.tasks.includes(task));
  if (!isNamed) return "in the journal";
  if (tasks.length > 0) expect(output).toContain(`assay clean-up ${cell.folder}`);
  return "named";
}

/** Of a load, of one of the loads of a demo, or of a calibration. */
const isClientLimited = (folder: string): boolean =>
  existsSync(folder) &&
  [folder, ...readdirSync(folder).map((name) => join(folder, name))].some(
    (each) =>
      (existsSync(join(each, "run.json")) && resultOf(each).validity.verdict === "CLIENT-LIMITED") ||
      (existsSync(join(each, "calibration.json")) && isUncertain(calibrationOf(each))),
  );

/** The machine was too busy for the load generator, or for the mock. */
const isUncertain = (calibration: Calibration): boolean =>
  calibration.trusted === undefined || lateTargetStep(calibration) !== undefined;

const calibrationOf = (folder: string) =>
  parseCalibration(JSON.parse(readFileSync(join(folder, "calibration.json"), "utf8")));

async function exitIn(file: string): Promise<number> {
  await reached(
    async () => existsSync(file) && readFileSync(file, "utf8").endsWith("\n"),
    () => false,
  );
  return Number(readFileSync(file, "utf8"));
}

/** Waits for a condition; returns early when there is nothing more to wait for. */
async function reached(condition: () => Promise<boolean>, isOver: () => boolean, withinMs = 60_000): Promise<void> {
  await vi.waitUntil(async () => (await condition()) || isOver(), { timeout: withinMs, interval: 20 });
}

function endAll(mark: string): void {
  for (const { pid } of processesOf(mark)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has just ended.
    }
  }
}
