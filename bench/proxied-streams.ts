/**
 * What the proxy adds to the time of each chunk. Streams are read directly and through it, with the instant at which each
 * chunk reached the client compared to the one at which the server wrote it; both are on one machine, and so by one clock. The
 * proxy has a core of its own; the server and the client share the other, in both runs.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { z } from "zod";
import { wholeLines } from "../cli/file-lines.ts";
import { FILES } from "../formats/file-names.ts";
import { groundTruthRow } from "../formats/ground-truth.ts";
import { kindOfLine, requestRecord } from "../formats/records.ts";
import { quantile } from "../reports/load/stats/quantiles.ts";
import { announcedUrl } from "../runs/calibrate/mock-process.ts";
import { STREAM, STREAM_S } from "../runs/calibrate/run-calibration.ts";
import { readInstant } from "../settings/instants.ts";
import { runScenario } from "./assay-loads.ts";
import type { BenchContext } from "./bench-context.ts";
import { onServerCore } from "./cpu-cores.ts";

/** Connections are open, and code is compiled, before anything is measured. */
const WARM_UP_S = 3 * STREAM_S;
const MEASURED_S = 10;

/** Milliseconds that chunks took on their way from the server to the client. */
export interface ChunkDelays {
  readonly chunks: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** What the server knows of one stream. */
const writtenStream = groundTruthRow.pick({ id: true, startedAt: true, actual_ms: true });
type WrittenStream = z.infer<typeof writtenStream>;

/** A run directly, or through the proxy, with this many streams open at a time. */
export async function chunkDelays(context: BenchContext, streams: number, proxied: boolean): Promise<ChunkDelays> {
  const server = await context.serve({ core: "clients" });
  const proxy = proxied ? await startProxyProcess(server.url, context.path("proxy")) : undefined;
  const folder = context.newFolder("load");
  await runScenario(
    "chat-stream",
    {
      target: proxy?.url ?? server.url,
      rate: String(streams / STREAM_S),
      warmup: `${WARM_UP_S}s`,
      duration: `${MEASURED_S}s`,
      maxInFlight: String(streams * 2),
      maxTokens: String(STREAM.tokens),
    },
    folder,
  );
  await proxy?.stop();
  const rows = wholeLines(await server.stop()).map((line) => writtenStream.parse(JSON.parse(line)));
  return delaysOf(join(folder, FILES.records), rows);
}

/** The proxy as users run it. */
async function startProxyProcess(target: string, folder: string): Promise<{ url: string; stop(): Promise<void> }> {
  const program = fileURLToPath(new URL("../scripts/assay.mjs", import.meta.url));
  const [first = "", ...rest] = onServerCore(
    ...[process.execPath, program, "proxy", "--quiet", "--target", target, "--out", folder],
  );
  const child = spawn(first, rest, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close").then(() => undefined);
  const url = await announcedUrl(child.stdout, ended, "the proxy");
  child.stdout.resume();
  return {
    url,
    stop: async () => {
      child.kill("SIGINT");
      await ended;
    },
  };
}

function delaysOf(records: string, rows: readonly WrittenStream[]): ChunkDelays {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const [, ...lines] = wholeLines(records);
  const delays: number[] = [];
  for (const line of lines.map((text): unknown => JSON.parse(text))) {
    if (kindOfLine(line) !== "request") continue;
    const { id, phase, outcome, sent, ttft, gaps_us: gaps = [] } = requestRecord.parse(line);
    const written = byId.get(id);
    if (phase !== "measure" || outcome !== "ok" || ttft === undefined || written === undefined) continue;
    if (written.actual_ms.length !== gaps.length + 1) continue;
    const offset = readInstant(sent) - readInstant(written.startedAt);
    let at = ttft;
    written.actual_ms.forEach((ms, index) => {
      at += index === 0 ? 0 : (gaps[index - 1] ?? 0) / 1_000;
      delays.push(offset + at - ms);
    });
  }
  const sorted = Float64Array.from(delays).sort();
  return {
    chunks: sorted.length,
    p50: quantile(sorted, 500),
    p99: quantile(sorted, 990),
    max: quantile(sorted, 1_000),
  };
}
