/** Reads bodies within bounds: of one body, of all bodies of a run together, and of the times that are kept. */

import type { Answer } from "../../formats/exchanges.ts";
import { SIZE_LIMITS } from "../../formats/outcomes.ts";
import { type Decoded, decoded } from "../../lib/content-coding.ts";

const MIB = 1024 * 1024;

/** Most bytes that are read of a body, by how many the bodies of the run have together by then: the later, the fewer. */
export const BODY_CAPS: readonly { readonly below: number; readonly cap: number }[] = [
  { below: 32 * MIB, cap: SIZE_LIMITS.checked },
  { below: 64 * MIB, cap: 64 * 1024 },
  { below: Number.POSITIVE_INFINITY, cap: 4 * 1024 },
];

/** Most chunks whose times are kept; the last of them then stands for all that follow. */
export const MOST_CHUNKS = 2_000;

/** Bytes that the bodies of a run have together. */
export interface ReadBudget {
  read: number;
}

export const readBudget = (): ReadBudget => ({ read: 0 });

const capAt = ({ read }: ReadBudget): number => BODY_CAPS.find(({ below }) => read < below)?.cap ?? 0;

export class BodyReader {
  /** Arrivals, in milliseconds from the start of the request. */
  readonly chunks: Answer["chunks"] = [];
  /** More came than is read. */
  truncated = false;
  readonly #budget: ReadBudget;
  /** Of a size that grows with the body: chunks of a byte would each take a hundred if they were kept as they come. */
  #buffer = Buffer.alloc(0);
  #length = 0;

  constructor(budget: ReadBudget) {
    this.#budget = budget;
  }

  /** Takes a chunk, as much of it as is read. @returns whether more is wanted */
  add(data: Buffer, atMs: number): boolean {
    const room = Math.max(0, capAt(this.#budget) - this.#length);
    const kept = data.subarray(0, room);
    this.truncated = kept.length < data.length;
    this.#grow(this.#length + kept.length);
    kept.copy(this.#buffer, this.#length);
    this.#length += kept.length;
    this.#budget.read += kept.length;
    const last = this.chunks.at(-1);
    if (last !== undefined && this.chunks.length >= MOST_CHUNKS) last.bytes += kept.length;
    else this.chunks.push({ atMs, bytes: kept.length });
    return !this.truncated;
  }

  /** Forgets all but the beginning. */
  cut(most: number): void {
    if (this.#length <= most) return;
    this.truncated = true;
    this.#length = most;
  }

  /** What was read so far. */
  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** What was read so far, without its codings; no longer than a body without them may be, and counted as one. */
  decoded(codings: readonly string[], isCut: boolean): Decoded {
    const most = Math.max(this.#length, capAt(this.#budget));
    const result = decoded(this.bytes(), codings, most, isCut || this.truncated);
    this.#budget.read += Math.max(0, result.bytes.length - this.#length);
    return result;
  }

  #grow(least: number): void {
    if (least <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(least, Math.min(2 * this.#buffer.length, BODY_CAPS[0]?.cap ?? least)));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
