/**
 * Takes what passes through the proxy to the process that checks it.
 *
 * A process, and not a thread: threads share the helpers that collect garbage and the locks of the memory allocator, and so
 * each pause of the one that checks would hold up the traffic.
 */

import { fork, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { toolEnvironment } from "../../cli/tool-environment.mjs";
import type { HeldBytes } from "../../proxy/held-bytes.ts";
import type { OpenTap } from "../../proxy/tap.ts";
import type { CheckSettings, FromCheck, ToCheck } from "./check-messages.ts";
import { ExchangeRecorder } from "./exchange-recorder.ts";
import type { Finding } from "./forwarding-messages.ts";

/** Milliseconds that an exchange waits until checking is no longer put last. */
const LONGEST_WAIT_MS = 1_000;

export interface Courier {
  readonly tap: OpenTap;
  /** Exchanges that were handed over. */
  taken(): number;
  /** Resolves when the checking process has ended, after `end` or by a fault of its own. */
  readonly over: Promise<void>;
  /** Resolves when every exchange is checked and the verdicts are written. @throws Error when something ended the process */
  end(): Promise<void>;
}

/** Starts the process. @param held by all exchanges. @throws Error when it cannot start */
export async function startCourier(
  settings: CheckSettings,
  held: HeldBytes,
  told: (finding: Finding) => void,
): Promise<Courier> {
  const child = fork(fileURLToPath(new URL("./traffic-process.mjs", import.meta.url)), {
    serialization: "advanced",
    // Whoever waits for the end of this process's output waits for the verdicts too.
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  let isComplete = false;
  let fault = "";
  const over = new Promise<void>((resolve) => {
    child.once("close", (code, signal) => {
      fault = signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
      resolve();
    });
    child.once("error", (error) => {
      fault = `failed: ${error.message}`;
      resolve();
    });
  });
  const requireComplete = (): void => {
    if (!isComplete) {
      throw new Error(
        `Cannot check the traffic: the process that does so ${fault}. What it checked is saved in ${settings.folder}; assay report shows it.`,
      );
    }
  };
  const ready = new Promise<void>((resolve) => {
    child.on("message", (message: FromCheck) => {
      if (message.kind === "ready") resolve();
      else if (message.kind === "ended") isComplete = true;
      else if (message.kind === "checked") {
        turns.checked();
        recorder.released(message.id, "all");
      } else if (message.kind === "dropped") recorder.released(message.id, message.what);
      else told(message);
    });
  });
  const post = (message: ToCheck): void => {
    // What the process does not get is missed when it has ended, not with each message.
    if (child.connected) child.send(message, () => undefined);
  };
  const recorder = new ExchangeRecorder(post, held);
  post({ kind: "begin", settings });
  await Promise.race([ready, over.then(requireComplete)]);
  const turns = new Turns(child.pid);
  void over.then(() => turns.processEnded());

  return {
    tap: (request) => recorder.begin(request, () => turns.handedOver()),
    taken: () => recorder.taken,
    over,
    end: async () => {
      turns.trafficEnded();
      post({ kind: "end", unchecked: recorder.unchecked });
      await over;
      requireComplete();
    },
  };
}

/**
 * When the checking process runs: while nothing else wants its core, so that it never holds up the traffic; and as every process
 * does while an exchange has waited for long. Linux interrupts a process of the first kind at once, and not one that is merely
 * nice. Elsewhere, or without `chrt`, it always runs as every process.
 */
class Turns {
  #pid: number | undefined;
  readonly #timer: NodeJS.Timeout;
  #waiting = 0;
  /** Since when nothing was checked although something waited, by `performance.now`. */
  #since = 0;
  #isIdle = false;

  constructor(pid: number | undefined) {
    this.#pid = pid;
    this.#timer = setInterval(() => this.#decide(), LONGEST_WAIT_MS / 2);
    this.#schedule(true);
  }

  handedOver(): void {
    if (this.#waiting === 0) this.#since = performance.now();
    this.#waiting += 1;
  }

  checked(): void {
    this.#waiting -= 1;
    this.#since = performance.now();
  }

  /** There is no more traffic to be held up. */
  trafficEnded(): void {
    clearInterval(this.#timer);
    this.#schedule(false);
  }

  processEnded(): void {
    this.#pid = undefined;
    clearInterval(this.#timer);
  }

  #decide(): void {
    const waitsLong = this.#waiting > 0 && performance.now() - this.#since > LONGEST_WAIT_MS;
    if (waitsLong || this.#waiting === 0) this.#schedule(!waitsLong);
  }

  #schedule(isIdle: boolean): void {
    if (isIdle === this.#isIdle || this.#pid === undefined || process.platform !== "linux") return;
    this.#isIdle = isIdle;
    const args = [isIdle ? "--idle" : "--other", "--all-tasks", "--pid", "0", String(this.#pid)];
    spawn("chrt", args, { env: toolEnvironment(), stdio: "ignore" }).on("error", () => undefined);
  }
}
