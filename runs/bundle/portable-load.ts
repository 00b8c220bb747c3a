/** A load that a k6 elsewhere runs: the files that it opens, all in one folder, with its settings in `load.json`. */

import { resolveSettings, type Sources } from "../../cli/command-settings.ts";
import { loadText } from "../../formats/load.ts";
import { fileName } from "../../lib/text.ts";
import { VOCABULARY_FILE } from "../../load/inputs/vocabulary-file.ts";
import type { LoadSettings, Workload } from "../../load/rules/checked-settings.ts";
import { certificatesIn, pemBlocks } from "../../route/certificates.ts";
import { settingsFor } from "../../settings/all-settings.ts";
import { LOAD_FILE } from "../../settings/load/load-json.ts";
import { formatRates } from "../../settings/load/rates.ts";
import type { WorkloadEntry } from "../../settings/load/workload.ts";
import { type Settings, settingFlag } from "../../settings/setting.ts";
import { formatDuration } from "../../settings/units.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { BUNDLED_PROMPTS } from "../../toolchain/bundle-scenario.ts";
import { movedHistograms } from "../load/drawn-lengths.ts";
import { requireUsedFlags, withWorkloads } from "../load/named-load.ts";
import { type LoadPlan, planLoad } from "../load/plan-load.ts";

/** A file beside the bundle: where it is now, or what is in it. */
export type PortableFile = { readonly name: string } & ({ readonly source: string } | { readonly text: string });

export interface PortableLoad {
  /** `load.json`, which names the others by their path in the folder, is the first of them. */
  readonly files: readonly PortableFile[];
  /** Environment variables that requests take their keys and further headers from. */
  readonly secretVariables: readonly string[];
  /** The variable, or the key of a Secret, that holds the common API key. */
  readonly keyFrom: string;
}

const SETTINGS: Settings = settingsFor("load");

/** Settings of a load that only Assay follows, beside a k6 that it starts itself: a load that runs elsewhere has none of them. */
export const LOCAL_SETTINGS: readonly string[] = Object.entries(SETTINGS).flatMap(([name, { besideK6 }]) =>
  besideK6 === undefined ? [] : [name],
);

/** Of these, the conditions that end a load, which a command can follow that watches the load elsewhere. */
export const CONDITIONS: readonly string[] = ["abortOn", "abortWhenGone", "maxCost", "maxTokensTotal"];

/**
 * Plans a load that runs elsewhere.
 * @param flags options as commander gives them
 * @param sources where else settings come from; absent: the user's environment and file
 * @param isWatched its conditions are followed there
 * @throws UsageError as `planLoad` does, and for settings that only Assay follows, beside a k6 that it starts itself
 */
export function planPortable(
  scenario: string | undefined,
  flags: Readonly<Record<string, unknown>>,
  sources?: Sources,
  isWatched = false,
): LoadPlan {
  requireUsedFlags(scenario, flags);
  const { given } = resolveSettings("load", withWorkloads(scenario, flags), sources);
  const local = LOCAL_SETTINGS.find((name) => given.has(name) && !(isWatched && CONDITIONS.includes(name)));
  if (local !== undefined) {
    throw new UsageError(
      `Cannot take the load elsewhere: ${settingFlag(local, SETTINGS[local])} is set, and ${SETTINGS[local]?.besideK6}`,
    );
  }
  const plan = planLoad(scenario, flags, sources, false);
  if (!isWatched) requireNoCondition(plan.settings);
  return plan;
}

/** @throws UsageError when a shape brings a condition that ends the run */
function requireNoCondition({ abortOn = [], shape, rate = [], duration, warmup }: LoadSettings): void {
  if (abortOn.length === 0) return;
  throw new UsageError(
    `Cannot take the load elsewhere: the shape ${shape} ends the run on "${abortOn.join(", ")}", which Assay follows itself, outside k6. Give the same load without it: --rate ${formatRates(rate)} --duration ${formatDuration(duration)} --warmup ${formatDuration(warmup)}.`,
  );
}

/** What is elsewhere already, and not taken along. */
export interface Elsewhere {
  /** Where the common prompts are. */
  readonly promptsAt?: string | undefined;
  /** Where the client certificate and its key are. */
  readonly client?: Pick<LoadSettings, "clientCert" | "clientKey"> | undefined;
}

/** The private key of the client certificate, which whoever runs the load puts beside it. */
export const CLIENT_KEY = "client-key.pem";
export const CLIENT_CERT = "client.pem";

/**
 * What a load takes along; of files of certificates nothing but these.
 * @param folder in which its files will be, as the k6 that runs it sees it
 */
export function portableLoad(
  { settings, words, apiKeyEnv = COMMON_KEY }: Pick<LoadPlan, "settings" | "words" | "apiKeyEnv">,
  folder: string,
  { promptsAt, client }: Elsewhere = {},
): PortableLoad {
  const files: PortableFile[] = [];
  const taken = (name: string, source: string): string => {
    files.push({ name, source: settings.promptFiles?.[source] ?? source });
    return `${folder}/${name}`;
  };
  const traces = new Map<string, string>();
  const takenOnce = (name: string, source: string): string => {
    const known = traces.get(source) ?? taken(name, source);
    traces.set(source, known);
    return known;
  };
  const certificates = (name: string, source: string): string => {
    files.push({ name, text: `${pemBlocks(certificatesIn(source)).join("\n")}\n` });
    return `${folder}/${name}`;
  };
  const { prompts: _, promptFiles: __, ...others } = settings;
  const { arrival, caFile, clientCert, workload, tokenizer } = settings;
  if (words !== undefined) files.push({ name: VOCABULARY_FILE, text: words.text });
  const moved = {
    ...others,
    ...(workload && {
      workload: { ...workload, workloads: workload.workloads.map((entry) => movedWorkload(entry, taken, takenOnce)) },
    }),
    ...(hasCommonPrompts(settings) && {
      prompts: promptsAt ?? taken(COMMON_PROMPTS, settings.prompts ?? BUNDLED_PROMPTS),
    }),
    ...movedHistograms(settings, (name, file) => taken(`${name}.csv`, file)),
    ...(arrival.process === "trace" && {
      arrival: { ...arrival, file: taken("trace.txt", arrival.file) },
    }),
    ...(caFile !== undefined && { caFile: certificates("ca.pem", caFile) }),
    ...(client ??
      (clientCert !== undefined && {
        clientCert: certificates(CLIENT_CERT, clientCert),
        clientKey: `${folder}/${CLIENT_KEY}`,
      })),
    // It has counted the words already; its name is recorded.
    ...(tokenizer !== undefined && { tokenizer: fileName(tokenizer) }),
  };
  return {
    files: [{ name: LOAD_FILE, text: loadText(moved) }, ...files],
    secretVariables: [...new Set(settings.workloads.flatMap(variablesOf))].sort(commonKeyFirst),
    keyFrom: apiKeyEnv,
  };
}

/** The file of the prompts that workloads share. */
export const COMMON_PROMPTS = "prompts.jsonl";

/** Whether a load takes prompts from the file that its workloads share: not where all are made, or each has a file of its own. */
export const hasCommonPrompts = ({ inputTokens, workload }: LoadSettings): boolean =>
  inputTokens === undefined &&
  (workload === undefined ||
    workload.workloads.some(({ settings }) => !("prompts" in settings || "inputTokens" in settings)));

/** The file of a workload's own prompts, and the workload of such a file. */
const promptsOf = (workload: string): string => `prompts-${workload}.jsonl`;
export const workloadOfPrompts = (file: string): string | undefined => /^prompts-(.+)\.jsonl$/.exec(file)?.[1];

type Taking = (name: string, source: string) => string;

/** A workload with its own prompts and histograms beside the bundle, and its trace, of which others may replay parts. */
function movedWorkload(entry: WorkloadEntry, taken: Taking, takenOnce: Taking): WorkloadEntry {
  const { name, settings } = entry;
  const { prompts, arrival } = settings;
  return {
    ...entry,
    settings: {
      ...settings,
      ...(prompts !== undefined && { prompts: taken(promptsOf(name), prompts) }),
      ...(arrival?.process === "trace" && {
        arrival: { ...arrival, file: takenOnce(`trace-${name}.txt`, arrival.file) },
      }),
      ...movedHistograms(settings, (setting, file) => taken(`${setting}-${name}.csv`, file)),
    },
  };
}

/** The key of the workloads that have none of their own. */
export const COMMON_KEY = "ASSAY_API_KEY";

const commonKeyFirst = (one: string, other: string): number =>
  Number(other === COMMON_KEY) - Number(one === COMMON_KEY);

/** Environment variables that the requests of a workload take their key and headers from. */
const variablesOf = ({ header = [], apiKeyEnv = COMMON_KEY }: Workload): readonly string[] => [
  apiKeyEnv,
  ...header.map(({ variable }) => variable),
];
