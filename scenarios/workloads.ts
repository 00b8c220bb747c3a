/** The workloads that this virtual user serves, and the one that the arrival under way is of. */

import type { Arrival } from "k6/x/assay";
import { haveOwnArrivals, ofModelOfArrival, workloadOfArrival } from "../load/inputs/random.ts";
import type { Workload } from "../load/rules/checked-settings.ts";
import { parseModels } from "../settings/load/models.ts";
import { served, settings } from "./environment.ts";

const { seed } = settings;

/** Number of all workloads. */
const count = settings.workloads.length;

/** The arrival under way, and the position of its workload among those that are served. */
let index = 0;
let measured = false;
let position = 0;

/** Begins an arrival: what is sent until the next one is of its workload. */
export function begin(arrival: Pick<Arrival, "index"> & Partial<Pick<Arrival, "phase">>): void {
  index = arrival.index;
  measured = arrival.phase === "measure";
  position = workloadOfArrival(served, seed, index);
}

/** The number of the arrival under way. */
export const arrivalUnderWay = (): number => index;

/** Whether it is not one of the warm-up. */
export const isMeasured = (): boolean => measured;

/**
 * Makes a value for each workload that this virtual user serves; call it in the init context.
 * @param operation whose requests need the value; workloads with another one do without
 * @returns gives the value of the workload of the arrival under way
 */
export function perWorkload<T>(make: (workload: Workload) => T, operation?: string): () => T {
  const values = served.map((workload) => (sends(workload, operation) ? { value: make(workload) } : undefined));
  const [first, ...others] = values;
  if (first !== undefined && others.length === 0) return () => first.value;
  return () => {
    const made = values[position];
    if (made !== undefined) return made.value;
    throw new Error(
      `Cannot send a request of ${operation}: the workload ${served[position]?.name} has another operation.`,
    );
  };
}

/** One that flags describe is of whatever its scenario sends. */
const sends = ({ operation }: Workload, asked: string | undefined): boolean =>
  operation === undefined || asked === undefined || operation === asked;

/**
 * The same for each model of each workload: arrivals are distributed over the models by their weights, and all requests of
 * one arrival have the same.
 * @param modelsOf the models of a workload as its settings give them
 */
export function perModel<T>(
  operation: string,
  modelsOf: (workload: Workload) => string,
  make: (workload: Workload, model: string) => T,
): () => T {
  const ofWorkload = perWorkload((workload) => {
    const choices = parseModels(modelsOf(workload)).map(({ model, weight }) => ({
      weight,
      value: make(workload, model),
    }));
    const [first, ...others] = choices;
    if (first !== undefined && others.length === 0) return () => first.value;
    return () => ofModelOfArrival(choices, seed, index).value;
  }, operation);
  return () => ofWorkload()();
}

/** The workload of the arrival under way. */
export const workload = perWorkload((own) => own);

const areOwn = haveOwnArrivals(served);

/** Number of an arrival among those of its workload, where that has arrivals of its own; else among all of the run. */
export const numberOf = ({ index: ofRun }: Pick<Arrival, "index">): number =>
  areOwn ? Math.floor(ofRun / count) : ofRun;
