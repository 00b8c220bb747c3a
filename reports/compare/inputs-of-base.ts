/** Which inputs of new runs the base had sent: is told of the records of all runs, those of the base first. */

import type { RequestRecord } from "../../formats/records.ts";
import { IdNumbers } from "../load/read/id-set.ts";
import type { PageStore } from "../load/stats/page-store.ts";

export class InputsOfBase {
  readonly #sent: IdNumbers;

  constructor(store: PageStore) {
    this.#sent = new IdNumbers(store);
  }

  addBase({ input_digest: digest }: RequestRecord): void {
    if (digest !== undefined) this.#sent.numberOf(String(digest));
  }

  /** Counts the measured requests of a new run. */
  counter(): { readonly add: (record: RequestRecord) => void; readonly share: () => number | undefined } {
    let requests = 0;
    let again = 0;
    return {
      add: ({ input_digest: digest, phase }) => {
        if (digest === undefined || phase !== "measure") return;
        requests += 1;
        if (this.#sent.get(String(digest)) !== undefined) again += 1;
      },
      share: () => (requests === 0 ? undefined : again / requests),
    };
  }
}
