/** How many streams one process times on the cores that it has: more and more, until it or the server is late. */

import { loadStreams } from "./assay-loads.ts";
import type { BenchContext } from "./bench-context.ts";
import { median, repeat, runsLabel, say, spread } from "./bench-output.ts";
import { CLIENT_CORES, SERVER_CORES } from "./cpu-cores.ts";

const STREAMS = [25, 400, 800, 1600, 3200, 6400, 12_800];

/** Beyond it, the server does not keep its own plan. */
const SERVER_LATE_MS = 5;

type Result = Awaited<ReturnType<typeof loadStreams>>;

const chunksPerS = ({ run }: Result): number => run.metrics["output_tokens_per_s"]?.value ?? Number.NaN;
const memoryMb = ({ run }: Result): number => run.client.rssMaxMb ?? Number.NaN;

const COLUMNS: readonly {
  readonly name: string;
  readonly decimals: number;
  readonly of: (result: Result) => number | undefined;
}[] = [
  { name: "chunks/s", decimals: 0, of: chunksPerS },
  { name: "gap error p50", decimals: 3, of: ({ errors }) => errors.gap.p50 },
  { name: "p99", decimals: 2, of: ({ errors }) => errors.gap.p99 },
  { name: "p99.9", decimals: 2, of: ({ errors }) => errors.gap.p999 },
  { name: "TTFT error p50", decimals: 3, of: ({ errors }) => errors.ttft.p50 },
  { name: "p99", decimals: 2, of: ({ errors }) => errors.ttft.p99 },
  { name: "schedule lag p99", decimals: 2, of: ({ run }) => run.client.lagP99Ms },
  { name: "cores in use", decimals: 2, of: ({ run }) => run.client.cpu },
  { name: "CPU per chunk, µs", decimals: 1, of: (result) => ((result.run.client.cpu ?? 0) * 1e6) / chunksPerS(result) },
  { name: "memory, MB", decimals: 0, of: memoryMb },
];

const row = (cells: readonly string[]): void => say(`| ${cells.join(" | ")} |`);

/** Prints the table. Each number of streams is loaded `runs` times; figures are medians, with their range. */
export async function benchStreams(context: BenchContext, runs: number): Promise<void> {
  say(`\nload generator on ${CLIENT_CORES} cores, server on ${SERVER_CORES}; errors in ms; ${runsLabel(runs)}\n`);
  const names = ["streams", ...COLUMNS.map(({ name }) => name), "MB per stream", "verdict"];
  row(names);
  row(names.map(() => "---"));
  let few: number | undefined;
  for (const count of STREAMS) {
    const results = await repeat(runs, () => loadStreams(context, count));
    const figures = COLUMNS.map(({ of, decimals }) =>
      spread(
        results.map((one) => of(one) ?? Number.NaN),
        decimals,
      ),
    );
    const memory = median(results.map(memoryMb));
    few ??= memory;
    const perStream = count === STREAMS[0] ? "-" : ((memory - few) / count).toFixed(3);
    const verdicts = new Set(
      results.map(({ run, errors }) => {
        if (errors.unmatched > 0) return `${errors.unmatched} requests are not in the ground truth`;
        return errors.serverGap.p99 > SERVER_LATE_MS ? "the server was late" : run.validity.verdict;
      }),
    );
    row([count.toLocaleString("en"), ...figures, perStream, [...verdicts].join(", ")]);
    if (!verdicts.has("VALID")) return;
  }
}
