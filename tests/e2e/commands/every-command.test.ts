/** Every command, on the results of one demo, and every exit code. `usage.test.ts` has those that end before any work. */

import { cpSync, existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ROOT } from "../../../scripts/supply-chain/components.ts";
import { assay, type Ended, newFolder, startAssay } from "../../support/commands/assay-process.ts";
import { FEW_UNITS } from "../../support/commands/load-to-end.ts";
import { conformanceResultOf, resultOf } from "../../support/results/read-results.ts";
import { startMockProcess } from "../../support/targets/spawned-mock.ts";

/**
 * The demo gives each load a few seconds, and its target is fast: what the machine of the tests spoils is only the timing, and, where
 * it is very late, arrivals that find the target busy and never start.
 */
const demo = join(newFolder(), "demo");
const ONLY_LATE = /^[\d,]+ arrivals? never started$/;
let target: string;
let ofDemo: Ended;
/** Commands that a test of this file ran. */
const ran = new Set<string>(["demo", "mock", "completion", "init"]);

function run(...args: readonly string[]): Promise<Ended> {
  ran.add(args[0] ?? "");
  return assay(args, { ASSAY_API_KEY: "k" });
}

beforeAll(async () => {
  target = (await startMockProcess("--timing", "instant", "--ttft", "20ms", "--work", "200ms")).url;
  ofDemo = await assay(["demo", "--out", demo]);
});

test("demo checks and loads the mock with every scenario, and writes one page", () => {
  const loads = ["chat-stream", "chat", "embeddings", "video", "mixed"].map((name) => resultOf(join(demo, name)));
  for (const { scenario, slos, counts } of loads) {
    expect(counts.ok, scenario).toBeGreaterThan(10);
    expect(slos.filter(({ ok, cause = "" }) => ok === false && !ONLY_LATE.test(cause))).toEqual([]);
  }
  const verdicts = conformanceResultOf(join(demo, "conformance")).clauses.map(({ verdict }) => verdict);
  expect(verdicts.filter((verdict) => verdict === "PASS").length).toBeGreaterThan(180);
  expect(verdicts).not.toContain("FAIL");
  expect(existsSync(join(demo, "index.html"))).toBe(true);
  const isLate = loads.some(({ counts }) => counts.not_started > 0);
  expect(isLate ? [0, 1, 2] : [0, 2]).toContain(ofDemo.code);
});

const SHORT = ["--rate", "20", "--duration", "1s", "--warmup", "0", ...FEW_UNITS];

describe.concurrent("exit codes", () => {
  test("0: a target conforms", async ({ expect }) => {
    const { code, stdout } = await run("conformance", "--target", target, "--out", newFolder());
    expect(stdout).toMatch(/^CONFORMS/m);
    expect(code).toBe(0);
  });

  test("1: a target has a fault, which a replay finds too; an objective is missed", async ({ expect }) => {
    const faulty = await startMockProcess("--timing", "instant", "--ttft", "200ms", "--fault", "chat-201");
    const out = newFolder();
    const { code, stdout } = await run("conformance", "--target", faulty.url, "--only", "chat", "--out", out);
    expect(stdout).toMatch(/FAIL +chat\.status/);
    expect([code, (await run("replay", out)).code]).toEqual([1, 1]);
    const missed = await run("load", "chat-stream", "--target", faulty.url, ...SHORT, "--slo", "ok>=21", "--quiet");
    expect(missed.stdout).toMatch(/^FAILED/);
    expect(missed.code).toBe(1);
  });

  test("2: an objective is undecided; a proxy has seen nothing", async ({ expect }) => {
    const undecided = await run("load", "chat", "--target", target, ...SHORT, "--slo", "e2e_p99<10s");
    expect(undecided.stdout).toMatch(/^INCONCLUSIVE/);
    expect(undecided.code).toBe(2);
    ran.add("proxy");
    const { child, ended, until } = startAssay(["proxy", "--target", target]);
    const proxy = await until(/ready (\S+)/);
    expect((await fetch(`${proxy}/nothing`)).status).toBe(404);
    child.kill("SIGINT");
    expect((await ended).code).toBe(2);
  });

  test("0: a load of videos ended its tasks, and clean-up finds none that is open", async ({ expect }) => {
    const out = newFolder();
    const { code, stdout } = await run(
      "load",
      "video",
      "--target",
      target,
      ...SHORT,
      "--poll-interval",
      "50ms",
      "--out",
      out,
    );
    expect(code, stdout).toBe(resultOf(out).validity.verdict === "VALID" ? 0 : 2);
    const cleaned = await run("clean-up", out, "--target", target);
    expect(cleaned.stdout, cleaned.stderr).toMatch(/^0 video tasks/);
    expect(cleaned.code).toBe(0);
  });

  test("3: a scenario cannot be bundled", async ({ expect }) => {
    const { code, stderr } = await run("bundle", "none.ts", "--target", target, "--out", newFolder());
    expect(stderr).toContain("there is no such file");
    expect(code).toBe(3);
  });
});

describe.concurrent("on the results of the demo", () => {
  const of = (name: string): string => join(demo, name);

  test("report makes the same result and every view again", async ({ expect }) => {
    const before = resultOf(of("chat-stream"));
    const out = newFolder();
    expect((await run("report", of("chat-stream"), "--out", out)).code).toBe(before.exitCode);
    expect(resultOf(out)).toEqual(before);
    expect(readdirSync(out)).toEqual(expect.arrayContaining(["run.html", "run.md", "run.junit.xml"]));
  });

  test("report writes a card of a load, which replay checks, and of nothing else", async ({ expect }) => {
    const copy = join(newFolder(), "load");
    cpSync(of("chat-stream"), copy, { recursive: true });
    await run("report", copy, "--format", "card");
    expect((await run("replay", copy)).stdout).toMatch(/^REPRODUCED/m);
    writeFileSync(join(copy, "run.card.html"), "<p>faster</p>");
    expect((await run("replay", copy)).stdout).toContain("run.card.html is not what the records give");
    const conformance = await run("report", of("conformance"), "--format", "card", "--out", newFolder());
    expect(conformance.stderr).toContain("Cannot write a card");
    expect(conformance.code).toBe(3);
  });

  test("sql counts the requests, and report writes them as Parquet", async ({ expect }) => {
    const { counts } = resultOf(of("chat-stream"));
    const query = "SELECT count(*)::INT AS ok FROM requests WHERE phase = 'measure' AND outcome = 'ok'";
    const counted = await run("sql", of("chat-stream"), query, "--json");
    expect(JSON.parse(counted.stdout), counted.stderr).toEqual([{ ok: counts.ok }]);
    const out = newFolder();
    await run("report", of("chat-stream"), "--parquet", "--out", out);
    expect(readdirSync(out)).toEqual(expect.arrayContaining(["requests.parquet", "gaps.parquet"]));
    const [nothing, conformance] = [
      await run("sql", of("chat-stream")),
      await run("report", of("conformance"), "--parquet", "--out", newFolder()),
    ];
    expect(nothing.stderr).toContain("a result folder and a query are needed");
    expect(conformance.stderr).toContain("Cannot write tables (--parquet)");
    expect([nothing.code, conformance.code]).toEqual([3, 3]);
  });

  test("replay finds every value of a load again, and every verdict of a conformance run", async ({ expect }) => {
    const [load, conformance] = [await run("replay", of("mixed")), await run("replay", of("conformance"))];
    expect(load.code, load.stdout).toBe(resultOf(of("mixed")).exitCode);
    expect(conformance.stdout).toContain("All verdicts are unchanged.");
  });

  test("show names the slowest requests, history both runs, compare the difference of their loads", async ({
    expect,
  }) => {
    expect((await run("show", of("chat"), "--slowest", "2", "--by", "e2e")).stdout).toMatch(/e2e/);
    expect((await run("history", demo, "--out", newFolder())).code).toBe(0);
    const { code, stderr } = await run("compare", of("chat"), of("chat-stream"), "--out", newFolder());
    expect(stderr).toContain("their loads differ");
    expect(code).toBe(2);
  });
});

describe.concurrent("for other machines, and in CI", () => {
  test("bundle writes what a k6 elsewhere runs, k8s the manifests of a cluster", async ({ expect }) => {
    const [bundle, manifests] = [join(newFolder(), "bundle"), join(newFolder(), "k8s")];
    expect((await run("bundle", "chat", "--target", target, "--out", bundle)).code).toBe(0);
    expect(readdirSync(bundle)).toEqual(expect.arrayContaining(["bundle.js", "load.json"]));
    const { code, stderr } = await run(
      "k8s",
      "chat",
      "--target",
      target,
      "--runners",
      "2",
      "--image",
      "assay",
      "--out",
      manifests,
    );
    expect(code, stderr).toBe(0);
    expect(readdirSync(manifests).length).toBeGreaterThan(0);
  });

  test("a gate of CI runs its load, and has its exit code", async ({ expect }) => {
    const out = join(newFolder(), "gate");
    const { code, stdout } = await run(
      ...["ci", "run", "load chat", "--target", target, "--out", out, "--args", SHORT.join(" ")],
    );
    expect(code, stdout).toBe(resultOf(join(out, "new-1")).exitCode);
  });

  test("search ends at its range, and doctor misses nothing", async ({ expect }) => {
    const found = await run(
      ...["search", "chat", "--target", target, "--rate", "20", "--max", "20", "--probe-duration", "1s"],
      ...["--duration", "1s", "--warmup", "0", "--out", newFolder(), ...FEW_UNITS],
    );
    expect([0, 2], found.stderr).toContain(found.code);
    expect((await run("doctor")).code).toBe(0);
  });
});

test("there is no command that no test here runs, but calibrate, which takes a quarter of a minute", () => {
  const commands = readdirSync(join(ROOT, "scripts", "commands")).map((file) => file.replace(/\.ts$/, ""));
  expect(commands.filter((name) => !ran.has(name))).toEqual(["calibrate"]);
});
