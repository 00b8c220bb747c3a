import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const UNIT = [
  "contract",
  "formats",
  "lib",
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
const JUDGE_TIME = ["compare", "load", "overloaded-target", "records", "saturation", "search", "validity"].map(
  (name) => `tests/e2e/${name}.test.ts`,
);

/** Bounds that only a hang exceeds, on a busy machine of any speed. */
const BOUNDS = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 60_000 } } };
const LONG = { ...BOUNDS, testTimeout: 600_000, hookTimeout: 600_000 };
const setupFiles = ["tests/support/remove-folders.ts"];

/** Projects run in this order; each with so many files at the same time. */
const inTurn = (groupOrder: number, maxWorkers: number) => ({ sequence: { groupOrder }, maxWorkers });
const CPUS = availableParallelism();

export default defineConfig({
  test: {
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
          include: ["tests/{e2e,faults}/**/*.test.ts"],
          exclude: JUDGE_TIME,
          ...LONG,
          ...inTurn(1, CPUS),
          maxConcurrency: 3,
        },
      },
      { test: { name: "time", setupFiles, include: JUDGE_TIME, ...LONG, ...inTurn(2, 1) } },
      { test: { name: "system", setupFiles, include: ["tests/system/**/*.test.ts"], ...LONG } },
      // Every fault of the mock against the suite, and simulated comparisons by the thousand; the unit tests take a share of them.
      {
        test: {
          name: "prove",
          setupFiles,
          include: ["conformance/prove.test.ts", "reports/compare/false-alarms.test.ts"],
          env: { ASSAY_PROVE: "all" },
          ...LONG,
          ...inTurn(0, CPUS),
        },
      },
      // Every command under every fault; the end-to-end tests take a share of them.
      {
        test: {
          name: "faults",
          setupFiles,
          include: ["tests/faults/fault-matrix.test.ts"],
          env: { FAULT_MATRIX: process.env["FAULT_MATRIX"] ?? "all" },
          ...LONG,
        },
      },
      // The suite that judges a target: `ASSAY_TARGET=… npx vitest run --project conformance`.
      { test: { name: "conformance", include: ["conformance/suite.test.ts"] } },
    ],
  },
});
