/** Plays the runner of GitHub for a composite action: its files, its expressions and the steps that run a shell. */

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { z } from "zod";
import { cleanEnvironment, newFolder } from "../commands/assay-process.ts";

const step = z.object({
  uses: z.string().optional(),
  run: z.string().optional(),
  shell: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  if: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
  with: z.record(z.string(), z.string()).optional(),
  "continue-on-error": z.boolean().optional(),
});
export const actionFile = z.object({
  name: z.string(),
  description: z.string(),
  inputs: z.record(z.string(), z.object({ description: z.string(), default: z.string().optional() })),
  outputs: z.record(z.string(), z.object({ description: z.string(), value: z.string() })),
  runs: z.object({ using: z.literal("composite"), steps: z.array(step) }),
});
export type ActionFile = z.infer<typeof actionFile>;

/** A job in which the action is used. */
export interface PlayedJob {
  readonly inputs: Readonly<Record<string, string>>;
  /** The context `github`, by paths such as `ref_name`. */
  readonly github: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly workspace: string;
}

export interface PlayedEnd {
  /** Of the first step that failed, else 0. */
  readonly code: number;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
  /** Of all steps. */
  readonly stdout: string;
  readonly stderr: string;
  /** The actions that were used, with their inputs. */
  readonly used: readonly (readonly [string, Readonly<Record<string, string>>])[];
}

/** Runs the steps in order, as the runner does: after a failure only those with `always()`. Npm is played, too. */
export async function playAction({ inputs, outputs, runs }: ActionFile, job: PlayedJob): Promise<PlayedEnd> {
  const files = newFolder();
  writeFileSync(join(files, "npm"), "#!/bin/sh\n", { mode: 0o755 });
  const contexts: Record<string, string> = {};
  for (const [name, text] of Object.entries(job.github)) contexts[`github.${name}`] = text;
  for (const [name, { default: text = "" }] of Object.entries(inputs))
    contexts[`inputs.${name}`] = filled(text, contexts);
  for (const [name, text] of Object.entries(job.inputs)) contexts[`inputs.${name}`] = text;
  const end = { code: 0, stdout: "", stderr: "", used: [] as [string, Record<string, string>][] };
  const summary = join(files, "summary");
  writeFileSync(summary, "");
  for (const [nth, { uses, run, id, env = {}, with: given = {}, ...each }] of runs.steps.entries()) {
    const condition = each.if ?? "success()";
    if (!holds(end.code > 0 && !condition.includes("always()") ? "false" : condition, contexts)) continue;
    if (uses !== undefined) {
      const filledIn = filledAll(given, contexts);
      end.used.push([uses, filledIn]);
      const isMissing = uses.startsWith("actions/download-artifact@") && !isThere(job.workspace, filledIn);
      if (isMissing && each["continue-on-error"] !== true && end.code === 0) end.code = 1;
    }
    if (run === undefined) continue;
    const output = join(files, `output-${nth}`);
    writeFileSync(output, "");
    const ended = await bash(run, job.workspace, {
      ...cleanEnvironment(),
      ...job.env,
      ...filledAll(env, contexts),
      PATH: `${files}${delimiter}${process.env["PATH"]}`,
      GITHUB_ACTIONS: "true",
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
      RUNNER_TEMP: files,
    });
    end.stdout += ended.stdout;
    end.stderr += ended.stderr;
    if (end.code === 0) end.code = ended.code;
    if (id === undefined) continue;
    contexts[`steps.${id}.outcome`] = ended.code === 0 ? "success" : "failure";
    for (const [name, value] of outputsIn(readFileSync(output, "utf8")))
      contexts[`steps.${id}.outputs.${name}`] = value;
  }
  const values = Object.entries(outputs).map(([name, { value }]) => [name, filled(value, contexts)]);
  return { ...end, outputs: Object.fromEntries(values), summary: readFileSync(summary, "utf8") };
}

/** Whether the artifact of an earlier job, which shares the workspace here, is there. */
const isThere = (workspace: string, { path = "" }: Readonly<Record<string, string>>): boolean =>
  existsSync(join(workspace, path));

/** The outputs in a file of the runner, in both of its forms. */
function outputsIn(text: string): [string, string][] {
  const blocks = [...text.matchAll(/^([\w-]+)<<(\S+)\n([\s\S]*?)\n\2$/gm)].map(
    ([, name = "", , value = ""]): [string, string] => [name, value],
  );
  const lines = [...text.matchAll(/^([\w-]+)=(.*)$/gm)].map(([, name = "", value = ""]): [string, string] => [
    name,
    value,
  ]);
  return [...blocks, ...lines];
}

type Contexts = Readonly<Record<string, string>>;

const filledAll = (texts: Readonly<Record<string, string>>, contexts: Contexts): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, filled(text, contexts)]));

const filled = (text: string, contexts: Contexts): string =>
  text.replace(/\$\{\{(.*?)\}\}/g, (_, expression: string) => valueIn(expression.trim(), contexts));

/** The value of a path or of a text in quotes; that of a function, such as a hash of files, is its text. */
const valueIn = (expression: string, contexts: Contexts): string =>
  /^'(.*)'$/.exec(expression)?.[1] ?? contexts[expression] ?? (expression.includes("(") ? expression : "");

/** Whether a condition of `==`, `!=`, `&&` and functions of the state of the job holds. */
const holds = (condition: string, contexts: Contexts): boolean =>
  condition.split("&&").every((part) => {
    const [left = "", right] = part.split(/[!=]=/).map((side) => side.trim());
    if (right === undefined) return left === "always()" || left === "success()";
    return (valueIn(left, contexts) === valueIn(right, contexts)) === part.includes("==");
  });

interface ShellEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a script as the runner does: it ends at the first command that fails. */
export function bash(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<ShellEnd> {
  mkdirSync(cwd, { recursive: true });
  const child = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], { cwd, env });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdin.end();
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code: code ?? -1, stdout, stderr }));
  });
}
