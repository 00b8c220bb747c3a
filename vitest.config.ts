import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const UNIT = [
  "contract",
  "formats",
  "lib",
  "load",
  "conformance",
  "proxy",
  "mock-server",
  "reports",
  "scenarios",
  "scripts",
  "settings",
  "tests/unit",
];

/**
 * End-to-end tests that judge what this machine does with time: how late a load generator was, how fast a target served. They
 * run one after another, once all others have ended; those run beside each other.
 */
const JUDGE_TIME = [
  ...["compare", "search"].map((name) => `tests/e2e/commands/${name}.test.ts`),
  ...["overloaded-target", "records", "saturation", "steadiness", "validity"].map(
    (name) => `tests/e2e/load/${name}.test.ts`,
  ),
];

/** Bounds that only a hang exceeds, on a busy machine of any speed. */
const BOUNDS = { testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 60_000 } } };
const setupFiles = ["tests/support/after-file.ts"];

/** Projects run in this order; each with so many files at the same time. */
const inTurn = (groupOrder: number, maxWorkers: number) => ({ sequence: { groupOrder }, maxWorkers });
const CPUS = availableParallelism();

/** Long files that are short texts: a clean checkout, which knows no durations yet, begins with the longest texts. */
const LONGEST = [
  "tests/faults/fault-matrix",
  "tests/system/release",
  "tests/e2e/attacks/hostile-clients",
  "tests/e2e/attacks/secrets",
  "tests/e2e/repository/docs",
  "tests/e2e/load/workload-scenarios",
  "tests/e2e/endings/k6-endings",
  "conformance/prove",
  "conformance/prove-service",
  "reports/compare/false-alarms",
  "reports/load/read/held-memory",
  "conformance/hostile-documents",
  "conformance/engine/conformance-run",
].map((name) => `/${name}.test.ts`);

/** Begins each project with its longest files, so that no worker is left alone with one at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification): boolean => LONGEST.some((name) => moduleId.endsWith(name));
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) => {
      const own = sorted.filter((file) => file.project === project);
      return [...own.filter(isLong), ...own.filter((file) => !isLong(file))];
    });
  }
}

/** A package has the configuration, for the suite that judges a target, and none of the tests. */
const SLOWEST_FILES = "./tests/support/slowest-files.ts";
const isCheckout = existsSync(new URL(SLOWEST_FILES, import.meta.url));

export default defineConfig({
  test: {
    reporters: ["default", ...(isCheckout ? [SLOWEST_FILES] : [])],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: "unit",
          setupFiles,
          include: UNIT.map((folder) => `${folder}/**/*.test.ts`),
          exclude: ["conformance/suite.test.ts", "**/node_modules/**"],
          // Files share what they import: mockttp and the faults took longer to load than most files to run.
          isolate: false,
          ...BOUNDS,
          ...inTurn(0, CPUS),
        },
      },
      // Their commands wait more than they compute.
      {
        test: {
          name: "e2e",
          setupFiles,
          isolate: false,
          include: ["tests/{e2e,faults}/**/*.test.ts"],
          exclude: JUDGE_TIME,
          ...BOUNDS,
          ...inTurn(1, CPUS + 1),
          maxConcurrency: 3,
        },
      },
      { test: { name: "time", setupFiles, include: JUDGE_TIME, ...BOUNDS, ...inTurn(2, 1) } },
      { test: { name: "system", setupFiles, include: ["tests/system/**/*.test.ts"], ...BOUNDS, ...inTurn(0, CPUS) } },
      // Every fault of the mock against the suite, and simulated comparisons by the thousand. The unit tests take a share of both;
      // with ASSAY_PROVE=faults all of the faults.
      {
        test: {
          name: "prove",
          setupFiles,
          include: [
            "conformance/prove.test.ts",
            "conformance/prove-service.test.ts",
            "reports/compare/false-alarms.test.ts",
            "reports/load/validity/steadiness.test.ts",
          ],
          env: { ASSAY_PROVE: "all" },
          ...BOUNDS,
          ...inTurn(0, CPUS),
        },
      },
      // Every command under every fault; the end-to-end tests take a share of them, or those that FAULT_MATRIX names.
      {
        test: {
          name: "faults",
          setupFiles,
          include: ["tests/faults/fault-matrix.test.ts"],
          env: { FAULT_MATRIX: process.env["FAULT_MATRIX"] ?? "all" },
          ...BOUNDS,
        },
      },
      // The suite that judges a target: `ASSAY_TARGET=… npx vitest run --project conformance`.
      { test: { name: "conformance", include: ["conformance/suite.test.ts"] } },
    ],
  },
});
