/** A run before which something stands that stops serving after refusals: it is not made to, and where it does, nothing follows from it. */

import { createServer, type IncomingMessage, request as sendRequest } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import type { Exchange } from "../../formats/exchanges.ts";
import { type Mock, type MockOptions, startMock } from "../../mock-server/index.ts";
import { badOnes, counted, KEY, quickSettings } from "../../tests/support/targets/judge-target.ts";
import { listenOnLoopback } from "../../tests/support/targets/loopback-server.ts";
import { startRun } from "./conformance-run.ts";
import { type Sink, silentSink } from "./run-files.ts";

/** What a front responds with in place of the service; undefined: nothing, the request is passed on. */
type Stops = (request: IncomingMessage) => number | undefined;
/** The status of the service's response as the front passes it on. */
type Sees = (status: number) => number;

async function serviceBehind(
  stops: Stops,
  sees: Sees,
  options: MockOptions = {},
): Promise<{ url: string; mock: Mock }> {
  const mock = await startMock({ timing: "instant", workMs: 50, apiKeys: [KEY], ...options });
  const { hostname, port } = new URL(mock.url);
  const front = createServer((request, response) => {
    const stopped = stops(request);
    if (stopped !== undefined) {
      request.resume();
      response.writeHead(stopped, { "content-type": "text/html" }).end("<html><body>no</body></html>");
      return;
    }
    const { method, url: path, headers } = request;
    const passed = sendRequest({ hostname, port, path, method, headers, agent: false }, (answer) => {
      response.writeHead(sees(answer.statusCode ?? 0), answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    request.pipe(passed);
  });
  onTestFinished(async () => {
    front.close().closeAllConnections();
    await mock.stop();
  });
  return { url: await listenOnLoopback(front), mock };
}

async function judge(url: string, more: Readonly<Record<string, string>> = {}) {
  const exchanges: Exchange[] = [];
  let end: Parameters<Sink["end"]>[0];
  const sink: Sink = {
    ...silentSink,
    exchange: (one) => void exchanges.push(one),
    end: (given) => {
      end = given;
    },
  };
  const settings = { ...quickSettings(url, { ASSAY_VIDEO: "false", ...more }), waitCapMs: 5_000 };
  const { verdicts } = await (await startRun(settings, { sink })).finished;
  return { verdicts, exchanges, outages: end?.outages ?? [], interference: end?.interference };
}

const untouched: Stops = () => undefined;

test.each([1, 8])("with --concurrency %i, no more than three refusals follow each other", async (concurrency) => {
  let [row, longest, sent] = [0, 0, 0];
  const { url } = await serviceBehind(untouched, (status) => {
    sent += 1;
    row = status >= 400 ? row + 1 : 0;
    longest = Math.max(longest, row);
    return status;
  });
  const { verdicts, outages } = await judge(url, { ASSAY_CONCURRENCY: String(concurrency) });
  expect(Object.keys(counted(verdicts)).sort()).toEqual(["NOT-RUN", "OBSERVED", "PASS"]);
  expect([longest, outages]).toEqual([3, []]);
  expect(sent).toBeLessThan(500);
});

test("wrong and missing keys come last, few, with a valid request after each", async () => {
  const { url } = await serviceBehind(untouched, (status) => status);
  const { exchanges } = await judge(url);
  const order = exchanges.toSorted((a, b) => a.id - b.id);
  const isKey = ({ request }: Exchange): boolean => request.key !== undefined;
  const first = order.findIndex(isKey);
  expect(order.filter(isKey).length).toBeLessThan(8);
  expect(order.slice(first).filter((one) => !isKey(one) && (one.answer?.status ?? 0) >= 400)).toEqual([]);
  expect(order.some((one, i) => isKey(one) && order[i + 1] !== undefined && isKey(order[i + 1] ?? one))).toBe(false);
});

test("a circuit breaker that opens after five server errors in a row stays closed", async () => {
  let [row, isOpen] = [0, false];
  const { url } = await serviceBehind(
    () => (isOpen ? 503 : undefined),
    (status) => {
      const shown = status === 400 ? 500 : status;
      row = shown >= 500 ? row + 1 : 0;
      isOpen ||= row === 5;
      return shown;
    },
  );
  const { verdicts, outages } = await judge(url);
  expect([isOpen, outages]).toEqual([false, []]);
  expect([...verdicts.values()].filter(({ verdict }) => verdict === "FAIL")).toEqual([]);
});

test("a target that stops serving after twelve refusals in all is waited for, named, and not judged by that time", async () => {
  let [refusals, stopped] = [0, 0];
  const { url } = await serviceBehind(
    () => {
      if (stopped === 0) return undefined;
      stopped -= 1;
      return 403;
    },
    (status) => {
      if (status >= 400) refusals += 1;
      if (refusals === 12) [refusals, stopped] = [13, 3];
      return status;
    },
    { faults: ["temperature-unlimited"] },
  );
  const { verdicts, exchanges, outages } = await judge(url);
  const bad = badOnes(verdicts).map((line) => line.split(" ").slice(0, 2).join(" "));
  expect(bad.every((line) => /^chat\.(stream\.)?temperature\./.test(line))).toBe(true);
  expect(bad).toContain("chat.temperature.above FAIL");
  expect(outages).toEqual([{ invalidRequests: expect.any(Number), status: 403, ms: expect.any(Number) }]);
  expect(outages[0]?.ms).toBeGreaterThan(900);
  const during = exchanges.filter(({ answer }) => answer?.status === 403);
  expect(during.length).toBeGreaterThan(0);
  expect(during.every(({ retried }) => retried)).toBe(true);
});

test("a lockout for good after some wrong keys leaves what was verified, and nothing is judged after it", async () => {
  let wrong = 0;
  const { url } = await serviceBehind(
    () => (wrong >= 3 ? 403 : undefined),
    (status) => {
      if (status === 401) wrong += 1;
      return status;
    },
  );
  const { verdicts, outages } = await judge(url);
  expect(badOnes(verdicts)).toEqual([]);
  expect(outages).toHaveLength(1);
  const left = [...verdicts].filter(([id, { verdict }]) => verdict === "NOT-RUN" && !id.includes("video"));
  expect(left.length).toBeGreaterThan(0);
  expect(left.every(([id, { reason }]) => id.startsWith("auth.") && /stopped serving \(403\)/.test(reason))).toBe(true);
});

test("a server error to each invalid request, three times of three, is a refusal; the warning stays", async () => {
  const { url } = await serviceBehind(untouched, (status) => (status === 400 ? 500 : status));
  const { verdicts } = await judge(url);
  expect(verdicts.get("chat.without.model")).toMatchObject({
    verdict: "PASS",
    reason: expect.stringContaining("returned 500 three times of three"),
  });
  const bad = badOnes(verdicts).map((line) => line.split(" ").slice(0, 2).join(" "));
  expect(bad).toEqual(["chat.refusal.not-5xx WARN", "embeddings.refusal.not-5xx WARN"]);
  expect([...verdicts.values()].filter(({ verdict }) => verdict === "INCONCLUSIVE" || verdict === "BLOCKED")).toEqual(
    [],
  );
});

test("a server error to an invalid submission is a refusal as well, and costs no video job", async () => {
  const { url, mock } = await serviceBehind(untouched, (status) => (status === 400 ? 500 : status), { workMs: 300 });
  const { verdicts } = await judge(url, { ASSAY_VIDEO: "true", ASSAY_MAX_VIDEO_JOBS: "12" });
  const open = [...verdicts].filter(([, { verdict }]) =>
    ["FAIL", "INCONCLUSIVE", "BLOCKED", "NOT-RUN"].includes(verdict),
  );
  expect(open.filter(([id]) => !id.startsWith("video.poll.failed.") && id !== "video.cancel.failed.form")).toEqual([]);
  expect(verdicts.get("video.submit.refusal.not-5xx")?.verdict).toBe("WARN");
  expect(mock.tasks().length).toBeLessThanOrEqual(12);
});

test("a server error once of three shows neither acceptance nor refusal", async () => {
  const { mock, url } = await serviceBehind(untouched, (status) => status);
  mock.setFaults(["chat-invalid-500@first:1"]);
  const { verdicts } = await judge(url, { ASSAY_ONLY: "chat.without.model" });
  expect(verdicts.get("chat.without.model")).toMatchObject({
    verdict: "INCONCLUSIVE",
    reason: expect.stringContaining("500 in 1 of 3"),
  });
});

/** Streams last a little, and are cut in the middle of a chunk by the next request, or by chance. */
async function cutting(isCut: (byOther: boolean) => boolean): Promise<string> {
  const mock = await startMock({ timing: "instant", workMs: 50, apiKeys: [KEY] });
  const { hostname, port } = new URL(mock.url);
  const open = new Set<() => void>();
  const server = createServer((request, response) => {
    for (const cut of open) cut();
    const { method, url: path, headers } = request;
    const passed = sendRequest({ hostname, port, path, method, headers, agent: false }, async (answer) => {
      const isStream = answer.headers["content-type"]?.startsWith("text/event-stream") ?? false;
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      const body = Buffer.concat(await answer.toArray());
      if (!isStream) return response.end(body);
      response.write(body.subarray(0, body.length / 2));
      const end = setTimeout(() => {
        if (isCut(false)) response.destroy();
        else response.end(body.subarray(body.length / 2));
      }, 5);
      const cut = (): void => {
        clearTimeout(end);
        response.destroy();
      };
      if (isCut(true)) open.add(cut);
      response.on("close", () => open.delete(cut));
    });
    request.pipe(passed);
  });
  onTestFinished(async () => {
    server.close().closeAllConnections();
    await mock.stop();
  });
  return await listenOnLoopback(server);
}

test("a target that cuts a stream when another request comes is noticed, asked one at a time, and named", async () => {
  const url = await cutting((byOther) => byOther);
  const { verdicts, exchanges, interference } = await judge(url, { ASSAY_PROFILE: "openai" });
  const cut = exchanges.filter(({ failure }) => failure !== undefined);
  expect(cut.length).toBeGreaterThan(0);
  expect(cut.every(({ retried }) => retried)).toBe(true);
  expect(interference).toEqual({ cut: cut.length, whole: cut.length });
  expect(Object.keys(counted(verdicts)).sort()).toEqual(["NOT-RUN", "OBSERVED", "PASS"]);
});

test("streams that are cut whatever else is open are evidence, and no other request is blamed", async () => {
  const url = await cutting((byOther) => !byOther);
  const { verdicts, exchanges, interference } = await judge(url);
  expect(interference).toBeUndefined();
  expect(verdicts.get("chat.stream.ends")?.verdict).toBe("WARN");
  expect(exchanges.filter(({ failure, retried }) => failure !== undefined && !retried).length).toBeGreaterThan(10);
});
