/** Reads a file that describes a load (`--workload`), and says where in it something is wrong. */

import type { Document } from "yaml";
import type { z } from "zod";
import { isObject } from "../lib/json.ts";
import { endSentence } from "../lib/text.ts";
import { readTextFile } from "../lib/text-file.ts";
import { documentValue, yaml } from "../lib/yaml.ts";
import { MEMBERS, workloadDescription, workloadFile } from "../load/read/workload-form.ts";
import { BadTrace } from "../load/shape/trace-rows.ts";
import { workloadsOfTrace } from "../load/shape/trace-workloads.ts";
import { namedTrace, type TraceProcess } from "../settings/load/arrival-process.ts";
import { modelSettingsOf } from "../settings/load/models.ts";
import { hasArrivals, type WorkloadEntry } from "../settings/load/workload.ts";
import { WORKLOAD_SETTINGS } from "../settings/load/workload-settings.ts";
import { didYouMean, notOneOf } from "../settings/nearest.ts";
import { valuesByKey } from "../settings/setting.ts";
import { reasonOf, UsageError } from "../settings/usage-error.ts";
import { contradictionIn } from "./workload-checks.ts";

/** A load as a file describes it. */
export interface WorkloadFile {
  /** Settings of the whole load: by their keys, as a user writes them. */
  readonly settings: Readonly<Record<string, string>>;
  readonly workloads: readonly WorkloadEntry[];
}

/**
 * @param file its path, or `trace:FILE` for those of a trace
 * @throws UsageError that names the line and column of what cannot be read or used
 */
export function readWorkloadFile(file: string): WorkloadFile {
  const trace = namedTrace(file);
  let text: string;
  try {
    text = readTextFile(trace?.file ?? file);
  } catch (error) {
    throw new UsageError(
      `Cannot read the workloads from ${file}: ${reasonOf(error)}. Name a YAML file with --workload (see docs/workloads.md).`,
    );
  }
  return parseWorkloads(trace === undefined ? text : listOf(text, trace), file);
}

/** The workloads of a trace as a file lists them: JSON is YAML too. */
function listOf(text: string, trace: TraceProcess): string {
  try {
    return JSON.stringify({ workloads: workloadsOfTrace(text, trace) });
  } catch (error) {
    if (!(error instanceof BadTrace)) throw error;
    throw new UsageError(`Cannot make workloads of ${trace.file}: ${error.message}. See docs/workloads.md, Traces.`);
  }
}

type Path = readonly PropertyKey[];

/**
 * Reads the text of such a file.
 * @param file names it in errors
 * @throws UsageError that names the line and column of what cannot be read or used
 */
export function parseWorkloads(text: string, file: string): WorkloadFile {
  const { LineCounter, parseDocument } = yaml();
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const wrong = (offset: number, reason: string): UsageError => {
    const { line, col } = lines.linePos(offset);
    return new UsageError(
      `Cannot use the workloads in ${file}: line ${Math.max(1, line)}, column ${Math.max(1, col)}: ${endSentence(reason)}`,
    );
  };
  const [broken] = document.errors;
  if (broken !== undefined) throw wrong(broken.pos[0], `it is not YAML: ${withoutEnd(broken.message)}`);
  const value = readValue(document, (reason) => wrong(0, reason)) ?? {};
  const { data, error } = workloadFile.safeParse(value);
  if (data === undefined) {
    const { path, reason } = explained(error.issues, value);
    throw wrong(offsetOf(document, path), reason);
  }
  const { workloads, ...settings } = data;
  const entries = workloads.map(entryOf);
  const contradiction = contradictionIn(entries);
  if (contradiction === undefined) return { settings: textsOf(settings), workloads: withWeights(entries) };
  throw wrong(offsetOf(document, ["workloads", ...contradiction.path]), contradiction.reason);
}

function readValue(document: Document, wrong: (reason: string) => UsageError): unknown {
  try {
    return documentValue(document);
  } catch (error) {
    throw wrong(withoutEnd(reasonOf(error)));
  }
}

const withoutEnd = (sentence: string): string => sentence.replace(/\.$/, "");

const textsOf = (members: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, text]) => (typeof text === "string" ? [[name, text]] : [])),
  );

function entryOf(form: Readonly<Record<string, unknown>>): WorkloadEntry {
  const { model, "api-key-env": apiKeyEnv, tenant = apiKeyEnv, weight, ...described } = workloadDescription.parse(form);
  return {
    ...described,
    ...(weight !== undefined && { weight }),
    ...(tenant !== undefined && { tenant }),
    ...(apiKeyEnv !== undefined && { apiKeyEnv }),
    settings: {
      ...valuesByKey(WORKLOAD_SETTINGS, form),
      ...(model !== undefined && Object.fromEntries(modelSettingsOf(described).map((name) => [name, model]))),
    },
  };
}

/** Workloads that share arrivals have a weight, 1 where none is given. */
const withWeights = (entries: readonly WorkloadEntry[]): readonly WorkloadEntry[] =>
  entries.some(hasArrivals) ? entries : entries.map((entry) => ({ weight: 1, ...entry }));

/** Where in the text a member is; the nearest around it for one that is absent. */
function offsetOf(document: Document, path: Path): number {
  const { isMap, isNode, isScalar } = yaml();
  const parent = path.length === 0 ? document.contents : document.getIn(path.slice(0, -1), true);
  const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1)) : undefined;
  const node = isNode(pair?.key) ? pair.key : document.getIn(path, true);
  if (isNode(node) && node.range) return node.range[0];
  return path.length === 0 ? 0 : offsetOf(document, path.slice(0, -1));
}

interface Explained {
  readonly path: Path;
  readonly reason: string;
}

/** The first problem of a file, and where it is. */
function explained([issue]: readonly z.core.$ZodIssue[], value: unknown): Explained {
  if (issue === undefined) return { path: [], reason: "it cannot be read" };
  const { path } = issue;
  if (issue.code === "unrecognized_keys") {
    const [name = ""] = issue.keys;
    const [known, of] = path.length === 0 ? [MEMBERS.file, "the file"] : [MEMBERS.workload, "a workload"];
    return {
      path: [...path, name],
      reason: `"${name}" is not a member of ${of}. ${didYouMean(name, known, "Known members", "docs/workloads.md lists them.")}`,
    };
  }
  const name = path.filter((step) => typeof step === "string").at(-1);
  const at = path.reduce<unknown>(
    (inner, step) => (isObject(inner) || Array.isArray(inner) ? Reflect.get(inner, step) : undefined),
    value,
  );
  if (at === undefined && name !== undefined && name !== "workloads")
    return { path, reason: `the workload has no ${name}` };
  if (issue.code === "invalid_value" && typeof at === "string") {
    const choices = issue.values.map(String);
    return { path, reason: `the ${name} ${notOneOf(at, choices)}` };
  }
  const reason =
    issue.code === "invalid_union" ? "it is not written as a value of it can be" : withoutEnd(issue.message);
  return { path, reason: name === undefined || name === "workloads" ? reason : `${name}: ${reason}` };
}
