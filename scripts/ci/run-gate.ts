/** Runs a gate of a CI system: a command of Assay, with a second target in turn with it, and the comparison with a baseline. */

import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { parseJson } from "../../lib/json.ts";
import { notOneOf } from "../../settings/nearest.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { EXIT } from "../cli/exit-codes.ts";
import { PARENT_PIPE, whileInterruptible } from "../cli/interrupt.ts";
import { baselineRuns, comparisonIn, NOT_RUN, runName, runsIn } from "./gate-folder.ts";

const PROGRAM = fileURLToPath(new URL("../assay.mjs", import.meta.url));
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
 * Runs it; afterwards the folder holds the results, or why there is none.
 * @throws UsageError when a command could not be run as asked
 */
export async function runGate(gate: Gate, env: NodeJS.ProcessEnv = process.env): Promise<void> {
  const [name = ""] = wordsOf(gate.command);
  if (!COMMANDS.includes(name)) throw new UsageError(`Cannot run a gate: ${notOneOf(name, COMMANDS)}.`);
  if (env["ASSAY_API_KEY"] === "") return notRun(gate, EMPTY_KEY);
  const isCompared = name === "load" && gate.baseline !== "";
  const second = isCompared && /^https?:\/\//i.test(gate.baseline) ? gate.baseline : undefined;
  if (isCompared && second === undefined && baselineRuns(gate.baseline).length === 0) {
    return notRun(gate, `there is no load to compare with in ${gate.baseline}, such as before the first run on main`);
  }
  const rounds = second === undefined ? 1 : ROUNDS;
  for (let round = 1; round <= rounds; round += 1) {
    if (second !== undefined && !(await runSide(gate, "base", second, round))) return;
    if (!(await runSide(gate, "new", gate.target, round))) return;
  }
  if (isCompared) await compare(gate, second === undefined ? baselineRuns(gate.baseline) : runsIn(gate.folder, "base"));
}

const EMPTY_KEY =
  "ASSAY_API_KEY is empty, as in a pull request from a fork, which gets no secrets; run it in the repository itself";

function notRun({ folder }: Gate, reason: string): void {
  writeFileSync(join(folder, NOT_RUN), `${reason}\n`, { flag: "wx" });
}

/** Runs the command once against a target. Whether there is a result. */
async function runSide(gate: Gate, side: "base" | "new", target: string, round: number): Promise<boolean> {
  const words = wordsOf(gate.command);
  const isConformance = words[0] === "conformance";
  return runStep(gate, [
    ...words,
    ...(target === "" ? [] : ["--target", target]),
    ...wordsOf(gate.args),
    ...(isConformance && gate.baseline !== "" ? ["--baseline", gate.baseline] : []),
    ...(isConformance && gate.failOn !== "" ? ["--fail-on", gate.failOn] : []),
    "--out",
    join(gate.folder, runName(side, round)),
  ]);
}

async function compare(gate: Gate, base: readonly string[]): Promise<void> {
  const limit = gate.maxRegression === "" ? [] : ["--max-regression", gate.maxRegression];
  await runStep(gate, [
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

/** Runs a command of Assay. Whether it had a result; where it could not come to one, that is why nothing was run. */
async function runStep(gate: Gate, args: readonly string[]): Promise<boolean> {
  const { code, stdout } = await runAssay([...args, "--json"]);
  const { error } = failed.safeParse(parseJson(stdout)).data ?? {};
  if (error === undefined && code !== null && code !== EXIT.usage) return true;
  if (code === EXIT.inconclusive && error !== undefined) {
    notRun(gate, [error.message, error.hint].filter(Boolean).join(" "));
    return false;
  }
  throw new UsageError(
    `Cannot complete the gate: assay ${args[0]} ended with ${code ?? "a signal"}. ${error === undefined ? "What it printed is above." : `${error.message} ${error.hint ?? ""}`}`,
  );
}

interface StepEnd {
  readonly code: number | null;
  readonly stdout: string;
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
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  const ended = new Promise<StepEnd>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, stdout }));
  });
  return whileInterruptible(
    (urgency) => (urgency === "gently" ? child.stdin.end() : child.kill("SIGINT")),
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
