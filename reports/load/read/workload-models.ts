/** Pairs of a workload and a model, each of which has a number: columns hold one number for both. */

/** What a request or a unit of work is of; undefined where these are not told apart. */
export interface WorkloadModel {
  readonly workload: string | undefined;
  readonly model: string | undefined;
}

const NONE: WorkloadModel = { workload: undefined, model: undefined };

export class WorkloadModels {
  readonly #pairs: WorkloadModel[] = [NONE];

  /** The number of a pair, which is a new one for a new pair; 0 for none of both. */
  numberOf({ workload, model }: WorkloadModel): number {
    const known = this.#pairs.findIndex((pair) => pair.workload === workload && pair.model === model);
    return known < 0 ? this.#pairs.push({ workload, model }) - 1 : known;
  }

  /** The pair of a number. */
  at(number: number): WorkloadModel {
    return this.#pairs[number] ?? NONE;
  }
}
