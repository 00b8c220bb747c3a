/** k6's own HTTP client under the same load, as a script for it is usually written. */

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { k6ForLoads } from "../scripts/build/k6.ts";
import { STREAM_S, type Workshop } from "./bench-context.ts";

const SCRIPT = fileURLToPath(new URL("./k6-http-script.js", import.meta.url));
const trend = z.object({ values: z.record(z.string(), z.number()) });
const summary = z.object({ http_reqs: trend, http_req_waiting: trend, http_req_duration: trend });

/** What k6 says at the end, in ms and requests. */
export interface K6Figures {
  readonly requests: number;
  readonly waitingP50: number;
  readonly durationP50: number;
}

/** A k6 scenario against a server that nothing else loads. */
async function run(workshop: Workshop, scenario: object, body: object): Promise<K6Figures> {
  const { path } = await k6ForLoads();
  const server = await workshop.serve();
  const file = workshop.path("summary.json");
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
  const figure = ({ values }: z.infer<typeof trend>, name: string): number => values[name] ?? Number.NaN;
  return {
    requests: figure(http_reqs, "count"),
    waitingP50: figure(http_req_waiting, "med"),
    durationP50: figure(http_req_duration, "med"),
  };
}

const chat = (stream: boolean) => ({
  model: "bench",
  messages: [{ role: "user", content: "Why is the sky blue?" }],
  ...(stream && { stream }),
});

/** So many streams at once. */
export const k6Streams = (workshop: Workshop, streams: number): Promise<K6Figures> =>
  run(
    workshop,
    {
      executor: "constant-arrival-rate",
      rate: Math.round((streams / STREAM_S) * 1_000),
      timeUnit: "1000s",
      duration: "12s",
      preAllocatedVUs: Math.ceil(streams * 1.1),
    },
    chat(true),
  );

/** Plain requests of a closed loop; the requests a second. */
export async function k6Plain(workshop: Workshop, users: number, seconds: number): Promise<number> {
  const scenario = { executor: "constant-vus", vus: users, duration: `${seconds}s` };
  return (await run(workshop, scenario, chat(false))).requests / seconds;
}
