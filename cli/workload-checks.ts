/** What contradicts what in the workloads of a load. Pure. */

import { arrivalSettingsIn, hasArrivals, type WorkloadEntry } from "../settings/load/workload.ts";
import { WORKLOAD_SETTINGS } from "../settings/load/workload-settings.ts";
import { type Settings, settingKey } from "../settings/setting.ts";

/** What is wrong, and which member of the list is to blame: the position of a workload, and a key of it. */
export interface Contradiction {
  readonly path: readonly (string | number)[];
  readonly reason: string;
}

/** The first contradiction among workloads; undefined when there is none. */
export function contradictionIn(workloads: readonly WorkloadEntry[]): Contradiction | undefined {
  const own = workloads.find(hasArrivals);
  for (const [position, workload] of workloads.entries()) {
    const found =
      sameName(workloads, position) ??
      inContent(workload) ??
      inArrivals(workload, own) ??
      inOperation(workload) ??
      inInputs(workload);
    if (found !== undefined) return { ...found, path: [position, ...found.path] };
  }
  return undefined;
}

function sameName(workloads: readonly WorkloadEntry[], position: number): Contradiction | undefined {
  const name = workloads[position]?.name;
  if (workloads.findIndex((other) => other.name === name) === position) return undefined;
  return { path: ["name"], reason: `there is another workload ${name}; names must differ` };
}

function inContent({ name, operation, scenario }: WorkloadEntry): Contradiction | undefined {
  if (operation === undefined && scenario === undefined) {
    return {
      path: [],
      reason: `${name} has neither an operation nor a scenario; give it an operation, or the file of a scenario`,
    };
  }
  if (operation === undefined || scenario === undefined) return undefined;
  const reason = `${name} has both an operation and a scenario; keep the one that its arrivals send`;
  return { path: ["scenario"], reason };
}

/** @param own a workload of the load that has arrivals of its own */
function inArrivals(workload: WorkloadEntry, own: WorkloadEntry | undefined): Contradiction | undefined {
  const { name, settings, weight } = workload;
  if (own === undefined) {
    const key = Object.keys(settings).find((setting) => concernsArrivals(setting));
    if (key === undefined) return undefined;
    const member = settingKey(key);
    const reason = `${member} needs arrivals of its own, and ${name} shares those of the load; give every workload a rate, vus or a trace, or set ${member} for the whole load`;
    return { path: [member], reason };
  }
  if (!hasArrivals(workload)) {
    const reason = `${name} has no rate, vus or trace, and ${own.name} has its own; give every workload its own, or each a weight and the load one rate`;
    return { path: weight === undefined ? [] : ["weight"], reason };
  }
  const [first = "rate", second] = arrivalSettingsIn(settings);
  if (weight !== undefined) {
    return {
      path: ["weight"],
      reason: `${name} has both a weight and its own ${first === "arrival" ? "trace" : first}; a weight is a part of arrivals that workloads share, so leave one of the two out`,
    };
  }
  if (second === undefined) return undefined;
  const [other, keep] =
    second === "vus"
      ? ["vus", "keep the rate for an open loop, or vus for a closed one"]
      : ["a trace", "the trace says when arrivals are due, so keep one of the two"];
  return { path: [second], reason: `${name} has both ${first === "vus" ? first : "a rate"} and ${other}; ${keep}` };
}

const SETTINGS: Settings = WORKLOAD_SETTINGS;

const concernsArrivals = (name: string): boolean => SETTINGS[name]?.perWorkload === "arrivals";

function inOperation({ name, operation, settings }: WorkloadEntry): Contradiction | undefined {
  for (const setting of Object.keys(settings)) {
    const of = SETTINGS[setting]?.perWorkload;
    if (!Array.isArray(of) || operation === undefined || of.includes(operation)) continue;
    const member = settingKey(setting);
    const reason = `${member} is of ${of.join(" and ")}, and ${name} sends ${operation}`;
    return { path: [member], reason };
  }
  return undefined;
}

function inInputs({ name, settings }: WorkloadEntry): Contradiction | undefined {
  if (settings.prompts === undefined || settings.inputTokens === undefined) return undefined;
  const reason = `${name} has both prompts and input-tokens; keep prompts to take them from the file, or input-tokens to make prompts of these lengths`;
  return { path: ["input-tokens"], reason };
}
