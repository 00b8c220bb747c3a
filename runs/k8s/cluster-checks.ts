/** What Kubernetes and k6-operator refuse, or take and never finish: said before anything is written. Pure. */

import type { LoadSettings } from "../../load/rules/checked-settings.ts";
import type { Stream } from "../../load/shape/streams.ts";
import { formatSegment } from "../../settings/load/segment.ts";
import { settingKey } from "../../settings/setting.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { COMMON_PROMPTS, workloadOfPrompts } from "../bundle/portable-load.ts";
import { forWorkload, needingCommonStart, unsharedArrivals } from "../load/segment-checks.ts";
import { DNS_LABEL, DNS_SUBDOMAIN, LONGEST, SERVICE_NAME } from "./operator-types.ts";

/** A label of the operator's Jobs holds their name: that of the run and `-initializer`. */
const LONGEST_NAME = LONGEST.label - "-initializer".length;

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
  if (SERVICE_NAME.test(name) && name.length <= LONGEST_NAME) return;
  throw new UsageError(
    `Cannot name the run "${name}": Kubernetes and k6-operator take up to ${LONGEST_NAME} small letters, digits and hyphens, from a letter to a letter or digit. Name it with --run-name.`,
  );
}

/** What the user names in a cluster. */
interface Named {
  readonly namespace?: string;
  readonly keySecret?: string;
  readonly clientCertSecret?: string;
  readonly resultsClaim?: string;
  readonly storageClass?: string;
  readonly image?: string;
  readonly starterImage?: string;
}

const SUBDOMAIN_IN_WORDS = `Kubernetes takes up to ${LONGEST.subdomain} small letters, digits, hyphens and dots, each part from a letter or digit to one`;
const isSubdomain = (name: string): boolean => DNS_SUBDOMAIN.test(name) && name.length <= LONGEST.subdomain;

const AN_IMAGE = [
  "an image",
  (name: string) => IMAGE.test(name),
  "it is a repository in small letters, with its registry before it and a tag or digest after it, such as registry.example/assay-runner:0.1.0",
] as const;

const A_SECRET = ["a Secret", isSubdomain, SUBDOMAIN_IN_WORDS] as const;

/** Whose name each is, what it may be, and that in words. */
const NAMES = {
  namespace: [
    "a namespace",
    (name) => DNS_LABEL.test(name) && name.length <= LONGEST.label,
    `Kubernetes takes up to ${LONGEST.label} small letters, digits and hyphens, from a letter or digit to one`,
  ],
  keySecret: A_SECRET,
  clientCertSecret: A_SECRET,
  resultsClaim: ["a claim", isSubdomain, SUBDOMAIN_IN_WORDS],
  storageClass: ["a storage class", isSubdomain, SUBDOMAIN_IN_WORDS],
  image: AN_IMAGE,
  starterImage: AN_IMAGE,
} as const satisfies Readonly<Record<keyof Named, readonly [string, (name: string) => boolean, string]>>;

const isNameOption = (option: string): option is keyof Named => Object.hasOwn(NAMES, option);

/** A reference to an image, as registries and the kubelet read it. */
const IMAGE = new RegExp(
  [
    String.raw`^(?:(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?|\[[0-9a-fA-F:]+\])(?::\d+)?/)?`,
    "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*",
    String.raw`(?::\w[\w.-]{0,127})?(?:@[a-z0-9+._-]+:[0-9a-f]{32,})?$`,
  ].join(""),
);

/** @throws UsageError when the cluster could have nothing of a name that the user gives */
export function checkNames(named: Named): void {
  for (const [option, name] of Object.entries(named)) {
    if (!isNameOption(option) || name === undefined) continue;
    const [what, isName, rule] = NAMES[option];
    if (isName(name)) continue;
    throw new UsageError(`Cannot use --${settingKey(option)} "${name}": it cannot name ${what}; ${rule}.`);
  }
}

/** @throws UsageError when some runners would have no virtual user for some arrivals, or could not all be started */
export function checkRunners(runners: number, settings: LoadSettings): void {
  if (runners > MOST_RUNNERS) {
    throw new UsageError(
      `Cannot share the load by ${runners} runners: k6-operator starts them by one command, which takes ${MOST_RUNNERS} at most. Use fewer runners on larger nodes, and calibrate one of these.`,
    );
  }
  const parts = settings.segment?.of ?? 1;
  const unshared = unsharedArrivals(runners * parts, settings);
  if (unshared === undefined) return;
  const { limit, workload } = unshared;
  const inEach = parts === 1 ? "" : ` in each of ${parts} clusters`;
  throw new UsageError(
    `Cannot share the load by ${runners} runners${inEach}: its ${limit}${forWorkload(workload)} leaves some of them without a virtual user. Raise it to at least ${runners * parts}, or use fewer runners.`,
  );
}

/** @throws UsageError when the runners would start so far apart that their arrivals are not one schedule */
export function checkCommonStart(runners: number, settings: LoadSettings): void {
  const { segment: { of } = { of: 1 } } = settings;
  if ((runners < RUNNERS_WITHOUT_START_AT && of === 1) || settings.startAt !== undefined) return;
  const stream = needingCommonStart(settings);
  if (stream === undefined) return;
  if (of > 1) {
    throw new UsageError(
      `Cannot start ${of} clusters as one schedule: the arrivals${ofWorkload(stream)} need a common start. Give each cluster the same --start-at, some minutes ahead, or ${withoutStart(stream)}.`,
    );
  }
  throw new UsageError(
    `Cannot start ${runners} runners as one schedule: k6-operator starts them one after another, more than a second apart in all, and the arrivals${ofWorkload(stream)} need a common start. Give --start-at some minutes ahead, or ${withoutStart(stream)}.`,
  );
}

const ofWorkload = ({ name }: Stream): string => (name === "" ? "" : ` of the workload ${name}`);

const withoutStart = ({ name }: Stream): string =>
  name === ""
    ? "arrivals that need none (--arrival poisson, or --vus)"
    : "that workload poisson arrivals at a steady rate, or vus, which need none";

/** @throws UsageError for a part of a load whose run would have a name of its own, so that no report joined it to the others */
export function checkRegion(runName: string | undefined, { segment }: LoadSettings): void {
  if (runName !== undefined || segment === undefined) return;
  throw new UsageError(
    `Cannot run part ${formatSegment(segment)} of the load: the runs of all clusters need one name, by which assay report joins them. Give each the same --run-name.`,
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
    `Cannot put the load into a ConfigMap: its files have ${total.toLocaleString("en")} bytes (${largest?.name} alone: ${largest?.bytes.toLocaleString("en")}), and a ConfigMap takes ${LARGEST_CONFIG_MAP.toLocaleString("en")}. ${smaller(largest?.name ?? "")}`,
  );
}

/** What to do about the largest file of a load. */
function smaller(file: string): string {
  const workload = workloadOfPrompts(file);
  if (workload !== undefined) {
    return `Give the workload ${workload} a smaller file of prompts, or none of its own: the common prompts of the load (--prompts) can be in the image or a volume, where --prompts-at names them.`;
  }
  return file === COMMON_PROMPTS
    ? "Put the prompts into the image or a volume and say where with --prompts-at, or use fewer."
    : "Use a smaller one.";
}
