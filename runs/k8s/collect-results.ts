/** Copies the result folders of the runners from their claims in the cluster to this machine, and checks that they are whole. */

import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import PQueue from "p-queue";
import { FILES } from "../../formats/file-names.ts";
import { formatDuration } from "../../settings/units.ts";
import { UsageError } from "../../settings/usage-error.ts";
import { inPlace, type Kubectl, type Place, printedBy, reasonIn } from "./kubectl.ts";
import { RESULTS_FOLDER } from "./manifests.ts";
import type { LikeRunners } from "./operator-types.ts";
import { readerName, readerPod } from "./reader-pod.ts";

/** A claim with results. */
export interface Claim {
  readonly name: string;
  /** Whose it is: the run, or one of its runners. */
  readonly of: string;
}

/** What is collected. */
export interface Collection {
  readonly kubectl: Kubectl;
  /** Of the run. */
  readonly name: string;
  /** Of `kubectl`, for hints. */
  readonly place: Place;
  readonly image: string;
  readonly claims: readonly Claim[];
  /** What the cluster asks of the pods of the run. */
  readonly like?: LikeRunners;
  /** New folder on this machine, which gets a folder per runner. */
  readonly folder: string;
  readonly say: (line: string) => void;
  /** Ends the collecting. */
  readonly signal: AbortSignal;
}

/** Files that a runner writes; nothing else is copied. */
const COPIED: readonly string[] = [FILES.records, FILES.client, FILES.tasks];

/** Claims that are read and copies that are under way at the same time, and how often a copy is tried without any progress. */
const CONCURRENT = 4;
const ATTEMPTS = 5;

/** How long the reader may take to start. */
const READER_MS = 180_000;

/** For a call that waits for the pod. */
const WAIT_MS = READER_MS + 30_000;

/** A file of a runner in the claim. */
interface Remote {
  /** The pod that reads it. */
  readonly reader: string;
  readonly runner: string;
  readonly file: string;
  readonly bytes: number;
}

/**
 * Collects the files of all runners; the pods that read them are removed again.
 * @returns the folders that were found, by the name of their runner
 * @throws UsageError when a pod does not start or a file cannot be copied whole, after all others were copied
 */
export async function collectResults(collection: Collection): Promise<ReadonlyMap<string, string>> {
  const [readers, copies] = [new PQueue({ concurrency: CONCURRENT }), new PQueue({ concurrency: CONCURRENT })];
  const done = await Promise.allSettled(
    collection.claims.map((claim) => readers.add(() => collectFrom(collection, claim, copies))),
  );
  const [failed] = done.flatMap((each) => (each.status === "rejected" ? [each] : []));
  if (failed !== undefined) throw failed.reason;
  const folders = done.flatMap((each) => (each.status === "fulfilled" ? [...each.value] : []));
  return new Map(folders.sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true })));
}

/** @returns the folders that were found in a claim, by the name of their runner */
async function collectFrom(
  collection: Collection,
  { name: claimName, of }: Claim,
  copies: PQueue,
): Promise<ReadonlyMap<string, string>> {
  const { kubectl, name, place, image, like, signal } = collection;
  signal.throwIfAborted();
  const reader = `pod/${readerName(of)}`;
  const remove = () => kubectl(["delete", reader, "--ignore-not-found", "--wait=false"]);
  await kubectl(["delete", reader, "--ignore-not-found"], { signal, withinMs: WAIT_MS });
  try {
    const manifest = JSON.stringify(readerPod(of, image, claimName, like));
    const advice = `Try again with assay k8s collect ${name}${inPlace(place)}.`;
    await printedBy(kubectl(["create", "--filename", "-"], { input: manifest, signal }), "start the reader", advice);
    const ready = kubectl(["wait", "--for=condition=Ready", reader, `--timeout=${formatDuration(READER_MS)}`], {
      signal,
      withinMs: WAIT_MS,
    });
    await printedBy(ready, `read the claim ${claimName}`, `See kubectl describe ${reader}${inPlace(place)}. ${advice}`);
    return await copyAll(collection, await filesOf(collection, readerName(of)), copies);
  } finally {
    await remove();
  }
}

/** What the runners wrote. */
async function filesOf({ kubectl, name, signal }: Collection, reader: string): Promise<readonly Remote[]> {
  const list = 'cd "$1" && find . -type f -exec wc -c {} \\;';
  const path = `${RESULTS_FOLDER}/${name}`;
  const listed = kubectl(["exec", reader, "--", "sh", "-c", list, "sh", path], { signal });
  const text = await printedBy(
    listed,
    `find the results of ${name}`,
    "Check the name of the run, and of its claim (--results-claim).",
  );
  return text.split("\n").flatMap((line) => {
    const [, bytes = "", runner = "", file = ""] = /^\s*(\d+) \.\/([^/]+)\/([^/]+)$/.exec(line) ?? [];
    const isRunner = runner.startsWith(`${name}-`) && /^\d+$/.test(runner.slice(name.length + 1));
    return isRunner && COPIED.includes(file) ? [{ reader, runner, file, bytes: Number(bytes) }] : [];
  });
}

async function copyAll(
  collection: Collection,
  files: readonly Remote[],
  copies: PQueue,
): Promise<ReadonlyMap<string, string>> {
  const folders = new Map(files.map(({ runner }) => [runner, join(collection.folder, runner)]));
  for (const folder of folders.values()) mkdirSync(folder, { recursive: true });
  await copies.addAll(files.map((file) => () => copy(collection, file)));
  return folders;
}

/** Copies a file; a connection that breaks is made again, and the rest is asked for. */
async function copy(
  { kubectl, name, place, folder, signal }: Collection,
  { reader, runner, file, bytes }: Remote,
): Promise<void> {
  const path = join(folder, runner, file);
  const from = `${RESULTS_FOLDER}/${name}/${runner}/${file}`;
  let error = "";
  let before = 0;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const have = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (have >= bytes && attempt > 1) break;
    // Attempts are counted anew after progress: a proxy may cut every stream after the same number of bytes.
    if (have > before) attempt = 1;
    before = have;
    const call = ["exec", reader, "--", "tail", "-c", `+${have + 1}`, from];
    error = (await kubectl(call, { into: path, signal })).stderr;
  }
  const copied = statSync(path).size;
  if (copied === bytes) return;
  throw new UsageError(
    `Cannot copy ${from}: ${copied} of ${bytes} bytes arrived (${reasonIn(error)}). The claim keeps it: try again with assay k8s collect ${name}${inPlace(place)}.`,
  );
}
