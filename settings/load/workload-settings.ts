/** The settings of which each workload of a load may have its own. Runs in Node and inside k6. */

import type { Setting, Values } from "../setting.ts";
import { LOAD_SETTINGS } from "./load-table.ts";

type Table = typeof LOAD_SETTINGS;

export const WORKLOAD_SETTINGS = Object.fromEntries(
  Object.entries<Setting>(LOAD_SETTINGS).filter(([, { perWorkload }]) => perWorkload !== undefined),
) as Pick<Table, { [K in keyof Table]: Table[K] extends { readonly perWorkload: unknown } ? K : never }[keyof Table]>;

export type WorkloadSettings = Values<typeof WORKLOAD_SETTINGS>;

/** Of the settings of a load, those that each of its workloads has too. */
export const ofEveryWorkload = <T extends object>(load: T): Pick<T, keyof T & keyof typeof WORKLOAD_SETTINGS> =>
  Object.fromEntries(Object.entries(load).filter(([name]) => name in WORKLOAD_SETTINGS)) as Pick<
    T,
    keyof T & keyof typeof WORKLOAD_SETTINGS
  >;
