/** k6's own HTTP client under the same load, with a script as it is usually written. */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { STREAM_S } from "../scripts/calibrate/run-calibration.ts";
import { k6ForLoads } from "../scripts/toolchain/k6.ts";
import type { BenchContext } from "./bench-context.ts";

const SCRIPT = fileURLToPath(new URL("./k6-http-script.js", import.meta.url));
const metric = z.object({ values: z.record(z.string(), z.number()) });
const summary = z.object({ http_reqs: metric, http_req_waiting: metric, http_req_duration: metric });

/** From k6's summary at the end of the run; times in milliseconds. */
export interface K6Summary {
  readonly requests: number;
  readonly waitingP50: number;
  readonly durationP50: number;
}

/** Runs a k6 scenario against a server that nothing else loads. */
async function runK6(context: BenchContext, scenario: object, body: object): Promise<K6Summary> {
  const { path } = await k6ForLoads();
  const server = await context.serve();
  const file = context.path("summary.json");
  const { status } = spawnSync(path, ["run", "--no-usage-report", "--address", "", "--quiet", SCRIPT], {
    env: {
      ...process.env,
      TARGET: server.url,
      SUMMARY: file,
      BODY: JSON.stringify(body),
      SCENARIO: JSON.stringify(scenario),
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  await server.stop();
  if (status !== 0) throw new Error(`k6 ended with exit code ${status}.`);
  const { http_reqs, http_req_waiting, http_req_duration } = summary.parse(JSON.parse(readFileSync(file, "utf8")));
  return {
    requests: http_reqs.values["count"] ?? Number.NaN,
    waitingP50: http_req_waiting.values["med"] ?? Number.NaN,
    durationP50: http_req_duration.values["med"] ?? Number.NaN,
  };
}

const chat = { model: "bench", messages: [{ role: "user", content: "Why is the sky blue?" }] };

/** Keeps this many streams open. */
export const k6Streams = (context: BenchContext, streams: number): Promise<K6Summary> =>
  runK6(
    context,
    {
      executor: "constant-arrival-rate",
      rate: Math.round((streams / STREAM_S) * 1_000),
      timeUnit: "1000s",
      duration: "12s",
      preAllocatedVUs: Math.ceil(streams * 1.1),
    },
    { ...chat, stream: true },
  );

/** Plain requests in a closed loop; returns requests/s. */
export async function k6Plain(context: BenchContext, users: number, seconds: number): Promise<number> {
  const scenario = { executor: "constant-vus", vus: users, duration: `${seconds}s` };
  return (await runK6(context, scenario, chat)).requests / seconds;
}
