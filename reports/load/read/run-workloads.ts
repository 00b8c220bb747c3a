/** The workloads of a run, as its records name them. Pure. */

import { isWorkloadKind, OPS, WORKLOAD_KINDS, type WorkloadKind } from "../../../contract/operations.ts";
import type { RecordedSettings } from "../../../formats/records.ts";
import { ofModelOfArrival, workloadOfArrival } from "../../../load/inputs/random.ts";
import { type ModelTexts, modelChoicesOf, type WeightedModel } from "../../../settings/load/models.ts";

export interface RunWorkload {
  readonly name: string;
  /** Absent where it has a scenario of the user's own, which may send any. */
  readonly operation?: WorkloadKind | undefined;
  readonly weight?: number | undefined;
  readonly tenant?: string | undefined;
  /** Settings in which it differs from the load. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** The workloads of a run; undefined where it had one, without a name. */
export const workloadsOf = ({ workload }: WorkloadSettings): readonly RunWorkload[] | undefined => workload?.workloads;

interface WorkloadSettings {
  readonly workload?: RecordedSettings["workload"];
}

/** The workload of an arrival, as the scenario chose it; undefined where the run had one. */
export const workloadOfNumber = (
  workloads: readonly RunWorkload[] | undefined,
  seed: number,
  arrival: number,
): RunWorkload | undefined => workloads?.[workloadOfArrival(workloads, seed, arrival)];

/** The models of a run and how its arrivals are distributed over them. */
export interface RunModels {
  /** In the order of the settings. */
  readonly names: readonly string[];
  /** The model of an arrival, as the scenario chose it; undefined where a scenario may ask for several. */
  readonly ofNumber: (workload: RunWorkload | undefined, seed: number, arrival: number) => string | undefined;
}

type ModelSettings = WorkloadSettings & ModelTexts & { readonly scenario?: string | undefined };

/** The models of a run; undefined where no workload has several. */
export function modelsOf(settings: ModelSettings): RunModels | undefined {
  const { scenario } = settings;
  const single = { operation: isWorkloadKind(scenario) ? scenario : undefined };
  const choices = (workload: Pick<RunWorkload, "operation" | "settings"> = single) =>
    modelChoicesOf(workload, settings);
  const isWeighted = (choice: readonly WeightedModel[]): boolean => choice.length > 1;
  // A scenario has a model for each operation, of which it may send none.
  const all = (workloadsOf(settings) ?? [single]).flatMap((workload) =>
    choices(workload).filter((choice) => workload.operation !== undefined || isWeighted(choice)),
  );
  if (!all.some(isWeighted)) return undefined;
  return {
    names: [...new Set(all.flatMap((choice) => choice.map(({ model }) => model)))],
    ofNumber: (workload, seed, arrival) => {
      const [only, ...others] = choices(workload);
      return only === undefined || others.length > 0 ? undefined : ofModelOfArrival(only, seed, arrival).model;
    },
  };
}

/** The operations that a workload can send. */
const opsOf = ({ operation }: Pick<RunWorkload, "operation">): readonly string[] =>
  operation === undefined ? OPS : WORKLOAD_KINDS[operation];

/** Whether an operation is one that a workload can send. */
export const canSend = (workload: Pick<RunWorkload, "operation">, op: string): boolean => opsOf(workload).includes(op);

/** The operations of some workloads. */
export const opsOfWorkloads = (workloads: readonly RunWorkload[]): readonly string[] => [
  ...new Set(workloads.flatMap(opsOf)),
];

/** The workloads of each tenant, by its name; undefined where none is named. */
export function tenantsOf(
  workloads: readonly RunWorkload[] | undefined,
): ReadonlyMap<string, readonly RunWorkload[]> | undefined {
  const tenants = new Map<string, readonly RunWorkload[]>();
  for (const workload of workloads ?? []) {
    if (workload.tenant !== undefined) {
      tenants.set(workload.tenant, [...(tenants.get(workload.tenant) ?? []), workload]);
    }
  }
  return tenants.size === 0 ? undefined : tenants;
}
