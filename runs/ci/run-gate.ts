/** Runs a gate of a CI system: a command of Assay, with a second target in turn with it, and the comparison with a baseline. */

import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { EXIT } from "../../cli/exit-codes.ts";
import { PARENT_PIPE, whileInterruptible } from "../../cli/interrupt.ts";
import { writeWhole } from "../../cli/result-folder.ts";
import { parseJson } from "../../lib/json.ts";
import { namedGates } from "../../reports/compare/gates.ts";
import { notOneOf } from "../../settings/nearest.ts";
import { parseRegressionLimits } from "../../settings/regression-limits.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";
import { baselineRuns, comparisonIn, NOT_RUN, runName, runsIn } from "./gate-folder.ts";

const PROGRAM = fileURLToPath(new URL("../../scripts/assay.mjs", import.meta.url));
const COMMANDS = ["conformance", "load", "search"];

/** How often base and branch are loaded in turn: twice each shows how much runs of one system differ. */
const ROUNDS = 2;

/** What a gate runs. Texts are those of a CI system's inputs: an empty one is absent. */
export interface Gate {
  /** Such as `load chat-stream`. */
  readonly command: string;
  readonly args: string;
  readonly target: string;
  /** Of a load, a result folder or a second target; of a conformance run, a file of known failures. */
  readonly baseline: string;
  readonly maxRegression: string;
  readonly failOn: string;
  /** The result folder, empty. */
  readonly folder: string;
}

/**
 * Runs it; afterwards the folder holds the results, or why the gate is not complete: results without their comparison are no verdict.
 * @throws UsageError when a command could not be run as asked
 */
export async function runGate(gate: Gate, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const note = join(gate.folder, NOT_RUN);
  const write = (reason: string): void => void writeWhole(gate.folder, NOT_RUN, `${reason}\n`);
  write("the gate ended before it was complete; the log of the job says why");
  try {
    const reason = await whyNotRun(gate, env);
    if (reason === undefined) rmSync(note);
    else write(reason);
  } catch (error) {
    write(reasonOf(error));
    throw error;
  }
}

/** Runs it. @returns why it is not complete */
async function whyNotRun(gate: Gate, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const [name = ""] = wordsOf(gate.command);
  if (!COMMANDS.includes(name)) throw new UsageError(`Cannot run a gate: ${notOneOf(name, COMMANDS)}.`);
  requireUsed(name, gate);
  if (env["ASSAY_API_KEY"] === "") return EMPTY_KEY;
  const isCompared = name === "load" && gate.baseline !== "";
  const second = isCompared && /^https?:\/\//i.test(gate.baseline) ? gate.baseline : undefined;
  if (isCompared && second === undefined && baselineRuns(gate.baseline).length === 0) {
    return `there is no load to compare with in ${gate.baseline}, such as before the first run on main`;
  }
  const rounds = second === undefined ? 1 : ROUNDS;
  for (let round = 1; round <= rounds; round += 1) {
    const reason =
      (second === undefined ? undefined : await runSide(gate, "base", second, round)) ??
      (await runSide(gate, "new", gate.target, round));
    if (reason !== undefined) return reason;
  }
  if (!isCompared) return undefined;
  return compare(gate, second === undefined ? baselineRuns(gate.baseline) : runsIn(gate.folder, "base"));
}

const EMPTY_KEY =
  "ASSAY_API_KEY is empty, as in a pull request from a fork, which gets no secrets; run it in the repository itself";
const INTERRUPTED = "the gate was interrupted before its end";

/** @throws UsageError for what the command would ignore, and for limits that the comparison after the load would refuse */
function requireUsed(name: string, { baseline, maxRegression, failOn }: Gate): void {
  const ignored = [
    ["--baseline", baseline, ["load", "conformance"]],
    ["--max-regression", maxRegression, ["load"]],
    ["--fail-on", failOn, ["conformance"]],
  ] as const;
  for (const [flag, value, takenBy] of ignored) {
    if (value === "" || takenBy.some((each) => each === name)) continue;
    throw new UsageError(
      `Cannot run a gate: ${flag} is of assay ${takenBy.join(" and ")}, and the command is ${name}. Leave it out.`,
    );
  }
  if (maxRegression === "") return;
  try {
    namedGates({ metrics: [], limits: parseRegressionLimits(maxRegression) });
  } catch (error) {
    throw new UsageError(`Cannot read --max-regression: ${reasonOf(error)}.`);
  }
}

/** Runs the command once against a target. @returns why there is no result */
function runSide(gate: Gate, side: "base" | "new", target: string, round: number): Promise<string | undefined> {
  const words = wordsOf(gate.command);
  const isConformance = words[0] === "conformance";
  return runStep([
    ...words,
    ...(target === "" ? [] : ["--target", target]),
    ...wordsOf(gate.args),
    ...(isConformance && gate.baseline !== "" ? ["--baseline", gate.baseline] : []),
    ...(isConformance && gate.failOn !== "" ? ["--fail-on", gate.failOn] : []),
    "--out",
    join(gate.folder, runName(side, round)),
  ]);
}

function compare(gate: Gate, base: readonly string[]): Promise<string | undefined> {
  const limit = gate.maxRegression === "" ? [] : ["--max-regression", gate.maxRegression];
  return runStep([
    "compare",
    ...base.flatMap((run) => ["--base", run]),
    ...runsIn(gate.folder, "new").flatMap((run) => ["--new", run]),
    ...limit,
    "--out",
    comparisonIn(gate.folder),
  ]);
}

const failed = z.object({
  error: z.object({ code: z.string(), message: z.string(), hint: z.string().optional() }),
});

/** Runs a command of Assay. @returns why it could not come to a result */
async function runStep(args: readonly string[]): Promise<string | undefined> {
  const { code, stdout, isInterrupted } = await runAssay([...args, "--json"]);
  if (isInterrupted) return INTERRUPTED;
  const { error } = failed.safeParse(parseJson(stdout)).data ?? {};
  if (error === undefined && code !== null && code !== EXIT.usage) return undefined;
  if (code === EXIT.inconclusive && error !== undefined) return [error.message, error.hint].filter(Boolean).join(" ");
  throw new UsageError(
    `Cannot complete the gate: assay ${args[0]} ended with ${code ?? "a signal"}. ${error === undefined ? "What it printed is above." : [error.message, error.hint].filter(Boolean).join(" ")}`,
  );
}

interface StepEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly isInterrupted: boolean;
}

/**
 * Its texts go on to standard error, its JSON is returned. An interrupt is passed on, and its end is waited for. It has a group of
 * its own: Ctrl-C in a terminal would reach it twice otherwise, and the second interrupt stops at once.
 */
function runAssay(args: readonly string[]): Promise<StepEnd> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    detached: true,
    env: { ...process.env, [PARENT_PIPE]: "1" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  child.stdin.on("error", () => undefined);
  let stdout = "";
  let isInterrupted = false;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  const ended = new Promise<StepEnd>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout, isInterrupted }));
  });
  return whileInterruptible(
    (urgency) => {
      isInterrupted = true;
      if (urgency === "gently") child.stdin.end();
      else child.kill("SIGINT");
    },
    () => ended,
  );
}

const WORD = /(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g;

/**
 * The words of a text as a shell reads them, without expanding anything.
 * @throws UsageError for a quote that is not closed
 */
export function wordsOf(text: string): readonly string[] {
  if (text.replace(WORD, "").trim() !== "") {
    throw new UsageError(`Cannot read "${text}": a quote is not closed. Close it, or leave it out.`);
  }
  return (text.match(WORD) ?? []).map((word) =>
    word.replace(/'([^']*)'|"([^"]*)"|\\(.)/g, (_, single?: string, double?: string, escaped?: string) =>
      [single, double, escaped].filter((part) => part !== undefined).join(""),
    ),
  );
}
