/** Models of requests, several by weight. Pure: runs in Node and inside k6. */

import type { WorkloadKind } from "../../contract/operations.ts";
import { parseCount } from "../units.ts";

/** A model, and how often it is asked for relative to the others. */
export interface WeightedModel {
  readonly model: string;
  readonly weight: number;
}

/**
 * Reads one model, such as `assay-chat`, or several with weights, such as `base=3,lora-a=1`.
 * @throws UsageError for a weight that is not a whole number above zero
 */
export function parseModels(text: string): readonly WeightedModel[] {
  if (!text.includes("=")) return [{ model: text, weight: 1 }]; // the first expression costs a virtual user 18 KB
  const entries = text.split(",").map((entry) => /^\s*([^=]+?)\s*=\s*(\d+)\s*$/.exec(entry));
  if (!entries.every((entry) => entry !== null)) return [{ model: text, weight: 1 }];
  return entries.map(([, model = "", weight = ""]) => ({ model, weight: parseCount(weight) }));
}

/** The setting that holds the models of an operation; in a file of workloads, each has one `model`. */
const MODEL_SETTINGS = {
  "chat-stream": "chatModel",
  chat: "chatModel",
  embeddings: "embeddingModel",
  video: "videoModel",
} as const satisfies Readonly<Record<WorkloadKind, string>>;

type ModelSetting = (typeof MODEL_SETTINGS)[WorkloadKind];

/** The settings that the `model` of a workload is: a scenario may send any operation. */
export const modelSettingsOf = ({
  operation,
}: {
  readonly operation?: WorkloadKind | undefined;
}): readonly ModelSetting[] =>
  operation === undefined ? [...new Set(Object.values(MODEL_SETTINGS))] : [MODEL_SETTINGS[operation]];

/** A workload, as far as it decides which models its arrivals ask for. */
interface ModelledWorkload {
  readonly operation?: WorkloadKind | undefined;
  readonly settings?: ModelTexts;
}

/** Models of a load, as its settings give them. */
export type ModelTexts = { readonly [Name in ModelSetting]?: string | undefined };

/** The models among which the arrivals of a workload are distributed; of a scenario, those of each operation that it may send. */
export function modelChoicesOf(workload: ModelledWorkload, load: ModelTexts): readonly (readonly WeightedModel[])[] {
  const texts = modelSettingsOf(workload).flatMap((name) => workload.settings?.[name] ?? load[name] ?? []);
  return [...new Set(texts)].map(parseModels);
}

/** Begins the name of a model where an objective names what it is for: no workload has such a name. */
const MODEL_MARK = "model:";

/** What an objective for a model names. */
export const modelPart = (model: string): string => `${MODEL_MARK}${model}`;

/** The model that an objective is for; undefined for the name of a workload. */
export const modelOfPart = (part: string): string | undefined =>
  part.startsWith(MODEL_MARK) ? part.slice(MODEL_MARK.length) : undefined;
