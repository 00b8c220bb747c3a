/**
 * Makes records of the exchanges that pass through, in parts that are handed over as they come. Bounded: of a body the first part
 * is kept; what all exchanges together hold, here and where they are checked, has a bound too. The exchange that would exceed it
 * loses its bodies, and its record says so; one of which not even the headers can be held is passed on unchecked.
 */

import type { HeldBytes } from "../../proxy/held-bytes.ts";
import { MOST_BODY } from "../../proxy/recorded-exchange.ts";
import type { ExchangeTap, SeenFailure, SeenRequest } from "../../proxy/tap.ts";
import type { ChunkLists, LastParts, Side, ToCheck } from "./check-messages.ts";

/** Bytes of a body that are gathered before they are handed over. */
const PART = 64 * 1024;
/** Bytes that are reserved for a body, before it is known to need more. */
const SMALLEST = 4 * 1024;
/** What the record of an exchange takes in addition to its bodies and headers, roughly. */
const RECORD_BYTES = 4 * 1024;
/** What the time and the length of a chunk take. */
const CHUNK_BYTES = 16;
/** Times of chunks that are kept; the last of them then stands for all that follow. */
const MOST_CHUNKS = 2_000;

/** Records exchanges. */
export class ExchangeRecorder {
  readonly #post: (message: ToCheck) => void;
  readonly #held: HeldBytes;
  readonly #open = new Map<number, Account>();
  #taken = 0;
  #unchecked = 0;

  /** @param held by all exchanges */
  constructor(post: (message: ToCheck) => void, held: HeldBytes) {
    this.#post = post;
    this.#held = held;
  }

  /** Exchanges that passed through. */
  get taken(): number {
    return this.#taken;
  }

  /** Those of them that could not be recorded. */
  get unchecked(): number {
    return this.#unchecked;
  }

  /** @param handedOver called when an exchange has been handed over whole */
  begin(request: SeenRequest, handedOver: () => void): ExchangeTap {
    this.#taken += 1;
    const id = this.#taken;
    const account = new Account(this.#held);
    const abandon = (): void => {
      this.#unchecked += 1;
    };
    if (!account.take(RECORD_BYTES + request.url.length + lengthOf(request.headers))) {
      abandon();
      return IDLE;
    }
    this.#open.set(id, account);
    this.#post({ kind: "request", id, request });
    return new Recording({ id, account, post: this.#post, handedOver, abandon });
  }

  /** What was handed over of an exchange is held no more: all of it, or its bodies. */
  released(id: number, what: "all" | "bodies"): void {
    this.#open.get(id)?.give(what);
    if (what === "all") this.#open.delete(id);
  }
}

/** What one exchange holds. */
class Account {
  readonly #held: HeldBytes;
  #bodies = 0;
  #rest = 0;

  constructor(held: HeldBytes) {
    this.#held = held;
  }

  /** @returns whether there is room for more in addition to the bodies */
  take(bytes: number): boolean {
    if (!this.#held.take(bytes)) return false;
    this.#rest += bytes;
    return true;
  }

  /** @returns whether there is room for more of a body */
  takeBody(bytes: number): boolean {
    if (!this.#held.take(bytes)) return false;
    this.#bodies += bytes;
    return true;
  }

  give(what: "all" | "bodies"): void {
    this.#held.give(this.#bodies + (what === "all" ? this.#rest : 0));
    this.#bodies = 0;
    if (what === "all") this.#rest = 0;
  }
}

interface RecordingOptions {
  readonly id: number;
  readonly account: Account;
  readonly post: (message: ToCheck) => void;
  readonly handedOver: () => void;
  /** Called when nothing of it is recorded any more. */
  readonly abandon: () => void;
}

/** The record of one exchange. */
class Recording implements ExchangeTap {
  readonly #options: RecordingOptions;
  readonly #sides = { request: new Half(), response: new Half() };
  readonly #chunks: ChunkLists = { timesMs: [], bytes: [] };
  #head: { status: number; headers: readonly string[]; headersMs: number } | undefined;
  /** Whether its bodies were dropped, or nothing of it is recorded any more. */
  #dropped: "bodies" | "all" | undefined;

  constructor(options: RecordingOptions) {
    this.#options = options;
  }

  requestData(chunk: Buffer): void {
    this.#add("request", chunk);
  }

  head(status: number, headers: readonly string[], headersMs: number): void {
    this.#head = { status, headers, headersMs };
    if (this.#dropped === "all" || this.#options.account.take(lengthOf(headers))) return;
    // Without its headers, it would be judged as another one.
    this.#drop("all");
    this.#options.abandon();
  }

  responseData(chunk: Buffer, atMs: number): void {
    if (this.#dropped === "all") return;
    note(this.#chunks, atMs, chunk.length, () => this.#options.account.take(CHUNK_BYTES));
    this.#add("response", chunk);
  }

  end(endMs: number, failure?: SeenFailure): void {
    const { id, post, handedOver } = this.#options;
    if (this.#dropped === "all") return;
    const { request: sent, response: received } = this.#sides;
    const last: LastParts = { request: sent.take(), response: received.take() };
    handedOver();
    post({
      kind: "exchange",
      id,
      last,
      seen: {
        ...(this.#head && { response: { ...this.#head, ...this.#chunks } }),
        endMs,
        truncated: { request: sent.truncated, response: received.truncated },
        ...(failure && { failure }),
      },
    });
  }

  #add(side: Side, chunk: Buffer): void {
    const { id, account, post } = this.#options;
    const part = this.#sides[side];
    const room = part.roomFor(chunk);
    if (this.#dropped === undefined && !account.takeBody(room)) this.#drop("bodies");
    if (this.#dropped !== undefined) part.truncated = true;
    else if (part.add(chunk)) post({ kind: "body", id, side, bytes: part.take() });
  }

  /** The bodies are held until the checking process says that it holds them no more. */
  #drop(what: "bodies" | "all"): void {
    this.#dropped = what;
    for (const part of Object.values(this.#sides)) part.drop();
    this.#options.post({ kind: "drop", id: this.#options.id, what });
  }
}

const lengthOf = (headers: readonly string[]): number => headers.reduce((sum, text) => sum + text.length, 0);

const IDLE: ExchangeTap = {
  requestData: () => undefined,
  head: () => undefined,
  responseData: () => undefined,
  end: () => undefined,
};

function note({ timesMs, bytes }: ChunkLists, atMs: number, length: number, hasRoom: () => boolean): void {
  const last = timesMs.length - 1;
  if (last < 0 || (timesMs.length < MOST_CHUNKS && hasRoom())) {
    timesMs.push(atMs);
    bytes.push(length);
  } else bytes[last] = (bytes[last] ?? 0) + length;
}

/**
 * The part of a body that is not handed over yet, as a copy: chunks that were kept would all be moved by each garbage
 * collection.
 */
class Half {
  truncated = false;
  #bytes = Buffer.alloc(0);
  #length = 0;
  #total = 0;

  /** Bytes of a chunk that are kept. */
  roomFor(chunk: Buffer): number {
    return Math.min(chunk.length, MOST_BODY - this.#total);
  }

  /** Keeps nothing of the body. */
  drop(): void {
    this.truncated ||= this.#total > 0;
    this.take();
  }

  /** @returns whether there is enough to hand over */
  add(chunk: Buffer): boolean {
    const kept = chunk.subarray(0, this.roomFor(chunk));
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
