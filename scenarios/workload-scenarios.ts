/** The scenario files of workloads: none here; the bundler puts those of the load in place of this file. */

/** What a scenario file exports, as far as a load of workloads takes it. */
export interface ScenarioModule {
  readonly default?: unknown;
  readonly options?: unknown;
  readonly setup?: unknown;
  readonly teardown?: unknown;
}

/** By the name of the workload. */
export const WORKLOAD_SCENARIOS: Readonly<Record<string, ScenarioModule>> = {};
