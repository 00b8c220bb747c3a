/** Starts the process that passes traffic on, and speaks with it. */

import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { InconclusiveError } from "../../cli/exit-codes.ts";
import { UsageError } from "../../settings/usage-error.ts";
import type { CheckSettings } from "./check-messages.ts";
import type { Finding, FromForwarding, Route, ToForwarding } from "./forwarding-messages.ts";

/**
 * Garbage collections that are frequent and short rather than rare and long, by the thread that passes the traffic on: others
 * may have to wait for a core. What lives on is small, so that there is room for it without a collection of all.
 */
const SHORT_PAUSES = [
  "--single-threaded-gc",
  "--max-semi-space-size=1",
  "--initial-heap-size=256",
  "--no-memory-reducer",
];

export interface ForwarderOptions {
  readonly route: Route;
  readonly check: CheckSettings;
  /** Called with how many requests were passed on so far, and how many of them are on their way. */
  readonly counted: (taken: number, open: number) => void;
  readonly found: (finding: Finding) => void;
  /** Called once it has stopped listening, with the number of requests that it waits for. */
  readonly stopping: (open: number) => void;
}

export interface Forwarder {
  readonly port: number;
  /** Stops listening; requests on their way go on until `kill`. */
  stop(): void;
  /** Ends all connections. */
  kill(): void;
  /** Resolves when every exchange is checked and the verdicts are written. @throws Error when something ended the process */
  readonly ended: Promise<void>;
}

/**
 * Starts it. Nothing is written yet when one of the first two errors comes.
 * @throws UsageError when the address cannot be listened on
 * @throws InconclusiveError when the target cannot be reached
 * @throws Error when traffic cannot be checked
 */
export async function startForwarder(options: ForwarderOptions): Promise<Forwarder> {
  const { route, check, counted, found, stopping } = options;
  const child = fork(fileURLToPath(new URL("./forwarding-process.mjs", import.meta.url)), {
    execArgv: SHORT_PAUSES,
    serialization: "advanced",
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  // Nothing is written to it: it ends with this process and the one that checks, which has the same.
  child.stdout?.resume();
  const post = (message: ToForwarding): void => {
    if (child.connected) child.send(message, () => undefined);
  };
  let last: FromForwarding | undefined;
  const listening = new Promise<number>((resolve) => {
    child.on("message", (message: FromForwarding) => {
      last = message;
      if (message.kind === "listening") resolve(message.port);
      else if (message.kind === "counts") counted(message.taken, message.open);
      else if (message.kind === "stopping") stopping(message.open);
      else if (message.kind === "violation" || message.kind === "failed") found(message);
    });
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      if (last?.kind === "ended") resolve();
      else
        reject(
          faultOf(last, route, check, signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`),
        );
    });
  });
  ended.catch(() => undefined);
  post({ kind: "begin", route, check });
  const port = await Promise.race([listening, ended.then(() => 0)]);
  return { port, stop: () => post({ kind: "stop" }), kill: () => post({ kind: "kill" }), ended };
}

function faultOf(last: FromForwarding | undefined, route: Route, { folder }: CheckSettings, end: string): Error {
  switch (last?.kind) {
    case "unreachable":
      return new InconclusiveError(
        `Cannot reach ${route.target}: ${last.reason}. Check the address, and trust its certificate with --ca-file.`,
      );
    case "cannot listen":
      return new UsageError(last.reason);
    case "cannot check":
      return new Error(last.reason);
    default:
      return new Error(
        `Cannot pass the traffic on: the process that does so ${end}. What was checked is saved in ${folder}; assay report shows it.`,
      );
  }
}
