/** How many requests of a run sent what had been sent before, and whether those were answered sooner. In bounded memory. */

import type { RequestRecord } from "../../formats/records.ts";
import type { InputsOfRun } from "../../formats/run-inputs.ts";
import { omitUndefined } from "../../lib/omit-undefined.ts";
import { IdSet } from "./read/id-set.ts";
import type { RecordFollower } from "./read/shards.ts";
import { LogHistogram } from "./stats/log-histogram.ts";
import type { PageStore } from "./stats/page-store.ts";

/** Fewer requests of either kind say nothing of how they differ. */
const FEWEST = 20;

const US_PER_MS = 1_000;

/** Times to the first token, or to the end where there is none, in microseconds, of requests that can be compared. */
interface Times {
  readonly fresh: LogHistogram;
  readonly repeated: LogHistogram;
}

/** Is told of the records of a run, those of its warm-up too. */
export class RepeatedInputs implements Pick<RecordFollower, "request"> {
  readonly #seen: IdSet;
  #distinct = 0;
  #requests = 0;
  #repeated = 0;
  readonly #times = new Map<string, Times>();
  #reporting = 0;
  #inputTokens = 0;
  #cachedTokens = 0;

  constructor(store: PageStore) {
    this.#seen = new IdSet(store);
  }

  request(record: RequestRecord): void {
    const { input_digest: digest, phase } = record;
    if (digest === undefined) return;
    const isNew = this.#seen.add(String(digest));
    if (isNew) this.#distinct += 1;
    if (phase !== "measure") return;
    this.#requests += 1;
    if (!isNew) this.#repeated += 1;
    if (record.outcome !== "ok") return;
    this.#addTokens(record);
    const { fresh, repeated } = this.#timesOf(record);
    const ms = record.ttft ?? record.e2e;
    if (ms !== undefined) (isNew ? fresh : repeated).add(ms * US_PER_MS);
  }

  #addTokens({ cached_tokens: cached, input_tokens: input }: RequestRecord): void {
    if (cached === undefined || input === undefined || input <= 0) return;
    this.#reporting += 1;
    this.#inputTokens += input;
    this.#cachedTokens += Math.min(cached, input);
  }

  #timesOf({ op, workload = "", model = "" }: RequestRecord): Times {
    const key = `${op} ${workload} ${model}`;
    const known = this.#times.get(key) ?? { fresh: new LogHistogram(), repeated: new LogHistogram() };
    this.#times.set(key, known);
    return known;
  }

  /** What is known of the inputs; undefined where no record says what was sent. The set is not used any more. */
  end(): InputsOfRun | undefined {
    this.#seen.release();
    if (this.#requests === 0) return undefined;
    return omitUndefined<InputsOfRun>({
      requests: this.#requests,
      repeated: this.#repeated,
      distinct: this.#distinct,
      times: this.#mostRepeated(),
      cached:
        this.#reporting === 0
          ? undefined
          : { requests: this.#reporting, share: this.#cachedTokens / this.#inputTokens },
    });
  }

  /** The times of the kind of requests of which most were repeated, and enough were not. */
  #mostRepeated(): InputsOfRun["times"] {
    const [most] = [...this.#times.values()]
      .filter(({ fresh, repeated }) => Math.min(fresh.count, repeated.count) >= FEWEST)
      .sort((a, b) => b.repeated.count - a.repeated.count);
    if (most === undefined) return undefined;
    const ms = (histogram: LogHistogram, share: number): number => histogram.quantile(share) / US_PER_MS;
    return {
      freshMs: ms(most.fresh, 0.5),
      repeatedMs: ms(most.repeated, 0.5),
      sooner: ms(most.repeated, 0.75) < ms(most.fresh, 0.25),
    };
  }
}
