import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { type ScrapeLine, scrapeLine, scrapesHeader } from "../../formats/scrapes.ts";
import { redactor } from "../../lib/redact.ts";
import { newFolder } from "../../tests/support/commands/assay-process.ts";
import { closed, listenOnLoopback } from "../../tests/support/targets/loopback-server.ts";
import { MOST_SERIES, startScraping } from "./scraper.ts";

const KEY = "secret-key-4711";

/** No response is late, however busy the machine is, until a test ends the time for it. */
let late: AbortController;
const limits: number[] = [];
const limit = (ms: number, ...others: readonly AbortSignal[]) => {
  limits.push(ms);
  return { signal: AbortSignal.any([late.signal, ...others]), clear: () => undefined };
};
beforeEach(() => {
  late = new AbortController();
  limits.splice(0);
});

async function serve(listener: RequestListener): Promise<{ url: string; seen: IncomingHttpHeaders[] }> {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    listener(request, response);
  });
  const url = await listenOnLoopback(server);
  onTestFinished(() => {
    server.closeAllConnections();
    return closed(server);
  });
  return { url, seen };
}

/** Reads a source until it has so many readings. */
async function scrape(url: string, target: string, readings = 2, others?: RegExp) {
  const folder = newFolder();
  const said: string[] = [];
  const scraping = startScraping(
    { sources: [{ name: "s", url: `${url}/metrics` }], intervalMs: 20, ...(others && { others }) },
    {
      folder,
      connection: { target, apiKey: KEY, headers: { "x-team": "team-value-1" } },
      redact: redactor([KEY], []).text,
      say: (sentence) => said.push(sentence),
      limit,
    },
  );
  const read = () => readFileSync(join(folder, "scrapes.jsonl"), "utf8").trim().split("\n");
  await vi.waitFor(() => expect(read().length).toBeGreaterThan(readings), { timeout: 60_000, interval: 10 });
  await scraping.stop();
  const [header = "", ...lines] = read();
  scrapesHeader.parse(JSON.parse(header));
  return { lines: lines.map((line): ScrapeLine => scrapeLine.parse(JSON.parse(line))), said, text: lines.join("\n") };
}

test("known series are kept, others only where they are asked for, and a secret in a label is replaced", async () => {
  const { url } = await serve((_, response) =>
    response.end(`vllm:num_requests_running{key="${KEY}"} 2\nvllm:prompt_tokens_total 9\nup 1\n`),
  );
  const { lines, said, text } = await scrape(url, url, 2, /prompt_tokens/);
  expect(lines[0]?.values).toEqual({
    'vllm:num_requests_running{key="<redacted>"}': 2,
    "vllm:prompt_tokens_total": 9,
  });
  expect(said).toEqual([]);
  expect(text).not.toContain(KEY);
});

test("the key and the headers go to the target's own origin and to no other", async () => {
  const metrics: RequestListener = (_, response) => response.end("up 1\n");
  const [own, other] = [await serve(metrics), await serve(metrics)];
  await scrape(own.url, own.url, 1);
  await scrape(other.url, own.url, 1);
  expect(own.seen[0]).toMatchObject({ authorization: `Bearer ${KEY}`, "x-team": "team-value-1" });
  expect(other.seen[0]).not.toHaveProperty("authorization");
  expect(other.seen[0]).not.toHaveProperty("x-team");
});

const HOSTILE: Readonly<Record<string, readonly [RequestListener, RegExp]>> = {
  "another status": [(_, response) => response.writeHead(503).end("busy"), /the status is 503/],
  "a redirect": [(_, response) => response.writeHead(302, { location: "http://127.0.0.1:9/" }).end(), /status is 302/],
  "a page": [(_, response) => response.end("<html>hello</html>"), /not in the text format of Prometheus/],
  "a cut connection": [(request) => request.socket.destroy(), /other side closed/],
  "no end": [
    (_, response) => {
      // A write that fails is the last one: Node 26 reports it before it closes the response.
      const more = (failed?: Error | null): void => void (failed || response.write("x".repeat(1 << 20), more));
      more();
    },
    /more than 8 MiB/,
  ],
};

test.each(Object.entries(HOSTILE))("%s is said once, and reading goes on", async (_, [listener, reason]) => {
  const { url } = await serve(listener);
  const { lines, said } = await scrape(url, url);
  for (const { error, values } of lines) expect([error, values]).toEqual([expect.stringMatching(reason), undefined]);
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/^Cannot read the target's metrics from http.*The load does not depend on them/);
});

test("more series than are kept are counted", async () => {
  const all = Array.from({ length: 500 }, (_, rank) => `tgi_queue_size{rank="${rank}"} 1`).join("\n");
  const { url } = await serve((_, response) => response.end(all));
  const { lines } = await scrape(url, url, 1);
  expect(Object.keys(lines[0]?.values ?? {})).toHaveLength(MOST_SERIES);
  expect(lines[0]?.dropped).toBe(500 - MOST_SERIES);
});

test("a source that does not respond within its time is said so", async () => {
  const { url, seen } = await serve(() => undefined);
  const reading = scrape(url, url, 1);
  await expect.poll(() => seen).toHaveLength(1);
  expect(limits).toEqual([1_000]);
  late.abort(new DOMException("late", "TimeoutError"));
  const { lines, said } = await reading;
  expect(lines[0]).toMatchObject({ error: "no response within 1000 ms" });
  expect(said).toHaveLength(1);
});

test("a source that never responds does not delay the end", async () => {
  const { url, seen } = await serve(() => undefined);
  const folder = newFolder();
  const scraping = startScraping(
    { sources: [{ name: "s", url }], intervalMs: 60_000 },
    { folder, connection: { target: url }, redact: String, say: () => undefined, limit },
  );
  await expect.poll(() => seen).toHaveLength(1);
  await scraping.stop();
  expect(readFileSync(join(folder, "scrapes.jsonl"), "utf8").trim().split("\n")).toHaveLength(1);
});
