/** Runs `kubectl`, which users of a cluster have, with their own configuration and without Assay's settings and keys. */

import { spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { foreignEnvironment } from "../../cli/child-environment.ts";
import { endWithProcess, killGroup } from "../../cli/process-group.ts";
import { isObject } from "../../lib/json.ts";
import { openOwnFile } from "../../lib/own-files.ts";
import { shellWord, shorten } from "../../lib/text.ts";
import { formatDuration } from "../../settings/units.ts";
import { UsageError } from "../../settings/usage-error.ts";

/** How a `kubectl` ended. */
export interface KubectlEnd {
  /** Null when it was killed. */
  readonly code: number | null;
  readonly stdout: string;
  /** Without line ends around it. */
  readonly stderr: string;
}

/** What a call takes beside its arguments. */
export interface CallOptions {
  /** Its standard input. */
  readonly input?: string;
  /** File to which its standard output is appended. */
  readonly into?: string;
  /** Ends it. */
  readonly signal?: AbortSignal;
  /** How long it may take, in milliseconds; absent: 30 s, or for ever where its output goes into a file. */
  readonly withinMs?: number;
}

/** A call that only asks or tells something. */
const CALL_MS = 30_000;
/** What is held of a call's standard output, and of its standard error: thousands of pods take less. */
const MOST_CHARACTERS = 64 << 20;

/**
 * Runs `kubectl` with these arguments.
 * @throws UsageError when there is none, and the reason of the signal; whatever else happens is in the result
 */
export type Kubectl = (args: readonly string[], options?: CallOptions) => Promise<KubectlEnd>;

/** The part of a cluster that every call is made in. */
export interface Place {
  /** Absent: kubectl has none, as in a pod with a service account. */
  readonly context?: string;
  /** Absent: that of the service account of the pod. */
  readonly namespace?: string;
}

const optionsOf = ({ context, namespace }: Place): string[] => [
  ...(context === undefined ? [] : ["--context", context]),
  ...(namespace === undefined ? [] : ["--namespace", namespace]),
];

/** The place as options of `kubectl` and of `assay k8s`, for hints: ` --context a-cluster --namespace loads`. */
export const inPlace = (place: Place): string =>
  optionsOf(place)
    .map((word) => ` ${shellWord(word)}`)
    .join("");

const NOT_THERE =
  "Cannot run kubectl: it is not on the PATH. Install it (https://kubernetes.io/docs/tasks/tools/), and point its context at the cluster.";

/** A kubectl whose every call names its place: the user's current context may change while a run goes on. */
export const kubectlIn =
  (place: Place = {}): Kubectl =>
  (args, { input, into, signal, withinMs = into === undefined ? CALL_MS : undefined } = {}) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const file = into === undefined ? undefined : openOwnFile(into);
      const child = spawn("kubectl", [...optionsOf(place), ...args], {
        // A group of its own: Ctrl-C in a terminal is for Assay, which still needs it.
        detached: true,
        env: foreignEnvironment(),
        stdio: ["pipe", file ?? "pipe", "pipe"],
      });
      if (file !== undefined) closeSync(file);
      const printed = { stdout: "", stderr: "" };
      let whyEnded: string | undefined;
      const kill = (): void => killGroup(child.pid);
      const hasEnded = endWithProcess(child.pid);
      const end = (why: string): void => {
        whyEnded ??= why;
        kill();
      };
      const late = (ms: number): void => end(`it gave no answer within ${formatDuration(ms)}, and was ended`);
      const overdue = withinMs === undefined ? undefined : setTimeout(late, withinMs, withinMs);
      signal?.addEventListener("abort", kill, { once: true });
      for (const stream of ["stdout", "stderr"] as const) {
        child[stream]?.setEncoding("utf8").on("data", (text: string) => {
          if (printed[stream].length + text.length <= MOST_CHARACTERS) printed[stream] += text;
          else end("it printed more than 64 MiB, and was ended");
        });
      }
      child.stdin?.on("error", () => undefined).end(input);
      child.once("error", (error) => {
        clearTimeout(overdue);
        reject(isObject(error) && error["code"] === "ENOENT" ? new UsageError(NOT_THERE) : error);
      });
      child.once("close", (code) => {
        clearTimeout(overdue);
        hasEnded();
        signal?.removeEventListener("abort", kill);
        if (signal?.aborted) reject(signal.reason);
        else if (whyEnded === undefined) resolve({ code, stdout: printed.stdout, stderr: printed.stderr.trim() });
        else resolve({ code: null, stdout: "", stderr: whyEnded });
      });
    });

/** A kubectl whose every call ends by this signal too. */
export const endedBy =
  (signal: AbortSignal, kubectl: Kubectl): Kubectl =>
  (args, options = {}) =>
    kubectl(args, { ...options, signal: AbortSignal.any([signal, ...(options.signal ? [options.signal] : [])]) });

/**
 * What a call printed.
 * @param attempt what is attempted, as in `Cannot … `
 * @throws UsageError when it failed
 */
export async function printedBy(call: Promise<KubectlEnd>, attempt: string, advice: string): Promise<string> {
  const { code, stdout, stderr } = await call;
  if (code === 0) return stdout;
  throw new UsageError(`Cannot ${attempt}: kubectl ended with ${code ?? "a signal"}: ${reasonIn(stderr)}. ${advice}`);
}

/** An error of kubectl as a part of a sentence: without what its libraries log. */
export function reasonIn(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "" && !/^[EWI]\d{4} /.test(line));
  return shorten(lines.join(" ").replace(/\.$/, "") || "it printed nothing", 500);
}
