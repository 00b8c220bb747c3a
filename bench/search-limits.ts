/**
 * Searches for the limit of a mock whose capacity is known, with k6: how far what is found is from what was planted. One search
 * runs at a time, each against a mock of its own, so that the load generator is not the limit on two cores.
 */

import { loadOf, type SearchResult } from "../formats/search.ts";
import { startMockProcess } from "../runs/calibrate/mock-process.ts";
import { planSearch } from "../runs/search/plan-search.ts";
import { runSearch } from "../runs/search/run-search.ts";
import { SILENT } from "./assay-loads.ts";
import type { BenchContext } from "./bench-context.ts";
import { say } from "./bench-output.ts";

/** 8 slots of ten steps of 16 ms, and nothing else that takes time: 50 chats per second. */
const CAPACITY = ["--slots", "8,prefill=0s,step=16ms,growth=0s,queue=1000"];
const REPLY = ["--output-tokens", "11"];
const LIMIT = 8 / (10 * 0.016);

/** Short runs: the objective needs 200 samples, and the limit is sharp. */
const FLAGS = {
  slo: "ttft_p95<300ms,ok>=1",
  noDefaultSlos: "true",
  probeDuration: "4s",
  duration: "10s",
  warmup: "1s",
  maxInFlight: "150",
};

/** The first rate, and the highest. */
const RANGES = {
  "far below": { rate: "6", max: "400" },
  near: { rate: "40", max: "100" },
  "far above": { rate: "150", max: "200" },
} as const;

/** Searches from three rates with each of so many seeds. */
export async function benchSearch(context: BenchContext, seeds: number): Promise<void> {
  say(`\nsearches for the limit of a mock that serves ${LIMIT} chats/s; ${seeds} seeds`);
  const errors: number[] = [];
  for (let seed = 1; seed <= seeds; seed += 1) {
    for (const [name, range] of Object.entries(RANGES)) {
      const search = await searchOnce(context, range, seed);
      const found = search.found === null ? undefined : loadOf(search.found);
      const error = found === undefined ? Number.NaN : found / LIMIT - 1;
      errors.push(error);
      const outcome = found === undefined ? search.conclusion : `${found}/s, ${percent(error)}`;
      say(`  seed ${seed}, from ${name}: ${outcome}, ${search.steps.length} runs, ${arrivalsOf(search)} arrivals`);
    }
  }
  const within = errors.filter((error) => Math.abs(error) < 0.05).length;
  const known = errors.filter((error) => !Number.isNaN(error));
  say(
    `  ${within} of ${errors.length} within 5%: ${percent(Math.min(...known))} to ${percent(Math.max(...known))}; ${errors.length - known.length} named no limit`,
  );
}

async function searchOnce(
  context: BenchContext,
  range: Readonly<Record<string, string>>,
  seed: number,
): Promise<SearchResult> {
  const mock = await startMockProcess([...CAPACITY, ...REPLY, "--seed", String(seed)]);
  try {
    const flags = { ...FLAGS, ...range, target: mock.url, seed: String(seed * 1_000) };
    const plan = planSearch("chat-stream", flags, { env: {} });
    const state = { startedAt: new Date().toISOString(), steps: [] };
    return await runSearch(plan, context.newFolder("search"), state, SILENT);
  } finally {
    await mock.stop();
  }
}

const arrivalsOf = ({ steps }: SearchResult): number => steps.reduce((sum, { arrivals }) => sum + arrivals, 0);

const percent = (share: number): string => `${share >= 0 ? "+" : ""}${(100 * share).toFixed(1)}%`;
