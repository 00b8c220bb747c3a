/** What the runs of a search sent: a run that sends what an earlier one sent may find it in a cache of the target. */

import { join } from "node:path";
import { linesOf } from "../../cli/file-lines.ts";
import { FILES } from "../../formats/file-names.ts";

/** Of a line of records: reading no more of it takes a tenth of the time. */
const DIGEST = /"input_digest":(\d+)/;

export class SentInputs {
  readonly #seen = new Set<number>();

  /**
   * Adds what a run sent, its warm-up included.
   * @param folder of the run
   * @returns share of its requests whose input was sent before, in it or in a run that was added; undefined where it does not say
   */
  async add(folder: string): Promise<number | undefined> {
    let requests = 0;
    let repeated = 0;
    for await (const line of linesOf(join(folder, FILES.records))) {
      const digest = typeof line === "string" ? DIGEST.exec(line)?.[1] : undefined;
      if (digest === undefined) continue;
      requests += 1;
      const known = this.#seen.size;
      if (this.#seen.add(Number(digest)).size === known) repeated += 1;
    }
    return requests === 0 ? undefined : repeated / requests;
  }
}
