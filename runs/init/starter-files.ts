/** The files of `assay init`, true for a target that was probed. Pure, but for the workflow, which is a copy of ours. */

import { readFileSync } from "node:fs";
import { relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";
import type { Models, ServedPart } from "./probe-target.ts";

const ROOT = new URL("../../", import.meta.url);

export interface StarterFacts {
  /** The folder that the files are for. */
  readonly folder: string;
  /** Settings that were given, by their key in assay.yaml. */
  readonly settings: Readonly<Record<string, string | true>>;
  readonly target: string;
  readonly models: Models;
  readonly served: readonly ServedPart[];
}

/** The load of a first run: enough requests for `error_rate<1%` to be decided, and as few per second as any target takes. */
const WORKLOAD = { rate: "10/s", duration: "35s", warmup: "2s" } as const;

/** The files, by their path within the folder. */
export const starterFiles = (facts: StarterFacts): Readonly<Record<string, string>> => ({
  "assay.yaml": settingsFile(facts),
  "workload.yaml": workloadFile(facts),
  "baseline.yaml": BASELINE,
  ".github/workflows/assay.yml": workflow(facts),
});

/** What to run next, with what it does. */
export const NEXT_COMMANDS = [
  ["assay conformance", "checks the target against the specification"],
  ["assay load --workload workload.yaml", "loads it and measures it"],
  ["assay load --workload workload.yaml --repeat 5", "shows how much runs differ, before a gate compares them"],
] as const;

const schemaLine = (folder: string, name: string): string => {
  const path = relative(folder, fileURLToPath(new URL(`docs/schemas/${name}.schema.json`, ROOT)));
  return `# yaml-language-server: $schema=${path.split(sep).join("/")}\n`;
};

const settingsFile = ({ folder, settings }: StarterFacts): string => `${schemaLine(folder, "settings")}\
# Settings of every assay command that runs in this folder; flags and ASSAY_* variables take their place.
# The API key is in no file: export ASSAY_API_KEY=…
${stringify(settings)}
# Failures that are known: a conformance run accepts each of them until the day that it names.
baseline: baseline.yaml

# Objectives of every load in this folder, in addition to error_rate<1% and ok>=1:
# slo: [ttft_p95<800ms, e2e_p95<10s]

# Video tasks may cost money. With this, assay conformance creates up to max-video-jobs of them:
# video: true
# max-video-jobs: 8
`;

const workloadFile = ({ folder, served }: StarterFacts): string => `${schemaLine(folder, "workloads")}\
# A load of several workloads that share the rate by their weights. assay load --workload workload.yaml --plan shows what it sends.
${stringify(WORKLOAD)}workloads:
${served.map((part) => WORKLOADS[part]).join("")}`;

const WORKLOADS: Readonly<Record<ServedPart, string>> = {
  chat: `  - name: assistant
    operation: chat-stream
    weight: 4
    max-tokens: 64
    # Objectives of this workload alone:
    # slo: [ttft_p95<800ms]
`,
  embeddings: `  - name: search
    operation: embeddings
    weight: 1
`,
};

const BASELINE = `# Failures that are known, each with its reason and the day on which it stops being accepted. An entry that passes again
# fails the run. assay conformance --list prints the clauses.
# - { clause: chat.status, reason: "fixed in the next release", expires: 2027-01-31 }
[]
`;

/** The target of our own template is an example. */
const workflow = ({ target, served }: StarterFacts): string =>
  readFileSync(new URL("ci/github-workflow.yml", ROOT), "utf8")
    .replace("https://inference.example", () => target)
    .replace("load chat-stream", served.includes("chat") ? "load chat-stream" : "load embeddings")
    .replace("ttft_p95<800ms", served.includes("chat") ? "ttft_p95<800ms" : "e2e_p95<800ms");
