/** k6's own HTTP client under the same load, with a script as it is usually written. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { PATHS } from "../contract/service.ts";
import { k6ForLoads } from "../toolchain/k6.ts";
import type { BenchContext } from "./bench-context.ts";
import { type PeerLoad, rateOf, SENDING_S } from "./peer-load.ts";
import { type ProcessUsage, usageOf } from "./process-usage.ts";

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
  readonly usage: ProcessUsage;
}

/** When its use of the CPU is measured, as shares of the time from its start: it has begun, and goes on. */
const [FROM, UNTIL] = [0.4, 0.9];

/** Runs a k6 scenario against a server that nothing else loads. */
async function runK6(
  context: BenchContext,
  seconds: number,
  scenario: object,
  { path: requested, body }: Requested,
  failEvery = 0,
): Promise<K6Summary> {
  const { path } = await k6ForLoads();
  const server = await context.serve({ failEvery });
  const file = context.path("summary.json");
  const k6 = spawn(
    path,
    ["run", "--no-usage-report", "--address", "", "--quiet", "--log-output", failEvery > 0 ? "none" : "stderr", SCRIPT],
    {
      env: {
        ...process.env,
        URL: `${server.url}${requested}`,
        SUMMARY: file,
        BODY: JSON.stringify(body),
        SCENARIO: JSON.stringify(scenario),
      },
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  const ended = once(k6, "close");
  const usage = await usageOf(k6.pid ?? 0, FROM * seconds * 1_000, UNTIL * seconds * 1_000);
  const [status] = await ended;
  await server.stop();
  if (status !== 0) throw new Error(`k6 ended with exit code ${status}.`);
  const { http_reqs, checks } = summary.parse(JSON.parse(readFileSync(file, "utf8")));
  return {
    requests: http_reqs.values["count"] ?? Number.NaN,
    ok: checks.values.passes,
    failed: checks.values.fails,
    usage,
  };
}

/** What each request of a load sends, and where to. */
interface Requested {
  readonly path: string;
  readonly body: object;
}

const PROMPT = "Why is the sky blue?";
const chat = { model: "bench", messages: [{ role: "user", content: PROMPT }] };
const requestOf = {
  chat: { path: PATHS.chat, body: chat },
  embeddings: { path: PATHS.embeddings, body: { model: "bench", input: [PROMPT] } },
} as const;

/** k6 sees a stream when it is complete, so that only how many failed is of interest. */
export const k6Streams = (context: BenchContext, load: PeerLoad): Promise<K6Summary> =>
  runK6(
    context,
    SENDING_S,
    {
      executor: "constant-arrival-rate",
      rate: Math.round(rateOf(load) * 1_000),
      timeUnit: "1000s",
      duration: `${SENDING_S}s`,
      preAllocatedVUs: 2 * load.streams,
    },
    { path: PATHS.chat, body: { ...chat, stream: true } },
    load.failEvery,
  );

/** Plain requests: in a closed loop of some users, or in an open one at a rate per second. */
export interface PlainLoad {
  readonly scenario: keyof typeof requestOf;
  readonly users?: number;
  readonly rate?: number;
}

/** Plain requests by k6's own client: requests/s, and what k6 used of the machine. */
export async function k6Plain(
  context: BenchContext,
  { scenario, users = 0, rate }: PlainLoad,
  seconds: number,
): Promise<ProcessUsage & { readonly perS: number }> {
  const duration = `${seconds}s`;
  const shape =
    rate === undefined
      ? { executor: "constant-vus", vus: users, duration }
      : { executor: "constant-arrival-rate", rate, duration, preAllocatedVUs: MOST_IN_FLIGHT };
  const { requests, usage } = await runK6(context, seconds, shape, requestOf[scenario]);
  return { ...usage, perS: requests / seconds };
}

/** More users than an open loop needs here. */
const MOST_IN_FLIGHT = 200;
