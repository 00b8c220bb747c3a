/** What requests and chunks allocate in the load generator, as the benchmarks of Go count it: exact numbers, no times. */

import { spawnSync } from "node:child_process";

/** Iterations of each benchmark: what the runtime of Go allocates once, as on a busy machine, is below a byte of each. */
const ITERATIONS = "20000x";

/** Numbers of a benchmark by their units, such as `{ "allocs/op": 12, "B/op": 903 }`, by its name without `Benchmark`. */
export type GoBenchmarks = ReadonlyMap<string, Readonly<Record<string, number>>>;

/** Reads the output of `go test -bench`, with lines such as `BenchmarkChunk-2   2000   310.5 ns/op   0 B/op   0 allocs/op`. */
export function parseGoBenchmarks(output: string): GoBenchmarks {
  const lines = output.matchAll(/^Benchmark(\w+?)(?:-\d+)?\s+\d+\s+(.*)$/gm);
  return new Map(
    [...lines].map(([, name = "", results = ""]) => {
      const pairs = results.matchAll(/([\d.e+-]+) (\S+)/g);
      return [name, Object.fromEntries([...pairs].map(([, value, unit = ""]) => [unit, Number(value)]))];
    }),
  );
}

/** The packages of the hot paths: none imports k6, so that they compile in seconds. */
const PACKAGES = ["./httpstream", "./record", "./runstate"];

/** What happens for each request, each chunk of a stream, and each line of the records. */
const HOT_PATHS = ["PlainRequest", "EmbeddingsRequest", "StreamedRequest", "Chunk", "Record"];

/**
 * Runs the benchmarks of the hot paths.
 * @param folder of the extension's Go sources
 * @throws Error with the output of Go when one of them did not run
 */
export function runGoBenchmarks(folder: string): GoBenchmarks {
  const args = [
    "test",
    "-trimpath",
    "-run",
    "^$",
    "-bench",
    `^Benchmark(${HOT_PATHS.join("|")})$`,
    "-benchmem",
    "-benchtime",
    ITERATIONS,
    ...PACKAGES,
  ];
  const { stdout, stderr, status, error } = spawnSync("go", args, {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, CGO_ENABLED: "0" },
  });
  const benchmarks = parseGoBenchmarks(stdout ?? "");
  if (status === 0 && HOT_PATHS.every((name) => benchmarks.has(name))) return benchmarks;
  throw new Error(
    `Cannot weigh requests and chunks: "go ${args.join(" ")}" in ${folder} failed.\n${error?.message ?? `${stdout}${stderr}`}`,
  );
}
