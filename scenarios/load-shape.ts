/** The shape of a load, as a scenario uses it: its options, and actions that start when an arrival is due. */

import { type Arrival, configure, nextArrival, scenarioThrew } from "k6/x/assay";
import type { WorkloadKind } from "../contract/operations.ts";
import { settings } from "./environment.ts";
import type { LoadOptions } from "./process/run-options.ts";
import { type ProcessState, processState, shared } from "./shared-values.ts";
import type { ScenarioModule } from "./workload-scenarios.ts";
import { begin } from "./workloads.ts";

/** What a scenario declares of its load. */
export interface Declared {
  /** Of a scenario that comes with Assay: what each arrival sends, as its last request. */
  readonly sends?: WorkloadKind;
  /** Objectives in addition to those of the settings, such as `ttft_p95<800ms`: a load that misses one fails. */
  readonly slo?: readonly string[];
}

type Action = (arrival: Arrival) => unknown;

/** What `loadShape` and `paced` were given stays with what they return, for a load of workloads; a spread keeps it. */
const SLO = Symbol("objectives");
const ACTION = Symbol("action");

/** Of k6, whose types leave it out. */
declare const console: { error(text: string): void };

/**
 * Declares the run that the settings describe, and returns k6's options for it.
 * @param scenario its name, letters, digits, `-` and `_`.
 * @throws Error for an objective that cannot be read or decided
 * @example export const options = loadShape("chat-stream", { slo: ["ttft_p95<800ms"] });
 */
export function loadShape(scenario: string, { slo = [], sends }: Declared = {}): LoadOptions {
  // The file of a workload: `shapeOfWorkloads` declares the whole run.
  const shape = settings.workload === undefined ? declareRun(scenario, slo, sends) : {};
  return Object.assign(shape, { [SLO]: slo });
}

/** The same for a load of workloads, whose scenario files declared these objectives. */
export const shapeOfWorkloads = (slo: readonly string[]): LoadOptions =>
  declareRun(settings.workload?.title ?? "mixed", slo);

/** k6 takes the options of the first instance of a script, whose virtual user is 0; the others do without what they take to make. */
function declareRun(scenario: string, slo: readonly string[], sends?: WorkloadKind): LoadOptions {
  if (__VU !== 0) return {};
  const { run, k6 } = shared(`shape of ${scenario}`, ({ shapeOf }) => shapeOf(scenario, slo, sends));
  let openTrace: ReturnType<ProcessState["traceOpener"]> | undefined;
  configure(run, (position) => {
    openTrace ??= processState().traceOpener();
    return openTrace(position);
  });
  return { ...k6 }; // k6 adds to what it is given
}

/** What a load of workloads takes from a scenario file. */
export interface TakenScenario {
  readonly action: Action;
  /** Its objectives, as those of its workload. */
  readonly slo: readonly string[];
  readonly teardown: readonly (() => void)[];
}

/**
 * Takes the scenario of a workload from its file.
 * @param name of the workload
 * @throws Error when the file could not run as part of the load
 */
export function takenFrom(
  name: string,
  { default: iteration, options, setup, teardown }: ScenarioModule,
): TakenScenario {
  const unable = (reason: string): Error => new Error(`Cannot use the scenario of the workload ${name}: ${reason}.`);
  if (!isPaced(iteration))
    throw unable("its default export is not what paced() returned; write export default paced(…)");
  if (!isShape(options))
    throw unable("its export options is not what loadShape() returned; write export const options = loadShape(…)");
  if (setup !== undefined)
    throw unable(
      "it exports setup(), which k6 calls for a load of one scenario only; leave that out, or load the file alone",
    );
  return {
    action: iteration[ACTION],
    slo: options[SLO].map((expr) => `${name}.${expr}`),
    teardown: isFunction(teardown) ? [teardown] : [],
  };
}

const isFunction = (value: unknown): value is () => void => typeof value === "function";
const isPaced = (value: unknown): value is { readonly [ACTION]: Action } => isFunction(value) && ACTION in value;
const isShape = (value: unknown): value is { readonly [SLO]: readonly string[] } =>
  typeof value === "object" && value !== null && SLO in value;

/**
 * The default function of a scenario: takes this virtual user's arrivals one after another, each when it is due, and sends
 * its requests. An arrival whose action throws has failed; the next one goes on. In a closed loop it waits before the next
 * one while requests get no response, for up to a second: an unreachable target would otherwise be sent thousands per second.
 * @example export default paced((arrival) => streamChat(promptFor(arrival)));
 */
export function paced(action: Action): () => Promise<void> {
  const takeArrivals = async () => {
    for (let arrival = nextArrival(); arrival !== null; arrival = nextArrival()) {
      begin(arrival);
      try {
        const result = action(arrival);
        if (result !== undefined && result instanceof Promise) await result;
      } catch (error) {
        console.error(`The scenario threw in arrival ${arrival.index}: ${traceOf(error)}`);
        scenarioThrew(String(error));
      }
    }
  };
  return Object.assign(takeArrivals, { [ACTION]: action });
}

const traceOf = (error: unknown): string => (error instanceof Error && error.stack) || String(error);
