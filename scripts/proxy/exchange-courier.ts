/**
 * Takes what passes through the proxy to the thread that checks it. Bounded: of a body the first part is kept, and an
 * exchange is passed on unchecked while the checking thread has too much to do.
 */

import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { MOST_BODY } from "../../proxy/recorded-exchange.ts";
import type { OpenTap } from "../../proxy/tap.ts";
import type { CheckSettings, FromCheck, Side, ToCheck } from "./check-messages.ts";

/** Bytes of a body that are gathered before they are handed over. */
const PART = 64 * 1024;
/** Bytes that the checking thread may hold. */
const MOST_HELD = 128 * 1024 * 1024;
/** What the record of an exchange takes besides its bodies, roughly. */
const RECORD_BYTES = 4 * 1024;
/** Times of chunks that are kept; the last of them then stands for all that follow. */
const MOST_CHUNKS = 2_000;

export interface Courier {
  readonly tap: OpenTap;
  /** Exchanges that were handed over. */
  taken(): number;
  /** Resolves when every exchange is checked and the verdicts are written. */
  end(): Promise<void>;
}

/** Starts the thread. @throws Error when it cannot start, such as a UsageError about the baseline */
export async function startCourier(
  settings: CheckSettings,
  told: (message: Exclude<FromCheck, { kind: "ready" | "checked" | "ended" }>) => void,
): Promise<Courier> {
  const worker = new Worker(new URL("./traffic-thread.mjs", import.meta.url), { workerData: settings });
  const held = new Map<number, number>();
  let heldBytes = 0;
  let taken = 0;
  let unchecked = 0;
  let ended = (): void => undefined;
  const over = new Promise<void>((resolve, reject) => {
    ended = resolve;
    worker.once("error", reject);
  });
  // Whoever awaits the end gets the error; until then it is not an unhandled one.
  over.catch(() => undefined);
  const ready = new Promise<void>((resolve) => {
    worker.on("message", (message: FromCheck) => {
      if (message.kind === "ready") resolve();
      else if (message.kind === "ended") ended();
      else if (message.kind === "checked") {
        heldBytes -= held.get(message.id) ?? 0;
        held.delete(message.id);
      } else told(message);
    });
  });
  const post = (message: ToCheck, transfer: ArrayBuffer[] = []): void => worker.postMessage(message, transfer);
  await Promise.race([ready, over]);

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
    const give = (side: Side): void => {
      const bytes = sides[side].take();
      if (bytes.length === 0) return;
      hold(bytes.length);
      post({ kind: "body", id, side, bytes }, [bytes.buffer]);
    };
    const add = (side: Side, chunk: Buffer): void => {
      if (sides[side].add(chunk)) give(side);
    };
    const chunks: { atMs: number; bytes: number }[] = [];
    let head: { status: number; headers: readonly string[]; headersMs: number } | undefined;
    return {
      requestData: (chunk) => add("request", chunk),
      head: (status, headers, headersMs) => {
        head = { status, headers, headersMs };
      },
      responseData: (chunk, atMs) => {
        const last = chunks.at(-1);
        if (last !== undefined && chunks.length >= MOST_CHUNKS) last.bytes += chunk.length;
        else chunks.push({ atMs, bytes: chunk.length });
        add("response", chunk);
      },
      end: (endMs, failure) => {
        give("request");
        give("response");
        const truncated = { request: sides.request.truncated, response: sides.response.truncated };
        post({
          kind: "exchange",
          id,
          seen: {
            request,
            ...(head && { response: { ...head, chunks } }),
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
    end: async () => {
      const exited = once(worker, "exit");
      post({ kind: "end", unchecked });
      await over;
      await exited;
    },
  };
}

const IDLE: ReturnType<OpenTap> = {
  requestData: () => undefined,
  head: () => undefined,
  responseData: () => undefined,
  end: () => undefined,
};

/** The part of a body that is not handed over yet. */
class Part {
  truncated = false;
  #chunks: Buffer[] = [];
  #length = 0;
  #total = 0;

  /** @returns whether there is enough to hand over */
  add(chunk: Buffer): boolean {
    const kept = chunk.subarray(0, Math.max(0, MOST_BODY - this.#total));
    this.truncated ||= kept.length < chunk.length;
    this.#total += kept.length;
    this.#length += kept.length;
    if (kept.length > 0) this.#chunks.push(kept);
    return this.#length >= PART;
  }

  /** What was gathered, as bytes that nobody else refers to. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of this.#chunks) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    this.#chunks = [];
    this.#length = 0;
    return bytes;
  }
}
