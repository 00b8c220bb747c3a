/**
 * Bundles scenarios into the single file that k6 runs. All of Assay's code goes into it; k6's own modules stay outside, and
 * so do prompts, which k6 opens itself so that its archives include them.
 */

import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, extname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type BuildOptions, build, formatMessages, type Message, type Plugin } from "esbuild";
import { z } from "zod";
import { SCENARIOS } from "../scenarios/scenario-list.ts";
import { SCENARIO_ENDINGS } from "../settings/load/workload.ts";
import { meantHint } from "../settings/nearest.ts";
import { reasonOf, UsageError } from "../settings/usage-error.ts";

const SCENARIOS_FOLDER = fileURLToPath(new URL("../scenarios/", import.meta.url));

const scenarioNames = Object.keys(SCENARIOS);

/** A scenario's name, or the file name of a user's own without its ending. */
export const scenarioTitle = (scenario: string): string => scenario.replace(/^.*[/\\]/, "").replace(/\.\w+$/, "");

/** The prompts that are used when none are named. */
export const BUNDLED_PROMPTS = join(SCENARIOS_FOLDER, "prompts", "default.jsonl");

/** The workloads of the mixed scenario. */
export const MIXED_WORKLOADS = join(SCENARIOS_FOLDER, "mixed.yaml");

/** What lists the scenarios of workloads: empty until `workloadsPlugin` puts those of a load there. */
const WORKLOAD_SCENARIOS = join(SCENARIOS_FOLDER, "workload-scenarios.ts");

/** What a bundle is made of. */
export interface BundleEntry {
  /** The scenario that k6 runs, `.ts` or `.js`. */
  readonly file: string;
  /** Of a load of workloads: the scenario files of those that have one, by their name. */
  readonly ofWorkloads?: Readonly<Record<string, string>>;
  /** Whether prefixes are sent before the load, by the `setup()` of `scenarios/steps/prime.ts`. */
  readonly primes?: boolean;
}

/** What scenarios require instead of importing it; `singletonPlugin` says why. */
const PROCESS_STATE = join(SCENARIOS_FOLDER, "process-state.ts");

/** What a user's own scenario imports from, whether Assay is installed as a package or not. */
const OWN_SCENARIO_MODULE = "@assay-load/assay/scenarios";

/**
 * The file of a scenario: a bundled one by name, or a user's own by path.
 * @param folder what a relative path starts from.
 * @throws UsageError when it is neither.
 */
export function scenarioFile(nameOrPath: string, folder: string = process.cwd()): string {
  if (scenarioNames.includes(nameOrPath)) return join(SCENARIOS_FOLDER, `${nameOrPath}.ts`);
  const names = scenarioNames.join(", ");
  const file = resolve(folder, nameOrPath);
  if (!SCENARIO_ENDINGS.some((ending) => ending === extname(file))) throw notScenario(nameOrPath);
  if (!existsSync(file)) {
    throw new UsageError(`Cannot read the scenario ${file}: there is no such file. Named scenarios: ${names}.`);
  }
  return file;
}

function notScenario(given: string): UsageError {
  if (/\.ya?ml$/.test(given)) {
    return new UsageError(`"${given}" is not a scenario. A file of workloads is named with --workload ${given}`);
  }
  if (/^https?:/.test(given)) {
    return new UsageError(`"${given}" is not a scenario. The target is named with --target ${given}`);
  }
  return new UsageError(
    `"${given}" is not a scenario; name one of ${scenarioNames.join(", ")}, or a file of your own ending in ${SCENARIO_ENDINGS.join(", ")}.${meantHint(given, scenarioNames)}`,
  );
}

/**
 * Bundles a scenario for k6. The bundle appears under its name only when it is complete. One with scenarios of the user's
 * own has a source map, so that what they throw is told with the lines of their files.
 * @param outFile the bundle; its folder is created if necessary.
 * @throws UsageError that shows where the scenario cannot be read or built, or why the bundle cannot be written.
 */
export async function bundleScenario(entry: BundleEntry, outFile: string): Promise<void> {
  const { code, map } = await built(entry);
  const temporary = `${outFile}.${randomUUID()}.tmp`;
  try {
    await mkdir(dirname(resolve(outFile)), { recursive: true });
    await writeFile(temporary, code + (hasOwn(entry) ? inline(map) : ""), { flag: "wx" });
    await rename(temporary, outFile);
  } catch (error) {
    throw new UsageError(
      `Cannot write the bundle for k6 to ${outFile}: ${reasonOf(error)}. Nothing was sent. Free space on its disk, or name another folder with --out.`,
    );
  } finally {
    await rm(temporary, { force: true });
  }
}

/**
 * The bundle of a scenario as a text.
 * @throws UsageError that shows where the scenario cannot be read or built.
 */
export const bundledCode = async (entry: BundleEntry): Promise<string> => (await built(entry)).code;

const filesOf = ({ file, ofWorkloads = {} }: BundleEntry): readonly string[] => [file, ...Object.values(ofWorkloads)];

/** Whether scenarios of the user's own are among it. */
export const hasOwn = (entry: BundleEntry): boolean =>
  filesOf(entry).some((file) => !resolve(file).startsWith(SCENARIOS_FOLDER));

/** A comment that contains a source map: k6 reads it, and its archives include it. */
const inline = (map: string): string =>
  `//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString("base64")}\n`;

const sourceMap = z.looseObject({ sources: z.array(z.string()) });

/** A source map whose sources are named by their addresses, wherever the bundle is. */
function withAddresses(map: string, folder: string): string {
  const { sources, ...others } = sourceMap.parse(JSON.parse(map));
  return JSON.stringify({ ...others, sources: sources.map((source) => pathToFileURL(resolve(folder, source)).href) });
}

interface Built {
  readonly code: string;
  readonly map: string;
}

/** What this process has built of Assay's own scenarios, which do not change while it runs, by the JSON of the entry. */
const kept = new Map<string, Promise<Built>>();

function built(entry: BundleEntry): Promise<Built> {
  if (hasOwn(entry)) return builtNow(entry);
  const key = JSON.stringify(entry);
  const bundle = kept.get(key) ?? builtNow(entry);
  kept.set(key, bundle);
  bundle.catch(() => kept.delete(key));
  return bundle;
}

async function builtNow(entry: BundleEntry): Promise<Built> {
  try {
    const options: BuildOptions = {
      bundle: true,
      platform: "neutral",
      // A neutral platform reads no package.json field by itself; packages of a user's scenario need one.
      mainFields: ["module", "main"],
      target: "es2023",
      external: ["k6", "k6/*"],
      alias: {
        [OWN_SCENARIO_MODULE]: join(SCENARIOS_FOLDER, "index.ts"),
      },
      charset: "utf8",
      logLevel: "silent",
    };
    const { outputFiles, metafile } = await build({
      ...options,
      metafile: true,
      ...(entry.primes === true ? { stdin: primingEntry(entry.file) } : { entryPoints: [resolve(entry.file)] }),
      format: "esm",
      plugins: [singletonPlugin(options), workloadsPlugin(entry)],
      sourcemap: "external",
      sourcesContent: false,
      outfile: join(SCENARIOS_FOLDER, "bundle.js"),
      write: false,
    });
    const exported = Object.values(metafile.outputs).flatMap(({ exports: names }) => names);
    if (!exported.includes("default")) throw new Error(NO_DEFAULT);
    const [map = "", code = ""] = outputFiles.map(({ text }) => text);
    return { code, map: withAddresses(map, SCENARIOS_FOLDER) };
  } catch (error) {
    throw new UsageError(`Cannot bundle ${filesOf(entry).join(", ")} for k6:\n${await problemsOf(error)}`, {
      cause: error,
    });
  }
}

/** A scenario of Assay's with a `setup()` of its own. */
const primingEntry = (file: string): NonNullable<BuildOptions["stdin"]> => ({
  contents: `export * from ${JSON.stringify(file)}; export { default } from ${JSON.stringify(file)}; export { setup } from "./steps/prime.ts";`,
  resolveDir: SCENARIOS_FOLDER,
});

async function textOf(options: BuildOptions): Promise<string> {
  const { outputFiles } = await build({ ...options, write: false });
  return outputFiles[0]?.text ?? "";
}

/**
 * Bundles `scenarios/process-state.ts`, with all that it imports, into the body of one function, which runs when
 * `shared-values.ts` first calls `require("./process-state.ts")`. k6 evaluates the bundle in every virtual user, and each
 * function at the top level of a bundle costs about a kilobyte per virtual user. esbuild on its own would hoist the
 * functions of a required module to the top level; nested in one function, they are made only in the virtual user that
 * calls it.
 */
const singletonPlugin = (options: BuildOptions): Plugin => ({
  name: "singleton",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/process-state\.ts$/ }, ({ kind, resolveDir }) =>
      kind === "require-call" && join(resolveDir, "process-state.ts") === PROCESS_STATE
        ? { path: "scenarios/process-state.ts", namespace: "singleton" }
        : undefined,
    );
    onLoad({ filter: /./, namespace: "singleton" }, async () => ({
      contents: await textOf({ ...options, entryPoints: [PROCESS_STATE], format: "cjs" }),
    }));
  },
});

/** Puts the scenarios of workloads in the place of the empty list. */
const workloadsPlugin = ({ ofWorkloads = {} }: BundleEntry): Plugin => ({
  name: "workloads",
  setup({ onLoad }) {
    onLoad({ filter: /workload-scenarios\.ts$/ }, ({ path }) =>
      path === WORKLOAD_SCENARIOS
        ? { contents: scenarioList(Object.entries(ofWorkloads)), resolveDir: "/" }
        : undefined,
    );
  },
});

function scenarioList(entries: readonly (readonly [string, string])[]): string {
  const imports = entries.map(([, file], nth) => `import * as scenario${nth} from ${JSON.stringify(resolve(file))};`);
  const members = entries.map(([name], nth) => `  ${JSON.stringify(name)}: scenario${nth},`);
  return [...imports, "export const WORKLOAD_SCENARIOS = {", ...members, "};"].join("\n");
}

const NO_DEFAULT =
  "it has no default export, the function that sends the requests of an arrival; write export default paced(…) (see docs/own-scenarios.md).";

const NODE_HINT =
  "k6 is not Node: its scripts cannot use node: modules. For what k6 provides see https://grafana.com/docs/k6/latest/javascript-api/.";

async function problemsOf(error: unknown): Promise<string> {
  if (!isBuildFailure(error)) return reasonOf(error);
  const problems = (await formatMessages([...error.errors], { kind: "error", color: false })).join("").trimEnd();
  return /Could not resolve "node:/.test(problems) ? `${problems}\n${NODE_HINT}` : problems;
}

const isBuildFailure = (error: unknown): error is { readonly errors: readonly Message[] } =>
  error instanceof Error && "errors" in error && Array.isArray(error.errors);
