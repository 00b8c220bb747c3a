/** A load by `assay k8s`, run as k6-operator runs it: without a cluster, with the real k6. And one that a script runs. */

import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { recordHeader } from "../../../formats/records.ts";
import { VOCABULARY } from "../../../load/inputs/vocabulary.ts";
import { loadResultOf } from "../../../runs/views/load-views.ts";
import { readInstant } from "../../../settings/instants.ts";
import { k6ForLoads } from "../../../toolchain/k6.ts";
import { byteLevel, tokenizerFile } from "../../support/byte-level-tokenizer.ts";
import { PlayedCluster } from "../../support/cluster/played-cluster.ts";
import { openPodNetwork, type PodNetwork } from "../../support/cluster/pod-network.ts";
import { assay, cleanEnvironment, newFolder, type Running, startAssay } from "../../support/commands/assay-process.ts";
import { arrivalLinesOf, clientLinesOf, recordsOf, resultOf } from "../../support/results/read-results.ts";
import { startMockProcess } from "../../support/targets/spawned-mock.ts";

const KEY = "key-of-the-cluster";
const SECRETS = { keys: { ASSAY_API_KEY: KEY } };
const RUNNERS = 3;

const clusters: PlayedCluster[] = [];
async function newCluster(options: Partial<ConstructorParameters<typeof PlayedCluster>[0]> = {}) {
  const { path } = await k6ForLoads();
  const cluster = new PlayedCluster({ k6: path, secrets: SECRETS, ...options });
  clusters.push(cluster);
  return cluster;
}

let target = "";
beforeAll(async () => {
  target = (await startMockProcess("--timing", "fast")).url;
});
afterAll(() => Promise.all(clusters.map((cluster) => cluster.close())));

/** What the runs below have in common. */
const CLUSTER = ["--runners", `${RUNNERS}`, "--image", "registry.example/assay-runner:1", "--key-secret", "keys"];

/** `assay k8s` on a played cluster, in an environment that has the key too. */
const onCluster = (cluster: PlayedCluster, args: readonly string[]): Running =>
  startAssay(["k8s", ...args], { ...cluster.env, ASSAY_API_KEY: KEY });

const runnerFolders = (folder: string): string[] =>
  readdirSync(join(folder, "runners"))
    .sort()
    .map((name) => join(folder, "runners", name));

describe("the example of the help", () => {
  const [RATE, SECONDS] = [60, 4];
  const folder = join(newFolder(), "results");
  let network: PodNetwork | undefined;
  let mock: Running;
  let cluster: PlayedCluster;
  let printed = "";
  beforeAll(async () => {
    network = await openPodNetwork(RUNNERS);
    const host = network === undefined ? [] : ["--host", network.host];
    mock = startAssay(["mock", "--timing", "fast", ...host], {}, undefined, network?.prefix);
    const url = await mock.until(/ready (http:\/\/\S+)/);
    cluster = await newCluster({ network });
    const { stdout } = await assay(["k8s", "--help"]);
    const [, example = ""] = /^ {2}assay k8s (run .*)$/m.exec(stdout) ?? [];
    const args = example
      .replace("https://inference.example", url)
      .replace(
        "--rate 1000 --max-in-flight 4000 --runners 10",
        `--rate ${RATE} --max-in-flight 60 --runners ${RUNNERS}`,
      )
      .replace("inference-key", "keys")
      .split(" ");
    const shape = ["--arrival", "poisson", "--duration", `${SECONDS}s`, "--warmup", "0s", "--seed", "7"];
    const more = [...shape, "--run-name", "example", "--slo", "ttft_p95<5s", "--slo", "error_rate<1%", "--out", folder];
    const { code, stderr, stdout: shown } = await onCluster(cluster, [...args, ...more]).ended;
    printed = stderr + shown;
    expect(code, printed).not.toBe(3);
  });
  afterAll(async () => {
    mock.child.kill("SIGTERM");
    await mock.ended;
    await cluster.close();
    await network?.close();
  });

  /** The records of all runners as those of one load generator that ran the whole load. */
  function asOneRun(): string {
    const whole = newFolder();
    const parts = runnerFolders(folder).map((runner) =>
      readFileSync(join(runner, "records.jsonl"), "utf8").split("\n"),
    );
    const [header = ""] = parts[0] ?? [];
    const lines = parts.flatMap(([, ...rest]) => rest.filter((line) => line !== ""));
    writeFileSync(join(whole, "records.jsonl"), [header.replace(/"segment":"[^"]*",?/, ""), ...lines, ""].join("\n"));
    const last = runnerFolders(folder).map((runner) => clientLinesOf(runner).at(-1));
    const sum = (of: (line: NonNullable<(typeof last)[number]>) => number): number =>
      last.reduce((total, line) => total + (line === undefined ? 0 : of(line)), 0);
    const final = {
      ...last[0],
      records: sum(({ records = 0 }) => records),
      offered: { warmup: 0, measure: sum(({ offered }) => offered.measure) },
      started: { warmup: 0, measure: sum(({ started }) => started.measure) },
    };
    writeFileSync(join(whole, "client.jsonl"), `${JSON.stringify(final)}\n`);
    return whole;
  }

  test("is applied, watched, collected and reported", () => {
    // What lasts: a stage that is over before it was asked for is not shown.
    for (const line of ["initializer: ended", "TestRun: started", "runners 1 to 3: running"]) {
      expect(printed).toContain(line);
    }
    expect(printed).toMatch(/Collected 3 of 3 runners/);
    const { counts, segments, interrupted, validity } = resultOf(folder);
    expect({ segments, interrupted }).toEqual({ segments: RUNNERS, interrupted: false });
    expect(counts.ok).toBe(counts.offered);
    expect(validity.verdict).not.toBe("INVALID");
    expect(cluster.pods).toEqual([]);
    expect(cluster.testRuns).toEqual(["example"]);
    for (const runner of runnerFolders(folder)) {
      const [header = ""] = readFileSync(join(runner, "records.jsonl"), "utf8").split("\n");
      expect(recordHeader.parse(JSON.parse(header)).run).toBe("example");
    }
    expect(printed).toContain("Cluster: context played, namespace loads.");
  });

  test("gives what one load generator would have: the same quantiles, rate, counts and objectives", async () => {
    const [merged, one] = [resultOf(folder), await loadResultOf([asOneRun()])];
    expect(merged.counts).toEqual(one.counts);
    expect(merged.slos).toEqual(one.slos);
    // What a load generator missed in a pause of its own is known of the runners, and not of the one that is made of them.
    const ownOfRunners = merged.validity.reasons.length > 0 ? ["coalesced", "stall"] : [];
    for (const [name, { unit, value, ...distribution }] of Object.entries(one.metrics)) {
      if (ownOfRunners.includes(name)) continue;
      const found = merged.metrics[name];
      expect(found?.unit, name).toBe(unit);
      if (value === undefined) {
        // How late each load generator was is its own.
        const { mean, band: _, ...exact } = distribution;
        expect({ name, ...found }).toMatchObject({ name, ...exact });
      } else {
        // Over the time of all, whose clocks and starts differ by milliseconds: a request at its end is within it or not.
        expect((found?.value ?? 0) / value || 1, name).toBeCloseTo(1, 1);
      }
    }
  });

  test("is one Poisson process, whose gaps are exponential", () => {
    const arrivals = runnerFolders(folder)
      .flatMap(scheduleOf)
      .sort((a, b) => a - b);
    const expected = RATE * SECONDS;
    expect(Math.abs(arrivals.length - expected)).toBeLessThan(4 * Math.sqrt(expected));
    const gaps = arrivals.slice(1).map((at, index) => at - (arrivals[index] ?? 0));
    expect(distanceToExponential(gaps, RATE)).toBeLessThan(1.63 / Math.sqrt(gaps.length));
    // Arrivals of one runner say nothing about the next one of another.
    expect(dispersion(arrivals, SECONDS)).toBeGreaterThan(0.5);
    expect(dispersion(arrivals, SECONDS)).toBeLessThan(1.6);
  });

  test("shows the key nowhere: not in arguments or input of kubectl, in its environment, in files, or on the terminal", () => {
    expect(JSON.stringify(cluster.calls)).not.toContain(KEY);
    expect(cluster.calls.flatMap(({ variables }) => variables)).toEqual([]);
    expect(printed).not.toContain(KEY);
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      const path = join(folder, name);
      if (existsSync(`${path}/.`)) continue;
      expect(readFileSync(path, "utf8"), name).not.toContain(KEY);
    }
  });

  test("is reported again by its folder, and cannot be compared with itself", async () => {
    const again = newFolder();
    const { code, stderr } = await assay(["report", folder, "--out", again]);
    expect(code, stderr).toBe(resultOf(folder).exitCode);
    const [first, second] = [folder, again].map(resultOf);
    expect([second?.counts, second?.metrics, second?.segments]).toEqual([
      first?.counts,
      first?.metrics,
      first?.segments,
    ]);
    expect((await assay(["compare", folder, folder])).stderr).toContain(
      "was given twice, and does not differ from itself",
    );
  });

  test("can be collected again, and cannot be run again", async () => {
    const again = newFolder();
    const run = ["run", "chat-stream", "--target", target, ...CLUSTER, "--run-name", "example"];
    const [collected, refused] = await Promise.all(
      [["collect", "example", "--out", again], run].map((args) => onCluster(cluster, args).ended),
    );
    expect(collected?.code, collected?.stderr).toBe(resultOf(folder).exitCode);
    expect(resultOf(again).counts).toEqual(resultOf(folder).counts);
    expect(refused?.code).toBe(3);
    expect(refused?.stderr).toMatch(/Cannot run example: .* assay k8s collect example/);
  });
});

/**
 * When the arrivals of a runner were due, in seconds after the start of its schedule. Those that found no free slot are among them,
 * and runners that start apart are not: both depend on the machine, and the schedule does not.
 */
function scheduleOf(runner: string): number[] {
  const startedAt = readInstant(clientLinesOf(runner).at(-1)?.schedule_started_at ?? "");
  const due = new Map(
    [...recordsOf(runner).map(({ arrival, scheduled }) => [arrival, scheduled] as const)].concat(
      arrivalLinesOf(runner).map(({ index, scheduled }) => [index, scheduled] as const),
    ),
  );
  return [...due.values()].map((scheduled) => (readInstant(scheduled) - startedAt) / 1_000);
}

/** Kolmogorov's distance of samples to the exponential distribution of a rate; 1.63 / √n is exceeded by 1% of true ones. */
function distanceToExponential(samples: readonly number[], rate: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return Math.max(
    ...sorted.map((sample, index) => {
      const share = 1 - Math.exp(-rate * sample);
      return Math.max(share - index / sorted.length, (index + 1) / sorted.length - share);
    }),
  );
}

/** Variance over mean of the number of arrivals per tenth of a second: 1 of a Poisson process. */
function dispersion(arrivals: readonly number[], seconds: number): number {
  const counts = Array.from({ length: seconds * 10 }, (_, tenth) => {
    const at = tenth / 10;
    return arrivals.filter((arrival) => arrival >= at && arrival < at + 0.1).length;
  });
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  return counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / counts.length / mean;
}

describe.concurrent("a run that does not come to its end", () => {
  const load = (rate: number, duration: string, folder: string): string[] => [
    ...["run", "chat-stream", "--target", target, "--rate", `${rate}`, "--duration", duration, "--warmup", "0s"],
    ...[...CLUSTER, "--run-name", "a-run", "--out", folder],
  ];

  test("since a runner was killed names it, and counts its share as not started", async () => {
    const [cluster, folder] = [await newCluster(), join(newFolder(), "results")];
    const running = onCluster(cluster, load(30, "8s", folder));
    // Not before all are started: without one that has ended until then, the operator waits for ever.
    await vi.waitUntil(
      () => cluster.stage === "started" && cluster.runners[1] && hasRecords(cluster.runners[1].results),
      {
        timeout: 60_000,
      },
    );
    cluster.runners[1]?.process.kill("SIGKILL");
    const { code, stderr } = await running.ended;
    expect(code, stderr).toBe(2);
    expect(stderr).toMatch(/runner 2: ended with exit code 137, OOMKilled/);
    expect(stderr).toContain("a-run-2 was killed: its records have no end.");
    const { counts, validity, interrupted } = resultOf(folder);
    expect(counts.offered).toBe(240);
    expect(counts.not_started).toBeGreaterThan(0);
    expect(interrupted).toBe(true);
    expect(validity.reasons.join("; ")).toMatch(/segment 2\/3 was killed before the end; \d+ arrivals? of its share/);
  });

  test("since its target is gone is ended in the cluster, and reported with the reason", async () => {
    const [cluster, folder] = [await newCluster(), join(newFolder(), "results")];
    // Nothing listens there.
    const dead = load(30, "10m", folder).map((word) => (word === target ? "http://127.0.0.1:1" : word));
    const { code, stderr } = await onCluster(cluster, [...dead, "--set", "abort-when-gone=2s"]).ended;
    expect(code, stderr).not.toBe(0);
    expect(stderr).toMatch(
      /The target does not respond: no response to \d+ requests for \d+s, and to none before: deleting the TestRun/,
    );
    expect(cluster.testRuns).toEqual([]);
    expect(resultOf(folder)).toMatchObject({
      interrupted: true,
      aborted: { reason: expect.stringMatching(/^no response/) },
    });
  });

  test("since its user pressed Ctrl-C is ended in the cluster, collected whole and reported as interrupted", async () => {
    const [cluster, folder] = [await newCluster(), join(newFolder(), "results")];
    const running = onCluster(cluster, load(30, "10m", folder));
    await vi.waitUntil(
      () =>
        cluster.stage === "started" &&
        cluster.runners.length === RUNNERS &&
        cluster.runners.every(({ results }) => hasRecords(results)),
      {
        timeout: 60_000,
      },
    );
    running.child.kill("SIGINT");
    const { code, stderr } = await running.ended;
    expect(code, stderr).toBe(2);
    expect([cluster.testRuns, cluster.pods]).toEqual([[], []]);
    const { interrupted, counts, validity } = resultOf(folder);
    expect(interrupted).toBe(true);
    expect(validity.verdict).not.toBe("INVALID");
    expect(counts.started).toBeGreaterThan(0);
    for (const runner of runnerFolders(folder)) {
      expect(clientLinesOf(runner).at(-1)).toMatchObject({ final: true, stopped: expect.any(String) });
    }
  });
});

const hasRecords = (folder: string): boolean =>
  existsSync(join(folder, "records.jsonl")) && recordsOf(folder).length > 0;

test("two clusters with other numbers of runners make one load, each arrival of it once, and one report joins them", async () => {
  const shape = ["--rate", "15", "--arrival", "poisson", "--max-requests", "30", "--duration", "4s", "--warmup", "0s"];
  const load = ["run", "chat", "--target", target, ...shape, "--image", "registry.example/assay-runner:1"];
  const parts = [2, 1].map(async (runners, index) => {
    const folder = join(newFolder(), "results");
    const own = ["--segment", `${index + 1}/2`, "--run-name", "both", "--runners", `${runners}`, "--out", folder];
    const { stderr } = await onCluster(await newCluster(), [...load, "--key-secret", "keys", ...own]).ended;
    expect(existsSync(join(folder, "run.json")), stderr).toBe(true);
    expect(resultOf(folder).shape).toMatch(new RegExp(`^segment ${index + 1}/2 of 15/s poisson`));
    expect(resultOf(folder).validity.verdict).not.toBe("INVALID");
    return folder;
  });
  const folders = await Promise.all(parts);
  const merged = newFolder();
  const { stderr } = await assay(["report", ...folders, "--out", merged]);
  const { counts, segments, shape: words, regions = [], validity } = resultOf(merged);
  expect({ segments, offered: counts.offered, ok: counts.ok }, stderr).toEqual({ segments: 3, offered: 30, ok: 30 });
  expect(validity.verdict, validity.reasons.join()).not.toBe("INVALID");
  expect(words).toMatch(/^15\/s poisson/);
  const arrivals = folders.flatMap(runnerFolders).flatMap((runner) => recordsOf(runner).map(({ arrival }) => arrival));
  expect(arrivals.toSorted((a = 0, b = 0) => a - b)).toEqual(Array.from({ length: 30 }, (_, number) => number));
  expect(regions.map(({ segment, generators, calls }) => [segment, generators, calls.ok])).toEqual([
    ["1/2", 2, 15],
    ["2/2", 1, 15],
  ]);
  expect(regions.map(({ clock }) => clock)).toEqual([
    undefined,
    { fromMs: expect.any(Number), toMs: expect.any(Number) },
  ]);
});

test("the script of a bundle runs the load anywhere, or a part of it, with the key of its environment", async () => {
  const [folder, elsewhere] = [join(newFolder(), "load"), newFolder()];
  const load = ["--target", target, "--rate", "40", "--duration", "1s", "--warmup", "0s"];
  const args = ["bundle", "chat-stream", ...load, "--prompts", promptsIn(elsewhere), "--out", folder];
  const { code, stderr } = await assay(args, { ASSAY_API_KEY: KEY });
  expect(code, stderr).toBe(0);
  for (const name of ["bundle.js", "load.json", "run.sh", "prompts.jsonl"]) {
    expect(readFileSync(join(folder, name), "utf8")).not.toContain(KEY);
  }
  // The load is changed where it is described, in the words of a flag.
  const description = join(folder, "load.json");
  writeFileSync(description, readFileSync(description, "utf8").replace('"rate": 40', '"rate": "60/s"'));
  const env = { ...cleanEnvironment(), K6: (await k6ForLoads()).path, ASSAY_API_KEY: KEY };
  const [, half = ""] = /part-1 (--execution-segment .*)/.exec(readFileSync(join(folder, "run.sh"), "utf8")) ?? [];
  const parts = [half, half.replace("0:1/2 ", "1/2:1 ")].map(async (segment, index) => {
    await promisify(execFile)("sh", [join(folder, "run.sh"), `part-${index + 1}`, ...segment.split(" ")], {
      ...{ cwd: elsewhere, env },
    });
    return join(elsewhere, `part-${index + 1}`);
  });
  const [merged, empty] = [newFolder(), newFolder()];
  const reported = await assay(["report", empty, ...(await Promise.all(parts)), "--out", merged]);
  expect(reported.code, reported.stderr).not.toBe(3);
  expect(reported.stderr).toContain(`Skipped ${empty}: it is empty.`);
  expect(resultOf(merged).counts).toMatchObject({ offered: 60, started: 60, ok: 60 });
});

test("doctor prints where the k6 is that such a script needs", async () => {
  const { code, stdout } = await assay(["doctor"]);
  expect(stdout).toContain(` ${(await k6ForLoads()).path}, `);
  expect(code).toBe(0);
});

test("a bundle takes along the scenarios of workloads, and the words that a tokenizer counted", async () => {
  const [folder, elsewhere] = [join(newFolder(), "load"), newFolder()];
  const [scenario, list] = ["own.ts", "load.yaml"].map((name) => join(elsewhere, name));
  const tokenizer = tokenizerFile(byteLevel(VOCABULARY.slice(0, 80)));
  writeFileSync(
    scenario ?? "",
    `import { chat, loadShape, paced, promptFor } from "@assay-load/assay/scenarios";
export const options = loadShape("own", { slo: ["ok>=1"] });
export default paced((arrival) => chat(promptFor(arrival)));
`,
  );
  writeFileSync(
    list ?? "",
    `rate: 20
duration: 1s
warmup: 0s
input-tokens: 20
tokenizer: ${tokenizer}
workloads: [{ name: streamed, operation: chat-stream }, { name: mine, scenario: ${scenario} }]
`,
  );
  const { code, stderr } = await assay(["bundle", "--target", target, "--workload", list ?? "", "--out", folder]);
  expect(code, stderr).toBe(0);
  for (const file of [scenario, list, tokenizer]) rmSync(file ?? "");
  const env = { ...cleanEnvironment(), K6: (await k6ForLoads()).path, ASSAY_API_KEY: KEY };
  await promisify(execFile)("sh", [join(folder, "run.sh"), "results"], { cwd: elsewhere, env });
  const records = recordsOf(join(elsewhere, "results"));
  expect(records.map(({ requested_input_tokens }) => requested_input_tokens)).toEqual(records.map(() => 20));
  expect(new Set(records.map(({ workload, op }) => `${workload} ${op}`))).toEqual(
    new Set(["streamed chat.stream", "mine chat"]),
  );
  const { slos } = await loadResultOf([join(elsewhere, "results")]);
  expect(slos).toMatchObject([
    { expr: "error_rate<1%" },
    { expr: "ok>=1" },
    { expr: "streamed.ok>=1" },
    { expr: "mine.ok>=1", ok: true },
  ]);
});

function promptsIn(folder: string): string {
  const file = join(folder, "own prompts.jsonl");
  writeFileSync(file, '{"prompt":"It\'s $HOME"}\n');
  return file;
}
