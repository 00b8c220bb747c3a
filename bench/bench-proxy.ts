/**
 * Measures what `assay proxy` adds to the time of each chunk, with all exchanges checked and recorded beside. Prints results;
 * sets no limits. `npm run bench:proxy [-- --runs N --streams N]`.
 */

import { parseArgs } from "node:util";
import { z } from "zod";
import { STREAM } from "../runs/calibrate/run-calibration.ts";
import { BenchContext } from "./bench-context.ts";
import { machine, repeat, runsLabel, say, spread } from "./bench-output.ts";
import { type ChunkDelays, chunkDelays } from "./proxied-streams.ts";

const { values } = parseArgs({
  options: { runs: { type: "string", default: "3" }, streams: { type: "string", default: "100" } },
});
const count = z.coerce.number().int().positive();
const [runs, streams] = [count.parse(values.runs), count.parse(values.streams)];

say(machine("the proxy on one core, server and client on the other"));
say(
  `${streams} streams at a time, a chunk every ${STREAM.itlMs} ms each; ${runsLabel(runs)}; ms from the server to the client`,
);
const context = new BenchContext();
const pairs = await repeat(runs, async () => ({
  direct: await chunkDelays(context, streams, false),
  proxied: await chunkDelays(context, streams, true),
})).finally(() => context.remove());
const line = (label: string, read: (pair: (typeof pairs)[number], figure: "p50" | "p99" | "max") => number): void =>
  say(
    `  ${label}: ${(["p50", "p99", "max"] as const)
      .map((figure) => `${figure} ${spread(pairs.map((pair) => read(pair, figure)))}`)
      .join(", ")}`,
  );
const delays =
  (side: "direct" | "proxied") =>
  (pair: { direct: ChunkDelays; proxied: ChunkDelays }, figure: "p50" | "p99" | "max") =>
    pair[side][figure];
line("direct", delays("direct"));
line("through the proxy", delays("proxied"));
line("added", ({ direct, proxied }, figure) => proxied[figure] - direct[figure]);
say(`  ${pairs[0]?.proxied.chunks.toLocaleString("en")} chunks measured in the first run through the proxy`);
