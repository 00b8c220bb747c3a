/**
 * The scratch file of a report: where what is kept of each record goes when it is more than the memory for it. The file has no
 * name from the start, so that it is gone with the process, however that ends.
 */

import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PageStore, type Scratch } from "../../reports/load/stats/page-store.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";

/** Memory for what is kept of the records. */
const BUDGET_BYTES = 64 << 20;

/** Pages of records in memory and, beyond the budget, in a scratch file. */
export interface ScratchPages {
  readonly store: PageStore;
  /** The pages are not needed any more. */
  close(): void;
}

/**
 * Pages for the records of one report.
 * @param saved a sentence about what is not lost when the disk is full
 */
export function scratchPages(saved: string, budget = BUDGET_BYTES): ScratchPages {
  let file: ScratchFile | undefined;
  const open = (): Scratch => {
    file = new ScratchFile(newFile(saved), saved);
    return file;
  };
  return { store: new PageStore(budget, open), close: () => file?.close() };
}

/** Opens a file of this user alone and removes its name. */
function newFile(saved: string): number {
  try {
    const folder = mkdtempSync(join(tmpdir(), "assay-"));
    try {
      return openSync(join(folder, "pages"), "wx+", 0o600);
    } finally {
      rmSync(folder, { recursive: true });
    }
  } catch (error) {
    throw notWritten(error, saved);
  }
}

const notWritten = (error: unknown, saved: string): UsageError =>
  new UsageError(
    `Cannot keep what the report needs of each record in a file in ${tmpdir()}: ${reasonOf(error)}. Free space there, or name a folder on another disk with TMPDIR. ${saved}`.trim(),
  );

/** A file by its descriptor. */
export class ScratchFile implements Scratch {
  readonly #descriptor: number;
  readonly #saved: string;

  constructor(descriptor: number, saved = "") {
    this.#descriptor = descriptor;
    this.#saved = saved;
  }

  /** @throws UsageError when it cannot be written, as on a full disk */
  write(bytes: Uint8Array, at: number): void {
    try {
      for (let done = 0; done < bytes.length; ) {
        done += writeSync(this.#descriptor, bytes, done, bytes.length - done, at + done);
      }
    } catch (error) {
      throw notWritten(error, this.#saved);
    }
  }

  /** @throws Error when the file is shorter */
  read(bytes: Uint8Array, at: number): void {
    for (let done = 0; done < bytes.length; ) {
      const more = readSync(this.#descriptor, bytes, done, bytes.length - done, at + done);
      if (more === 0) throw new Error(`The scratch file ends before byte ${at + bytes.length}`);
      done += more;
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
