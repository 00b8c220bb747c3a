/** What Kubernetes and k6-operator refuse, or take and never finish: said before anything is written. Pure. */

import type { LoadSettings } from "../../scenarios/process/checked-settings.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { forWorkload, needingCommonStart, unsharedArrivals } from "../load/segment-checks.ts";
import { DNS_LABEL } from "./operator-types.ts";

/** A label of the operator's Jobs holds their name: that of the run and `-initializer`. */
const LONGEST_NAME = 63 - "-initializer".length;

/** Of all keys and values of a ConfigMap, in bytes. */
const LARGEST_CONFIG_MAP = 2 ** 20;

/** From this number on, the operator starts the first and the last runner more than the tolerated second apart. */
const RUNNERS_WITHOUT_START_AT = 40;

/**
 * Bytes by which k6-operator 1.6.0 starts one runner, at most: a call of curl with an IPv6 address. All of them are one argument
 * of a shell, which Linux takes up to 131,071 bytes of.
 */
const START_BYTES = 400;
export const MOST_RUNNERS = Math.floor(131_071 / START_BYTES);

/** @throws UsageError when the name cannot be that of a run in the cluster */
export function checkRunName(name: string): void {
  if (DNS_LABEL.test(name) && name.length <= LONGEST_NAME) return;
  throw new UsageError(
    `Cannot name the run "${name}": Kubernetes and k6-operator take up to ${LONGEST_NAME} small letters, digits and hyphens, from a letter to a letter or digit. Name it with --run-name.`,
  );
}

/** @throws UsageError when some runners would have no virtual user for some arrivals, or could not all be started */
export function checkRunners(runners: number, settings: LoadSettings): void {
  if (runners > MOST_RUNNERS) {
    throw new UsageError(
      `Cannot share the load by ${runners} runners: k6-operator starts them by one command, which takes ${MOST_RUNNERS} at most. Use fewer runners on larger nodes, and calibrate one of these.`,
    );
  }
  const unshared = unsharedArrivals(runners, settings);
  if (unshared === undefined) return;
  const { limit, workload } = unshared;
  throw new UsageError(
    `Cannot share the load by ${runners} runners: its ${limit}${forWorkload(workload)} leaves some of them without a virtual user. Raise it to at least ${runners}, or use fewer runners.`,
  );
}

/** @throws UsageError when the runners would start so far apart that their arrivals are not one schedule */
export function checkCommonStart(runners: number, settings: LoadSettings): void {
  if (runners < RUNNERS_WITHOUT_START_AT || settings.startAt !== undefined) return;
  const stream = needingCommonStart(settings);
  if (stream === undefined) return;
  const [of, without] =
    stream.name === ""
      ? ["", "arrivals that need none (--arrival poisson, or --vus)"]
      : [` of the workload ${stream.name}`, "that workload poisson arrivals at a steady rate, or vus, which need none"];
  throw new UsageError(
    `Cannot start ${runners} runners as one schedule: k6-operator starts them one after another, more than a second apart in all, and the arrivals${of} need a common start. Give --start-at some minutes ahead, or ${without}.`,
  );
}

/**
 * @param data of a ConfigMap, by key
 * @throws UsageError when it is larger than a cluster takes
 */
export function checkSize(data: Readonly<Record<string, string>>): void {
  const sizes = Object.entries(data).map(([name, text]) => ({ name, bytes: name.length + Buffer.byteLength(text) }));
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= LARGEST_CONFIG_MAP) return;
  const [largest] = sizes.sort((a, b) => b.bytes - a.bytes);
  throw new UsageError(
    `Cannot put the load into a ConfigMap: its files have ${total.toLocaleString("en")} bytes, of which ${largest?.name} has ${largest?.bytes.toLocaleString("en")}, and a ConfigMap takes ${LARGEST_CONFIG_MAP.toLocaleString("en")}. Put the prompts into the image or a volume and say where with --prompts-at, or use fewer.`,
  );
}
