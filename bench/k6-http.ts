/** k6's own HTTP client under the same load, with a script as it is usually written. */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { k6ForLoads } from "../scripts/toolchain/k6.ts";
import type { BenchContext } from "./bench-context.ts";
import { type PeerLoad, rateOf, SENDING_S } from "./peer-load.ts";

const SCRIPT = fileURLToPath(new URL("./k6-http-script.js", import.meta.url));
const metric = z.object({ values: z.record(z.string(), z.number()) });
const checks = z.object({ values: z.object({ passes: z.number(), fails: z.number() }) });
const summary = z.object({ http_reqs: metric, checks });

/** From k6's summary at the end of the run. */
interface K6Summary {
  readonly requests: number;
  /** Responses with status 200 and a body, and others. */
  readonly ok: number;
  readonly failed: number;
}

/** Runs a k6 scenario against a server that nothing else loads. */
async function runK6(context: BenchContext, scenario: object, body: object, failEvery = 0): Promise<K6Summary> {
  const { path } = await k6ForLoads();
  const server = await context.serve({ failEvery });
  const file = context.path("summary.json");
  const { status } = spawnSync(
    path,
    ["run", "--no-usage-report", "--address", "", "--quiet", "--log-output", failEvery > 0 ? "none" : "stderr", SCRIPT],
    {
      env: {
        ...process.env,
        TARGET: server.url,
        SUMMARY: file,
        BODY: JSON.stringify(body),
        SCENARIO: JSON.stringify(scenario),
      },
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  await server.stop();
  if (status !== 0) throw new Error(`k6 ended with exit code ${status}.`);
  const { http_reqs, checks } = summary.parse(JSON.parse(readFileSync(file, "utf8")));
  return {
    requests: http_reqs.values["count"] ?? Number.NaN,
    ok: checks.values.passes,
    failed: checks.values.fails,
  };
}

const chat = { model: "bench", messages: [{ role: "user", content: "Why is the sky blue?" }] };

/** k6 sees a stream when it is complete, so that only how many failed is of interest. */
export const k6Streams = (context: BenchContext, load: PeerLoad): Promise<K6Summary> =>
  runK6(
    context,
    {
      executor: "constant-arrival-rate",
      rate: Math.round(rateOf(load) * 1_000),
      timeUnit: "1000s",
      duration: `${SENDING_S}s`,
      preAllocatedVUs: 2 * load.streams,
    },
    { ...chat, stream: true },
    load.failEvery,
  );

/** Plain requests in a closed loop; returns requests/s. */
export async function k6Plain(context: BenchContext, users: number, seconds: number): Promise<number> {
  const scenario = { executor: "constant-vus", vus: users, duration: `${seconds}s` };
  return (await runK6(context, scenario, chat)).requests / seconds;
}
