/** Records the ground truth of every request that the mock served, in memory and in a file. */

import { appendFile, open } from "node:fs/promises";
import type { GroundTruthRow } from "../../formats/ground-truth.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";

const FLUSH_MS = 1000;
const FLUSH_BYTES = 1 << 20;

/** Keeps the newest rows in memory, and appends all rows to a file if one is given. */
export class GroundTruthLog {
  readonly #rows: GroundTruthRow[] = [];
  readonly #cap: number;
  readonly #file: string | undefined;
  #oldest = 0;
  #pending: string[] = [];
  #pendingBytes = 0;
  #writing: Promise<void> = Promise.resolve();
  #failure: Error | undefined;
  #timer: NodeJS.Timeout | undefined;

  private constructor(cap: number, file: string | undefined) {
    this.#cap = cap;
    this.#file = file;
    if (file !== undefined) this.#timer = setInterval(() => this.#flush(), FLUSH_MS).unref();
  }

  /**
   * Opens a log.
   * @throws UsageError when the file cannot be written
   */
  static async open(cap: number, file: string | undefined): Promise<GroundTruthLog> {
    if (file !== undefined) {
      try {
        await (await open(file, "a")).close();
      } catch (cause) {
        throw new UsageError(
          `Cannot write the ground truth to ${file}: ${reasonOf(cause)}. Give a file in an existing folder.`,
        );
      }
    }
    return new GroundTruthLog(cap, file);
  }

  add(row: GroundTruthRow): void {
    if (this.#rows.length < this.#cap) this.#rows.push(row);
    else {
      this.#rows[this.#oldest] = row;
      this.#oldest = (this.#oldest + 1) % this.#cap;
    }
    if (this.#file === undefined) return;
    const line = `${JSON.stringify(row)}\n`;
    this.#pending.push(line);
    this.#pendingBytes += line.length;
    if (this.#pendingBytes >= FLUSH_BYTES) this.#flush();
  }

  /** The rows in the order in which their requests ended, oldest first. */
  rows(): GroundTruthRow[] {
    return [...this.#rows.slice(this.#oldest), ...this.#rows.slice(0, this.#oldest)];
  }

  clear(): void {
    this.#rows.length = 0;
    this.#oldest = 0;
  }

  /**
   * Writes the remaining rows to the file.
   * @throws UsageError when any write failed, since the file is then incomplete
   */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#flush();
    await this.#writing;
    if (this.#failure === undefined) return;
    throw new UsageError(
      `Cannot write the ground truth to ${this.#file}: ${reasonOf(this.#failure)}. The file is incomplete: it has the rows from before. Free space on its disk, or name another file.`,
    );
  }

  #flush(): void {
    const file = this.#file;
    if (file === undefined || this.#pending.length === 0) return;
    const text = this.#pending.join("");
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#writing = this.#writing
      .then(() => appendFile(file, text, { mode: 0o600 }))
      .catch((cause: unknown) => {
        this.#failure ??= cause instanceof Error ? cause : new Error(String(cause));
      });
  }
}
