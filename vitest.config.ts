import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const UNIT = [
  "cli",
  "conformance",
  "contract",
  "formats",
  "lib",
  "load",
  "mock-server",
  "proxy",
  "reports",
  "route",
  "runs",
  "scenarios",
  "scripts",
  "settings",
  "tests/unit",
  "toolchain",
];

/** Unit tests that compute or wait for long: simulations, properties of much data, every fault. `npm test` leaves them out. */
const LONG_UNIT = [
  "conformance/hostile-documents",
  "conformance/judges/task-invariants",
  "conformance/prove-service",
  "conformance/prove",
  "conformance/unusable-targets",
  "conformance/vitest-adapter",
  "mock-server/http/http2",
  "mock-server/timing/distribution",
  "mock-server/variants/faults",
  "mock-server/variants/permitted",
  "reports/compare/compare-sides",
  "reports/compare/false-alarms",
  "reports/load/live/stop-conditions",
  "reports/load/metrics/beyond-bound",
  "reports/load/metrics/evaluate-windows",
  "reports/load/metrics/left-work",
  "reports/load/metrics/recovery",
  "reports/load/metrics/alike-in-time",
  "reports/load/one-result",
  "reports/load/overload",
  "reports/load/page-size",
  "reports/load/read/foreign-records",
  "reports/load/records-summary",
  "reports/load/validity/error-bands",
  "reports/load/validity/interruptions",
  "reports/load/validity/steadiness",
  "reports/load/validity/validity",
  "cli/foreign-files",
  "runs/search/search-logic",
  "runs/search/short-runs",
  "scripts/supply-chain/release-workflow",
  "toolchain/import-entry",
  "tests/unit/fuzz-targets",
  "tests/unit/lockfile",
  "tests/unit/weight",
].map((name) => `${name}.test.ts`);

/** End-to-end tests of each command, outcome and exit code, which `npm test` has. */
const EVERY_COMMAND = [
  ...["completion", "every-command", "history", "init", "offline", "usage"].map(
    (name) => `tests/e2e/commands/${name}.test.ts`,
  ),
  "tests/e2e/load/every-outcome.test.ts",
  "tests/e2e/repository/pages.test.ts",
];

/**
 * End-to-end tests that judge what this machine does with time: how late a load generator was, how fast a target served. They
 * mostly wait, and run two at a time, once all others have ended.
 */
const JUDGE_TIME = [
  ...["compare", "search"].map((name) => `tests/e2e/commands/${name}.test.ts`),
  ...[
    ...["leaving-clients", "overloaded-target", "records", "saturation", "steadiness", "validity"],
    ...["windowed-objectives", "workloads"],
  ].map((name) => `tests/e2e/load/${name}.test.ts`),
];

/** Bounds that only a hang exceeds, on a busy machine of any speed. */
const BOUNDS = { testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 60_000 } } };
/** Files share what they import and the processes that run their commands: to load mockttp takes longer than most files run. */
const SHARED = { setupFiles: ["tests/support/around-file.ts"], isolate: false, ...BOUNDS };

/** Projects run in this order; each with so many files at the same time. */
const inTurn = (groupOrder: number, maxWorkers: number) => ({ sequence: { groupOrder }, maxWorkers });
const CPUS = availableParallelism();

/** Long files that are short texts: a clean checkout, which knows no durations yet, begins with the longest texts. */
const LONGEST = [
  "tests/e2e/commands/every-command",
  "tests/system/release",
  "tests/system/node-lines",
  "conformance/prove",
  "conformance/prove-service",
  "tests/system/reports",
  "tests/system/strict-clients",
  "tests/faults/fault-matrix",
  "tests/e2e/attacks/hostile-clients",
  "tests/e2e/attacks/secrets",
  "tests/e2e/repository/docs",
  "tests/e2e/cluster/kubernetes",
  "tests/e2e/repository/ci-action",
  "tests/e2e/load/inputs",
  "reports/load/one-result",
  "reports/load/overload",
  "tests/e2e/load/workload-scenarios",
  "tests/e2e/endings/k6-endings",
  "conformance/engine/conformance-run",
  "tests/e2e/load/leaving-clients",
  "tests/e2e/load/steadiness",
  "tests/e2e/load/records",
].map((name) => `/${name}.test.ts`);

/** Begins with the longest files, so that no worker is left alone with one at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONGEST.some((name) => moduleId.endsWith(name));
    const rank = ({ moduleId }: TestSpecification): number => LONGEST.findIndex((name) => moduleId.endsWith(name));
    return [...sorted.filter(isLong).sort((a, b) => rank(a) - rank(b)), ...sorted.filter((file) => !isLong(file))];
  }
}

/** A package has the configuration, for the suite that judges a target, and none of the tests. */
const SLOWEST_FILES = "./tests/support/slowest-files.ts";
const isCheckout = existsSync(new URL(SLOWEST_FILES, import.meta.url));

export default defineConfig({
  test: {
    reporters: ["default", ...(isCheckout ? [SLOWEST_FILES] : [])],
    // The parts of `npm run test:all` are runs of their own, which import the same files: each file is transformed once.
    experimental: { fsModuleCache: isCheckout },
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: "unit",
          include: UNIT.map((folder) => `${folder}/**/*.test.ts`),
          exclude: ["conformance/suite.test.ts", "**/node_modules/**", ...LONG_UNIT],
          ...SHARED,
          ...inTurn(0, CPUS + 1),
        },
      },
      // With every fault against the clauses. Simulations have fixed seeds, so only a change of the statistics needs all: `prove`.
      {
        test: { name: "long", include: LONG_UNIT, env: { ASSAY_PROVE: "faults" }, ...SHARED, ...inTurn(1, CPUS + 2) },
      },
      // Their commands wait more than they compute.
      { test: { name: "commands", include: EVERY_COMMAND, ...SHARED, ...inTurn(0, CPUS + 1), maxConcurrency: 3 } },
      {
        test: {
          name: "e2e",
          include: ["tests/{e2e,faults}/**/*.test.ts"],
          exclude: [...EVERY_COMMAND, ...JUDGE_TIME],
          env: { FAULT_MATRIX: process.env["FAULT_MATRIX"] ?? "sample" },
          ...SHARED,
          ...inTurn(1, CPUS + 2),
          maxConcurrency: 3,
        },
      },
      { test: { name: "time", include: JUDGE_TIME, ...SHARED, ...inTurn(2, 2) } },
      { test: { name: "system", include: ["tests/system/**/*.test.ts"], ...SHARED, ...inTurn(1, CPUS + 2) } },
      // Every fault of the mock against the suite, and simulated comparisons by the thousand.
      {
        test: {
          name: "prove",
          include: [
            "conformance/prove.test.ts",
            "conformance/prove-service.test.ts",
            "reports/compare/false-alarms.test.ts",
            "reports/load/validity/steadiness.test.ts",
          ],
          env: { ASSAY_PROVE: "all" },
          ...SHARED,
          ...inTurn(0, CPUS + 1),
        },
      },
      // Every command under every fault, or those that FAULT_MATRIX names; the end-to-end tests take a share of them.
      {
        test: {
          name: "faults",
          include: ["tests/faults/fault-matrix.test.ts"],
          env: { FAULT_MATRIX: process.env["FAULT_MATRIX"] ?? "all" },
          ...SHARED,
        },
      },
      // The suite that judges a target: `ASSAY_TARGET=… npx vitest run --project conformance`.
      { test: { name: "conformance", include: ["conformance/suite.test.ts"] } },
    ],
  },
});
