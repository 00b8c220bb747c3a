/**
 * What the user's cluster asks of the pods of a run, as a patch of its TestRun: objects are merged, lists of named things by
 * their names, other lists are replaced, and null takes a member out; arguments are added. Pure but for reading the file.
 */

import type { z } from "zod";
import { isObject } from "../../lib/json.ts";
import { endSentence } from "../../lib/text.ts";
import { readTextFile } from "../../lib/text-file.ts";
import { parseYaml } from "../../lib/yaml.ts";
import { reasonOf, UsageError } from "../../settings/usage-error.ts";
import { CONTAINER_SECURITY, POD_SECURITY } from "./manifests.ts";
import { type LikeRunners, likeRunners, type TestRun, testRun } from "./operator-types.ts";

type Members = Readonly<Record<string, unknown>>;

export interface Patch {
  readonly file: string;
  /** A TestRun in part. */
  readonly members: Members;
}

/** What Assay itself writes, and where it comes from. */
const OWN: Readonly<Record<string, string>> = {
  "metadata.name": "--run-name",
  "metadata.namespace": "--namespace",
  "spec.parallelism": "--runners",
  "spec.script": "the load",
};

/** Members in which a list is one of named things, and what names each. */
const NAMED_BY: Readonly<Record<string, string>> = {
  env: "name",
  imagePullSecrets: "name",
  volumes: "name",
  volumeMounts: "mountPath",
};

/** @throws UsageError when the file holds no patch */
export function readPatch(file: string): Patch {
  const members = readYaml(file);
  if (!isObject(members)) throw unusable(file, "it holds no YAML object");
  for (const [name, only] of Object.entries({ apiVersion: "k6.io/v1alpha1", kind: "TestRun" })) {
    const given = members[name];
    if (given !== undefined && given !== only) throw unusable(file, `its ${name} is not ${only}`);
  }
  for (const [path, from] of Object.entries(OWN)) {
    if (memberAt(members, path) !== undefined) throw unusable(file, `${path} comes from ${from}; leave it out`);
  }
  return { file, members };
}

function readYaml(file: string): unknown {
  try {
    return parseYaml(readTextFile(file));
  } catch (error) {
    throw unusable(file, reasonOf(error));
  }
}

/**
 * The TestRun with the patch in it.
 * @throws UsageError when the operator's types do not have what it sets, or it takes away what the run needs
 */
export function patched(run: TestRun, { file, members }: Patch): TestRun {
  const changed = withArguments(run, merged(run, members), members);
  for (const variable of ["env", "volumes", "volumeMounts"] as const) {
    const list = memberAt(changed, `spec.runner.${variable}`);
    const kept = Array.isArray(list) ? list.slice(0, run.spec.runner[variable]?.length) : undefined;
    if (JSON.stringify(kept) === JSON.stringify(run.spec.runner[variable])) continue;
    throw unusable(file, `spec.runner.${variable} changes what Assay writes there; only add to it`);
  }
  const result = testRun.safeParse(changed);
  if (!result.success) throw unusable(file, problemIn(result.error));
  return result.data;
}

/** What a patch asks of the runners. @throws UsageError as `patched` does */
export function likeRunnersIn({ file, members }: Patch): LikeRunners {
  const defaults = { securityContext: POD_SECURITY, containerSecurityContext: CONTAINER_SECURITY };
  const read = likeRunners.safeParse(merged(defaults, memberAt(members, "spec.runner") ?? {}));
  if (read.success) return read.data;
  throw unusable(file, problemIn(read.error));
}

function withArguments(run: TestRun, result: unknown, members: Members): unknown {
  const more = memberAt(members, "spec.args");
  if (!isObject(result) || !isObject(result["spec"]) || !Array.isArray(more)) return result;
  return { ...result, spec: { ...result["spec"], args: [...run.spec.args, ...more] } };
}

function merged(base: unknown, patch: unknown, member = ""): unknown {
  if (isObject(patch)) {
    const before = isObject(base) ? base : {};
    const all = { ...before, ...patch };
    const kept = Object.keys(all).filter((name) => patch[name] !== null);
    return Object.fromEntries(
      kept.map((name) => [name, name in patch ? merged(before[name], patch[name], name) : before[name]]),
    );
  }
  const key = NAMED_BY[member];
  if (key === undefined || !Array.isArray(base) || !Array.isArray(patch)) return patch;
  const nameOf = (element: unknown): unknown => (isObject(element) ? element[key] : undefined);
  const changed = base.map((element: unknown) => {
    const change: unknown = patch.find((each) => nameOf(each) !== undefined && nameOf(each) === nameOf(element));
    return change === undefined ? element : merged(element, change);
  });
  const added = patch.filter((each: unknown) => !base.some((element) => nameOf(element) === nameOf(each)));
  return [...changed, ...added];
}

function memberAt(members: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), members);
}

/** The first problem in words: where it is, and what. */
function problemIn({ issues }: z.ZodError): string {
  const [issue] = issues;
  const at = issue?.path.join(".") ?? "";
  const what =
    issue?.code === "unrecognized_keys"
      ? `the TestRun of k6-operator has no ${issue.keys.join(", ")} there, or Assay does not know it`
      : (issue?.message ?? "it is not as k6-operator defines it");
  return at === "" ? what : `${at}: ${what}`;
}

const unusable = (file: string, reason: string): UsageError =>
  new UsageError(endSentence(`Cannot use --patch ${file}: ${reason}`));
