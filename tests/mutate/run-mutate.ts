/** Plants faults in the product's code, one at a time, and counts which suite sees them: see `USAGE`. */

import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { z } from "zod";
import { notify, print } from "../../cli/console.mjs";
import { drawFaults, isProduct, type Source } from "./draw-faults.ts";
import { type Fault, faultId, faultSchema } from "./fault.ts";
import { type Result, resultSchema, SUITES, type Suite, TITLES, tableOf } from "./fault-table.ts";
import { nearTests } from "./near-tests.ts";
import { type Command, trackedFiles, Workplace } from "./workplace.ts";

const USAGE = `npm run mutate -- [--OPTION VALUE]…: plants faults in the product's code, one at a time, and counts which suite sees them

  --seed N --count N   which faults to draw, and how many (1, 12)
  --faults FILE        takes the faults of a file
  --list FILE          only writes the faults to a file
  --suite NAME         the last suite to run: near, related, test or all (all)
  --minutes N          starts no suite after that time
  --out FILE           keeps results, so that the same command goes on where it ended (out/mutate.jsonl)
`;

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const EXTENSION = "extension";
const NEAREST = 6;
/** What runs longer hangs. */
const BOUND_MINUTES: Readonly<Record<Suite, number>> = { near: 6, related: 25, test: 90, all: 180 };

const count = z.coerce.number().int().positive();
const OPTIONS = ["seed", "count", "list", "faults", "suite", "minutes", "out"];

/** The values of the options; a help that was asked for and a wrong option end the process. */
function readOptions(): Readonly<Record<string, string | boolean | undefined>> {
  const strings = Object.fromEntries(OPTIONS.map((name) => [name, { type: "string" as const }]));
  try {
    const { values } = parseArgs({ options: { ...strings, help: { type: "boolean", short: "h" } } });
    if (values["help"] !== true) return values;
    print(USAGE);
    process.exit(0);
  } catch (error) {
    notify(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    process.exit(3);
  }
}

const options = z
  .object({
    seed: z.coerce.number().int().default(1),
    count: count.default(12),
    list: z.string().optional(),
    faults: z.string().optional(),
    suite: z.enum(SUITES).default("all"),
    minutes: z.coerce.number().positive().default(Number.POSITIVE_INFINITY),
    out: z.string().default(join(ROOT, "out/mutate.jsonl")),
  })
  .parse(readOptions());

const jsonLines = (file: string): unknown[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/** A result, or that a suite passes without a fault. */
const lineSchema = z.union([resultSchema, z.object({ green: z.string() })]);
const known = existsSync(options.out) ? jsonLines(options.out).map((line) => lineSchema.parse(line)) : [];
const results = new Map(known.flatMap((line) => ("id" in line ? [[line.id, line]] : [])));
const green = new Set(known.flatMap((line) => ("green" in line ? [line.green] : [])));

const record = (line: z.infer<typeof lineSchema>): void => {
  mkdirSync(dirname(options.out), { recursive: true });
  appendFileSync(options.out, `${JSON.stringify(line)}\n`);
};

const code: Source[] = trackedFiles(ROOT)
  .filter((file) => /\.(?:ts|mjs|go)$/.test(file))
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), "utf8") }));

/** Files of Go that are compiled on this machine. */
function goFiles(): Set<string> {
  const format = '{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}{{"\\n"}}{{end}}';
  const { stdout } = spawnSync("go", ["list", "-f", format, "./..."], { cwd: join(ROOT, EXTENSION), encoding: "utf8" });
  return new Set(stdout.split("\n").map((path) => path.slice(ROOT.length)));
}

function draw(workplace: Workplace): Fault[] {
  const compiled = goFiles();
  const sources = code.filter(({ file }) => isProduct(file) && (!file.endsWith(".go") || compiled.has(file)));
  return drawFaults(sources, { ...options, compiles: (fault) => !isGo(fault) || workplace.compiles(fault) });
}

const isGo = ({ file }: Fault): boolean => file.endsWith(".go");

const node = (minutes: number, ...args: string[]): Command => ({
  program: process.execPath,
  args,
  folder: "",
  minutes,
});

/** The command of a suite for a fault; undefined when it has nothing to run. */
function commandOf(suite: Suite, fault: Fault): Command | undefined {
  const minutes = BOUND_MINUTES[suite];
  if (suite === "test") return { program: "npm", args: ["test", "--", "--bail"], folder: "", minutes };
  if (suite === "all")
    return { program: "npm", args: ["run", "test:all", "--", "--rest", "--bail"], folder: "", minutes };
  if (isGo(fault)) {
    const packages = suite === "near" ? `.${dirname(fault.file).slice(EXTENSION.length)}` : "./...";
    const args = ["test", "-vet=off", "-trimpath", "-failfast", "-timeout", `${minutes}m`, packages];
    return { program: "go", args, folder: EXTENSION, minutes };
  }
  const vitest = "node_modules/vitest/vitest.mjs";
  const how = ["--run", "--project", "unit", "--bail", "1"];
  if (suite === "related") return node(minutes, vitest, "related", fault.file, ...how);
  const tests = nearTests(fault.file, code, NEAREST);
  return tests.length === 0 ? undefined : node(minutes, vitest, ...tests, ...how);
}

/** The first test that failed, as its runner names it. */
const firstFailure = (output: string): string =>
  /^hangs: .*|^\s*FAIL\s+(?:\|\w+\|\s+)?(?=\S)(.*)|^\s*--- FAIL: (\S+)/m.exec(output)?.slice(1).find(Boolean) ??
  output.trimEnd().split("\n").at(-1) ??
  "";

/** @throws Error when a suite fails without a fault: then it would see everything */
async function checkBaseline(workplace: Workplace, suite: Suite, fault: Fault): Promise<void> {
  const command = commandOf(suite, fault);
  const name = suite === "near" || suite === "related" ? `${isGo(fault) ? "Go" : "TypeScript"}, near` : suite;
  if (command === undefined || green.has(name)) return;
  notify(`Without a fault: ${TITLES[suite]} …`);
  const { passed, output } = await workplace.run(undefined, command);
  if (!passed) {
    throw new Error(
      `Cannot count faults: "${command.program} ${command.args.join(" ")}" fails without one. ${firstFailure(output)}\n${output.slice(-2_000)}`,
    );
  }
  green.add(name);
  record({ green: name });
}

const wanted = SUITES.slice(0, SUITES.indexOf(options.suite) + 1);
const ends = performance.now() + options.minutes * 60_000;

/** Runs the next suite for every fault that none has seen: the cheap ones of all faults first. */
async function runSuite(workplace: Workplace, suite: Suite, faults: readonly Fault[]): Promise<void> {
  for (const [nth, fault] of faults.entries()) {
    const id = faultId(fault);
    const before = results.get(id) ?? { id, seenBy: null, passed: [], failed: "", seconds: 0 };
    if (before.seenBy !== null || before.passed.includes(suite)) continue;
    const command = commandOf(suite, fault);
    if (performance.now() > ends) return;
    await checkBaseline(workplace, suite, fault);
    const started = performance.now();
    const ended = command === undefined ? undefined : await workplace.run(fault, command);
    const seconds = before.seconds + (performance.now() - started) / 1_000;
    const result: Result =
      ended === undefined || ended.passed
        ? { ...before, passed: [...before.passed, suite], seconds }
        : { ...before, seenBy: suite, failed: firstFailure(ended.output), seconds };
    results.set(id, result);
    record(result);
    notify(
      `${nth + 1}/${faults.length} ${TITLES[suite]}: ${result.seenBy === null ? "not seen" : "seen"}, ${fault.file}`,
    );
  }
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    notify(`Ended by ${signal}. The same command continues.`);
    process.exit(1);
  });
}
const workplace = new Workplace(ROOT);
const faults =
  options.faults === undefined ? draw(workplace) : jsonLines(options.faults).map((line) => faultSchema.parse(line));
if (options.list === undefined) {
  for (const suite of wanted) await runSuite(workplace, suite, faults);
  print(tableOf(faults, results));
} else {
  writeFileSync(options.list, faults.map((fault) => `${JSON.stringify(fault)}\n`).join(""));
}
