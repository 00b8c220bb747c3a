/**
 * What the proxy adds to the time of each chunk. Streams are read directly and through it, with their times compared to the
 * ground truth of the mock: the time of a chunk at the client, from the sending of the request, less its time at the mock,
 * from the arrival of the request. That is the way of the request and that of the chunk together, without any clock that two
 * processes would have to share.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { FILES } from "../formats/file-names.ts";
import { groundTruthTimes } from "../formats/ground-truth.ts";
import { kindOfLine, requestRecord } from "../formats/records.ts";
import { quantile } from "../reports/load/stats/quantiles.ts";
import { announcedUrl } from "../scripts/calibrate/mock-process.ts";
import { wholeLines } from "../scripts/cli/file-lines.ts";
import { runScenario } from "./assay-loads.ts";
import { separateCores } from "./cpu-cores.ts";
import { ServerProcess } from "./server-process.ts";

const ITL_MS = 20;
const CHUNKS = 100;
/** Seconds that a stream takes; connections are open, and code is compiled, before anything is measured. */
const STREAM_S = (ITL_MS * CHUNKS) / 1_000;
const WARM_UP_S = 3 * STREAM_S;
const MEASURED_S = 10;

/** Milliseconds that chunks took on their way, with that of their request. */
export interface ChunkDelays {
  readonly chunks: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** A run directly, or through the proxy, with this many streams open at a time. */
export async function chunkDelays(streams: number, proxied: boolean): Promise<ChunkDelays> {
  const folder = mkdtempSync(join(tmpdir(), "assay-bench-"));
  const options = { ttftMs: ITL_MS, itlMs: ITL_MS, outputTokens: CHUNKS };
  const server = await ServerProcess.start({ kind: "mock", options });
  const direct = `http://127.0.0.1:${server.port}`;
  const proxy = proxied ? await startProxyProcess(direct, join(folder, "proxy")) : undefined;
  try {
    await runScenario(
      "chat-stream",
      {
        target: proxy?.url ?? direct,
        rate: String(streams / STREAM_S),
        warmup: `${WARM_UP_S}s`,
        duration: `${MEASURED_S}s`,
        maxInFlight: String(streams * 2),
        maxTokens: String(CHUNKS),
      },
      join(folder, "load"),
    );
    const { rows } = z.object({ rows: z.array(groundTruthTimes) }).parse(await server.inspect("ledger"));
    return delaysOf(join(folder, "load", FILES.records), rows);
  } finally {
    await proxy?.stop();
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

/** The proxy as users run it; on both cores, as the mock and the load generator have one each. */
async function startProxyProcess(target: string, folder: string): Promise<{ url: string; stop(): Promise<void> }> {
  const program = fileURLToPath(new URL("../scripts/assay.mjs", import.meta.url));
  const command = [process.execPath, program, "proxy", "--quiet", "--target", target, "--out", folder];
  const [first = "", ...rest] = separateCores ? ["taskset", "-c", "0,1", ...command] : command;
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

function delaysOf(records: string, rows: readonly z.infer<typeof groundTruthTimes>[]): ChunkDelays {
  const byId = new Map(rows.map((row) => [row.id, row.actual_ms]));
  const [, ...lines] = wholeLines(records);
  const delays: number[] = [];
  for (const line of lines.map((text): unknown => JSON.parse(text))) {
    if (kindOfLine(line) !== "request") continue;
    const { id, phase, outcome, ttft, gaps_us: gaps = [] } = requestRecord.parse(line);
    const written = byId.get(id);
    if (phase !== "measure" || outcome !== "ok" || ttft === undefined || written?.length !== gaps.length + 1) continue;
    let at = ttft;
    written.forEach((ms, i) => {
      at += i === 0 ? 0 : (gaps[i - 1] ?? 0) / 1_000;
      delays.push(at - ms);
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
