/** What this machine lacks, made with real limits: no run holds it against the target, and each says what to do. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  canHavePrivateNetwork,
  openPrivateNetwork,
  type PrivateNetwork,
} from "../../support/cluster/private-network.ts";
import { type Ended, newFolder, type Running, startAssay } from "../../support/commands/assay-process.ts";
import { FEW_UNITS } from "../../support/commands/load-to-end.ts";
import { conformanceResultOf, resultOf } from "../../support/results/read-results.ts";
import { startMockProcess } from "../../support/targets/spawned-mock.ts";

const LOAD = ["--warmup", "0", ...FEW_UNITS];

async function run(prefix: readonly string[], args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const folder = newFolder();
  const ended = await startAssay([...args, "--out", folder], env, undefined, prefix).ended;
  return { ...ended, folder };
}

/** Checks a load of which requests failed on this machine, for one reason. */
function expectClientLimited(ended: Ended & { readonly folder: string }, fault: string, advice: RegExp): void {
  const result = resultOf(ended.folder);
  expect(result.validity, ended.stdout).toMatchObject({ verdict: "CLIENT-LIMITED" });
  expect(result.validity.reasons.join()).toMatch(advice);
  expect(new Set(result.failures.map(({ outcome, clientFault }) => `${outcome} ${clientFault}`))).toEqual(
    new Set([`client_error ${fault}`]),
  );
  expect(result.counts.outcomes["client_error"]).toBeGreaterThan(0);
  expect(result.counts.failed).toBe(0);
  expect(result.outages).toEqual([]);
  expect(ended.stdout, `${ended.code} ${ended.stderr}`).toMatch(/^INCONCLUSIVE/);
  expect(ended.stdout + ended.stderr).not.toContain("stopped responding");
  expect(ended.code).toBe(2);
}

describe("a limit of open files", () => {
  const withFiles = (limits: string): readonly string[] => ["sh", "-c", `${limits}; exec "$@"`, "sh"];
  let target = "";
  beforeAll(async () => {
    target = (await startMockProcess("--ttft", "3s", "--itl", "1ms", "--output-tokens", "2")).url;
  });

  test("that the load reaches makes the run CLIENT-LIMITED, after a notice before it", async () => {
    const flags = ["--rate", "130", "--max-in-flight", "300", "--duration", "2s", ...LOAD];
    const ended = await run(withFiles("ulimit -n 200"), ["load", "chat-stream", "--target", target, ...flags]);
    expect(ended.stderr).toMatch(
      /requests will fail on this machine: .*\(ulimit -Hn\).* lower --max-in-flight to 168\./,
    );
    expectClientLimited(ended, "open_files", /no file descriptor was free; raise the limit of open files \(ulimit -n/);
  });

  test("that could be raised is raised to the hard limit", async () => {
    const args = ["load", "chat-stream", "--target", target, "--vus", "60", "--duration", "1s", ...LOAD];
    const ended = await run(withFiles("ulimit -Sn 50"), args);
    const result = resultOf(ended.folder);
    expect(result.failures).toEqual([]);
    expect(result.client.openMax).toBe(60);
  });

  test("below the number of virtual users is an error before anything is sent", async () => {
    const args = ["load", "chat-stream", "--target", target, "--vus", "180", "--duration", "1s"];
    const ended = await run(withFiles("ulimit -n 200"), args);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toMatch(/^Cannot run 180 virtual users: .* lower --vus to 168\.$/m);
    expect(existsSync(join(ended.folder, "records.jsonl"))).toBe(false);
  });
});

test.each([
  ["conformance", "--target", "http://127.0.0.1:9"],
  ["search", "chat", "--slo", "ok>=1", "--target", "http://127.0.0.1:9"],
  ["k8s", "chat", "--image", "r:1", "--target", "http://127.0.0.1:9"],
  ["proxy", "--target", "http://127.0.0.1:9"],
])("a limit of open files with which nothing can be loaded is said, and is no verdict: %s", async (...args) => {
  const { code, stderr } = await run(["sh", "-c", 'ulimit -n 64; exec "$@"', "sh"], args);
  expect([code, stderr]).toEqual([
    3,
    expect.stringMatching(/^Cannot start: this process may open 64 files .*Raise the limit of open files/),
  ]);
});

/** The clock of the machine is set by an hour, forth and back every 700 ms, for Node: k6 keeps the right time. */
const CLOCK = `const Clock = Date;
const now = () => Clock.now() + (Math.floor(performance.now() / 700) % 2 === 0 ? 1 : -1) * 3_600_000;
globalThis.Date = class extends Clock {
  constructor(...given) { super(...(given.length === 0 ? [now()] : given)); }
  static now() { return now(); }
};`;

test.each([
  ["conformance", "--only", "chat.*"],
  ["load", "chat-stream", "--rate", "20", "--duration", "2s", ...LOAD],
])("a clock that is set again and again changes no verdict: %s", async (...args) => {
  const { url } = await startMockProcess("--timing", "fast");
  const env = {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(CLOCK)}`,
    ASSAY_API_KEY: "a-key-of-tests",
  };
  const { code, stdout, stderr, folder } = await run([], [...args, "--target", url], env);
  if (args[0] === "conformance") expect([code, stderr]).toEqual([0, expect.any(String)]);
  else expect(resultOf(folder).counts, stdout).toMatchObject({ offered: 40, ok: 40 });
});

describe.skipIf(!canHavePrivateNetwork())("in a network with five source ports and no route", () => {
  let network: PrivateNetwork;
  let mock: Running;
  let target = "";
  beforeAll(async () => {
    network = await openPrivateNetwork();
    mock = startAssay(["mock", "--ttft", "500ms", "--output-tokens", "2"], {}, undefined, network.prefix);
    target = await mock.until(/ready (http:\/\/\S+)/);
  });
  afterAll(async () => {
    mock.child.kill("SIGTERM");
    await mock.ended;
    await network.close();
  });
  const inside = (args: readonly string[], env?: Readonly<Record<string, string>>) => run(network.prefix, args, env);
  const load = ["load", "chat-stream", "--rate", "20", "--duration", "1s", ...LOAD];

  test("requests without a source port make the run CLIENT-LIMITED", async () => {
    const ended = await inside([...load, "--target", target]);
    expectClientLimited(ended, "source_ports", /no source port was free; .*net\.ipv4\.ip_local_port_range/);
  });

  test.each([
    ["whose name is not resolved", "http://gateway.invalid:3128", /check the name, and the DNS/i],
    ["without a route", "http://192.0.2.1:3128", /check the network and the firewall of the machine/i],
  ])("a proxy %s is named before the load", async (_, proxy, advice) => {
    const env = { http_proxy: proxy };
    const ended = await inside([...load, "--target", "http://192.0.2.9:8000"], env);
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringMatching(advice)]);
    expect(ended.stderr).toMatch(/^Cannot reach the proxy of http_proxy that leads to http:\/\/192\.0\.2\.9:8000: /m);
  });

  test.each([
    [
      load,
      "http://192.0.2.1",
      /there is no route to the network .*\. Check the network and the firewall of the machine/,
    ],
    [
      ["conformance"],
      "http://models.invalid",
      /the host name (?:is not known|could not be resolved).*\. Check the name, and the DNS/,
    ],
  ])("%j does not reach %s, and says what to do", async (args, address, sentence) => {
    const ended = await inside([...args, "--target", address]);
    expect([ended.code, ended.stderr]).toEqual([2, expect.stringMatching(sentence)]);
  });

  test("conformance fails no clause", async () => {
    const ended = await inside(["conformance", "--target", target, "--concurrency", "16"]);
    const verdicts = conformanceResultOf(ended.folder).clauses;
    const lacking = verdicts.filter(({ reason }) => /on this machine: connect EADDRNOTAVAIL/.test(reason));
    expect(lacking.length, ended.stdout).toBeGreaterThan(0);
    expect(new Set(lacking.map(({ verdict }) => verdict))).toEqual(new Set(["INCONCLUSIVE", "BLOCKED"]));
    expect(verdicts.filter(({ verdict }) => verdict === "FAIL")).toEqual([]);
    expect(ended.code).toBe(2);
  });
});
