/**
 * Takes what passes through the proxy to the process that checks it. Bounded: of a body the first part is kept, and an
 * exchange is passed on unchecked while the checking process has too much to do.
 *
 * A process, and not a thread: threads share the helpers that collect garbage and the locks of the memory allocator, and so
 * each pause of the one that checks would hold up the traffic.
 */

import { fork, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { MOST_BODY } from "../../proxy/recorded-exchange.ts";
import type { OpenTap } from "../../proxy/tap.ts";
import { toolEnvironment } from "../cli/tool-environment.mjs";
import type { CheckSettings, ChunkLists, FromCheck, Side, ToCheck } from "./check-messages.ts";
import type { Finding } from "./forwarding-messages.ts";

/** Bytes of a body that are gathered before they are handed over. */
const PART = 64 * 1024;
/** Bytes that are reserved for a body, before it is known to need more. */
const SMALLEST = 4 * 1024;
/** Bytes that the checking process may hold. */
const MOST_HELD = 128 * 1024 * 1024;
/** What the record of an exchange takes besides its bodies, roughly. */
const RECORD_BYTES = 4 * 1024;
/** Times of chunks that are kept; the last of them then stands for all that follow. */
const MOST_CHUNKS = 2_000;
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

/** Starts the process. @throws Error when it cannot start */
export async function startCourier(settings: CheckSettings, told: (finding: Finding) => void): Promise<Courier> {
  const child = fork(fileURLToPath(new URL("./traffic-process.mjs", import.meta.url)), {
    serialization: "advanced",
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const held = new Map<number, number>();
  let heldBytes = 0;
  let taken = 0;
  let unchecked = 0;
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
        heldBytes -= held.get(message.id) ?? 0;
        held.delete(message.id);
      } else told(message);
    });
  });
  const post = (message: ToCheck): void => {
    // What the process does not get is missed when it has ended, not with each message.
    if (child.connected) child.send(message, () => undefined);
  };
  post({ kind: "begin", settings });
  await Promise.race([ready, over.then(requireComplete)]);
  const turns = new Turns(child.pid);
  void over.then(() => turns.processEnded());

  const tap: OpenTap = (request) => {
    taken += 1;
    const id = taken;
    if (heldBytes > MOST_HELD) {
      unchecked += 1;
      return IDLE;
    }
    const hold = (bytes: number): void => {
      heldBytes += bytes;
      held.set(id, (held.get(id) ?? 0) + bytes);
    };
    hold(RECORD_BYTES);
    const sides = { request: new Part(), response: new Part() };
    const takenOf = (side: Side): Uint8Array => {
      const bytes = sides[side].take();
      hold(bytes.length);
      return bytes;
    };
    const give = (side: Side): void => {
      post({ kind: "body", id, side, bytes: takenOf(side) });
    };
    const add = (side: Side, chunk: Buffer): void => {
      if (sides[side].add(chunk)) give(side);
    };
    const chunks: ChunkLists = { timesMs: [], bytes: [] };
    let head: { status: number; headers: readonly string[]; headersMs: number } | undefined;
    return {
      requestData: (chunk) => add("request", chunk),
      head: (status, headers, headersMs) => {
        head = { status, headers, headersMs };
      },
      responseData: (chunk, atMs) => {
        note(chunks, atMs, chunk.length);
        add("response", chunk);
      },
      end: (endMs, failure) => {
        turns.handedOver();
        const truncated = { request: sides.request.truncated, response: sides.response.truncated };
        post({
          kind: "exchange",
          id,
          last: { request: takenOf("request"), response: takenOf("response") },
          seen: {
            request,
            ...(head && { response: { ...head, ...chunks } }),
            endMs,
            truncated,
            ...(failure && { failure }),
          },
        });
      },
    };
  };
  return {
    tap,
    taken: () => taken,
    over,
    end: async () => {
      turns.trafficEnded();
      post({ kind: "end", unchecked });
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

const IDLE: ReturnType<OpenTap> = {
  requestData: () => undefined,
  head: () => undefined,
  responseData: () => undefined,
  end: () => undefined,
};

function note({ timesMs, bytes }: ChunkLists, atMs: number, length: number): void {
  const last = MOST_CHUNKS - 1;
  if (timesMs.length < MOST_CHUNKS) {
    timesMs.push(atMs);
    bytes.push(length);
  } else bytes[last] = (bytes[last] ?? 0) + length;
}

/**
 * The part of a body that is not handed over yet, as a copy: chunks that were kept would all be moved by each garbage
 * collection.
 */
class Part {
  truncated = false;
  #bytes = Buffer.alloc(0);
  #length = 0;
  #total = 0;

  /** @returns whether there is enough to hand over */
  add(chunk: Buffer): boolean {
    const kept = chunk.subarray(0, Math.max(0, MOST_BODY - this.#total));
    this.truncated ||= kept.length < chunk.length;
    this.#total += kept.length;
    this.#reserve(this.#length + kept.length);
    kept.copy(this.#bytes, this.#length);
    this.#length += kept.length;
    return this.#length >= PART;
  }

  /** What was gathered. */
  take(): Uint8Array {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#bytes = Buffer.alloc(0);
    this.#length = 0;
    return bytes;
  }

  #reserve(length: number): void {
    if (length <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#bytes.length, SMALLEST));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
