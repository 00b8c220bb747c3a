import { expect, test } from "vitest";
import { parseArrivalProcess } from "../../settings/load/arrival-process.ts";
import { BadTrace } from "./trace-rows.ts";
import { readTrace } from "./traces.ts";

const read = (text: string, options = ",operation=chat") => {
  const process = parseArrivalProcess(`trace:access.log${options}`);
  if (process.process !== "trace") throw new BadTrace("no trace");
  return readTrace(text, process);
};

const CHAT = "POST /v1/chat/completions HTTP/1.1";
const json = (...lines: readonly object[]): string => lines.map((line) => JSON.stringify(line)).join("\n");

/** Of each log: a chat that took 1,500 ms from 09:00:00.5 on, and one from 09:00:01 on that ended before it; the last is no call. */
const LOGS: readonly (readonly [name: string, text: string])[] = [
  [
    "nginx",
    `10.0.0.7 - - [28/Nov/2026:09:00:01 +0000] "${CHAT}" 200 531 "-" "curl/8" rt=0.250 at=1795856401.250
10.0.0.7 - bob [28/Nov/2026:09:00:02 +0000] "${CHAT}" 200 531 "-" "app 1.234" 1.500 1795856402.000
10.0.0.7 - - [28/Nov/2026:09:00:03 +0000] "GET /v1/videos/generations/x HTTP/1.1" 200 31 "-" "-" 0.010 1795856403.000
10.0.0.7 - - [28/Nov/2026:09:00:03 +0000] "\\x16\\x03" 400 157 "-" "-" 0.001 1795856403.000`,
  ],
  [
    "nginx",
    json(
      { msec: 1795856401.25, request_time: 0.25, request: CHAT },
      {
        msec: "1795856402.000",
        request_time: "1.500",
        request_method: "POST",
        request_uri: "/v1/chat/completions?a=b",
      },
      { time_iso8601: "2026-11-28T09:00:03+00:00", request_time: 0.01, request_method: "POST", uri: "/login" },
    ),
  ],
  [
    "HAProxy",
    `Nov 28 09:00:01 lb haproxy[7]: 10.0.0.7:4 [28/Nov/2026:09:00:01.000] f~ b/s1 0/0/0/80/250 200 651 - - ---- 2/2/1/1/0 0/0 "${CHAT}"
Nov 28 09:00:02 lb haproxy[7]: 10.0.0.7:4 [28/Nov/2026:09:00:00.500] f~ b/s1 10/0/0/80/+1500 200 651 - - LR-- 2/2/1/1/0 0/0 {a|b} "${CHAT}"
Nov 28 09:00:02 lb haproxy[7]: 10.0.0.7:4 [28/Nov/2026:09:00:02.000] f b/<NOSRV> -1/-1/-1/-1/0 400 0 - - PR-- 2/2/1/1/0 0/0 "<BADREQ>"`,
  ],
  [
    "Envoy",
    `[2026-11-28T09:00:01.000Z] "${CHAT}" 200 - 123 456 250 249 "-" "curl/8" "id" "api" "10.0.0.9:80"
[2026-11-28T09:00:00.500Z] "${CHAT}" 200 - 123 456 1500 80 "-" "curl/8" "id" "api" "10.0.0.9:80"
[2026-11-28T09:00:00.700Z] "GET /healthz HTTP/1.1" 200 - 0 2 1 0 "-" "kube" "id" "api" "-"`,
  ],
  [
    "Caddy",
    json(
      { ts: 1795856401.25, duration: 0.25, request: { method: "POST", uri: "/v1/chat/completions" }, status: 200 },
      { ts: 1795856402, duration: 1.5, request: { method: "POST", uri: "/v1/chat/completions" }, status: 200 },
      { ts: 1795856402, duration: 1.5, request: { method: "GET", uri: "/" }, status: 200 },
    ),
  ],
];

test.each(LOGS)("an access log of %s tells when requests began, in their order", (name, text) => {
  const { trace, source } = read(text);
  expect(trace.offsetsMs).toEqual([0, 500]);
  expect(source).toMatchObject({
    layout: `${name} log`,
    firstMs: Date.UTC(2026, 10, 28, 9, 0, 0, 500),
    operation: "chat",
  });
  expect([trace.inputTokens, trace.outputTokens]).toEqual([[], []]);
});

test("that of Envoy AI Gateway tells lengths, models and sessions, and conversations by how long responses took", () => {
  const call = (start: string, duration: number, more: object) => ({
    ...{ start_time: start, duration, method: "POST", "x-envoy-origin-path": "/v1/chat/completions" },
    ...{ "gen_ai.request.model": "m", "session.id": "s", response_code: 200, ...more },
  });
  const usage = (input: unknown, output: unknown) => ({
    "gen_ai.usage.input_tokens": input,
    "gen_ai.usage.output_tokens": output,
  });
  const lines = [
    call("2026-11-28T09:00:00.000Z", 1_000, usage(20, 5)),
    call("2026-11-28T09:00:03.000Z", 500, usage("40", "7")),
    call("2026-11-28T09:00:04.000Z", 500, { ...usage(null, "-"), "gen_ai.request.model": "other", "session.id": "-" }),
  ];
  expect(read(json(...lines), ",model=m").trace).toMatchObject({
    ...{ offsetsMs: [0], inputTokens: [20], outputTokens: [5] },
    turns: { starts: [0, 1], thinkMs: [2_000], inputTokens: [15], outputTokens: [7] },
  });
  expect(read(json(...lines)).trace.inputTokens).toEqual([20, 0]);
});

test("what an access log does not tell is said", () => {
  const combined = `10.0.0.7 - - [28/Nov/2026:09:00:01 +0000] "${CHAT}" 200 531 "-" "curl/8"`;
  expect(() => read(combined)).toThrow(
    "line 1 states no duration: nginx writes it with $request_time in its log_format",
  );
  const timed = `${combined} 0.250`;
  expect(() => read(`${timed}\nnonsense`)).toThrow("line 2 is not an entry of a log of nginx");
  expect(() => read(timed.replace("POST", "GET"))).toThrow("it is a log of nginx without a call of a model");
  // Whole seconds, where the format has no more.
  expect(read(timed).source.firstMs).toBe(Date.UTC(2026, 10, 28, 9, 0, 0, 750));
});
