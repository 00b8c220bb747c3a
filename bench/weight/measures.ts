/**
 * What is weighed. All of it is counted, so that every machine of one kind gives the same numbers; only the peak memory
 * depends a little on the machine, and has a wide share.
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { z } from "zod";
import { buildProgram } from "../../cli/program.ts";
import { cpuTimesFile } from "../../tests/support/cpu-times.mjs";
import { bundledCode, scenarioFile } from "../../toolchain/bundle-scenario.ts";
import { EXTENSION } from "../../toolchain/find-k6.mjs";
import { k6ForLoads } from "../../toolchain/k6.ts";
import { runGoBenchmarks } from "./go-benchmarks.ts";
import { loadedModules } from "./loaded-modules.ts";
import { peakMemoryOfLoad } from "./peak-memory.ts";
import type { Weight } from "./weight-changes.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

type Numbers = Readonly<Record<string, number>>;

/** Numbers by their names, and the share by which each may differ from its record. */
interface Measure {
  readonly share: number | ((what: string) => number);
  readonly numbers: () => Numbers | Promise<Numbers>;
}

const MEASURES: readonly Measure[] = [
  { share: 0.03, numbers: shippedLines },
  { share: 0.03, numbers: linesOfTests },
  { share: Number.POSITIVE_INFINITY, numbers: cpuTimesOfTests },
  { share: 0, numbers: flagsOfCommands },
  { share: 0, numbers: () => ({ "installed packages": installedPackages().length }) },
  { share: 0.02, numbers: () => ({ "MB of installed packages": mb(sum(installedPackages().map(sizeOf))) }) },
  { share: 0.02, numbers: async () => ({ "MB of k6": mb(statSync((await k6ForLoads()).path).size) }) },
  { share: 0.03, numbers: bundleSize },
  { share: 0.02, numbers: startOfHelp },
  // Bytes are rounded to whole ones per request.
  { share: (what) => (what.startsWith("bytes") ? 0.02 : 0), numbers: allocations },
  { share: 0.5, numbers: peakMemory },
];

/** Measures everything; takes about a minute. */
export async function weigh(): Promise<Weight[]> {
  const weights: Weight[] = [];
  for (const { share, numbers } of MEASURES) {
    for (const [what, value] of Object.entries(await numbers())) {
      weights.push({ what, value, share: typeof share === "number" ? share : share(what) });
    }
  }
  return weights;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const mb = (bytes: number): number => Math.round(bytes / 100_000) / 10;

const manifest = z.object({ files: z.array(z.string()) });

/** Lines of published code and JSON Schemas per folder, and those of the Go sources, which are published in a package of their own. */
function shippedLines(): Numbers {
  const { files } = manifest.parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));
  const folders = files.filter((entry) => existsSync(join(ROOT, entry)) && statSync(join(ROOT, entry)).isDirectory());
  const leftOut = files.filter((entry) => /^!(?:scripts|toolchain)\//.test(entry)).map((entry) => entry.slice(1));
  const isPublished = (file: string): boolean =>
    !leftOut.some((entry) => file === entry || file.startsWith(`${entry}/`));
  const lines: Record<string, number> = {};
  for (const file of [...folders, "extension"]
    .flatMap(filesIn)
    .filter((file) => isShippedText(file) && isPublished(file))) {
    const what = `lines of ${file.endsWith(".go") ? "extension" : file.split("/")[0]}`;
    lines[what] = (lines[what] ?? 0) + readFileSync(join(ROOT, file), "utf8").split("\n").length - 1;
  }
  return lines;
}

/** Lines of the tests and of what only they use. */
function linesOfTests(): Numbers {
  const files = execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" }).split("\n");
  const tests = files.filter((file) => /^tests\/.*\.(ts|mjs|go|py|grit)$|\.test\.ts$|_test\.go$/.test(file));
  const lines = tests.map((file) => readFileSync(join(ROOT, file), "utf8").split("\n").length - 1);
  return { "lines of tests (target 35,000)": sum(lines) };
}

/** Informative: what the last run of each suite on this machine took. */
function cpuTimesOfTests(): Numbers {
  const last = (suite: string): number =>
    existsSync(cpuTimesFile(suite)) ? Number(readFileSync(cpuTimesFile(suite), "utf8")) : Number.NaN;
  const suites = ["test", "test:all -- --rest"];
  return Object.fromEntries(suites.map((suite) => [`seconds of CPU of npm run ${suite}`, last(suite)]));
}

const filesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`);

const isShippedText = (file: string): boolean =>
  /\.(ts|mjs|go|sh|schema\.json)$/.test(file) && !/[._]test\.\w+$|\/(golden|testdata)\/|^compiled\//.test(file);

/** Flags in the help of each command, those of the commands below it apart. */
async function flagsOfCommands(): Promise<Numbers> {
  return Object.fromEntries((await buildProgram()).commands.flatMap((command) => flagCounts(command, "assay")));
}

/** @param parent the commands above it, as they are typed */
export function flagCounts(command: Command, parent: string): [string, number][] {
  const name = `${parent} ${command.name()}`;
  const flags = command.options.filter(({ hidden }) => !hidden).length;
  return [[`flags of ${name}`, flags], ...command.commands.flatMap((below) => flagCounts(below, name))];
}

const lockfile = z.object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) });

/** Folders of the packages that users install: those of this system, without what only tests and checks need. */
function installedPackages(): string[] {
  const { packages } = lockfile.parse(JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")));
  return Object.entries(packages)
    .filter(([folder, { dev }]) => folder !== "" && dev !== true && existsSync(join(ROOT, folder)))
    .map(([folder]) => join(ROOT, folder));
}

/** Bytes of the files of a package, without the packages within it, which are counted by themselves. */
const sizeOf = (folder: string): number =>
  sum(
    readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => name !== "node_modules")
      .map((entry) =>
        entry.isDirectory() ? sizeOf(join(folder, entry.name)) : statSync(join(folder, entry.name)).size,
      ),
  );

async function bundleSize(): Promise<Numbers> {
  const code = await bundledCode({ file: scenarioFile("chat-stream") });
  return { "size of the bundle of chat-stream in bytes": Buffer.byteLength(code) };
}

function startOfHelp(): Numbers {
  const program = join(ROOT, "scripts", "assay.mjs");
  // The first start after a change compiles the checkout, which no later one does.
  loadedModules([program, "--version"]);
  const commands = [["--help"], ["load", "--help"]].map((args) => {
    const { modules, bytes } = loadedModules([program, ...args]);
    const command = `assay ${args.join(" ")}`;
    return {
      [`modules loaded by ${command}`]: modules,
      [`KB of modules loaded by ${command}`]: Math.round(bytes / 1_000),
    };
  });
  return Object.assign({}, ...commands);
}

/** What the hot paths allocate in Go. */
function allocations(): Numbers {
  const numbers: Record<string, number> = {};
  for (const [name, { "allocs/op": count = Number.NaN, "B/op": bytes = Number.NaN }] of runGoBenchmarks(EXTENSION)) {
    numbers[`allocations of ${name}`] = count;
    numbers[`bytes allocated by ${name}`] = bytes;
  }
  return numbers;
}

async function peakMemory(): Promise<Numbers> {
  const folder = mkdtempSync(join(tmpdir(), "assay-weight-"));
  try {
    return { "MB at the peak of k6 in 4,000 chats": Math.round(await peakMemoryOfLoad(folder)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
