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

const LONG = { testTimeout: 180_000, hookTimeout: 180_000 };
const setupFiles = ["tests/support/remove-folders.ts"];

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
        },
      },
      { test: { name: "e2e", setupFiles, include: ["tests/{e2e,faults}/**/*.test.ts"], ...LONG } },
      { test: { name: "system", setupFiles, include: ["tests/system/**/*.test.ts"], ...LONG } },
      // Every fault of the mock against the suite; the unit tests take a share of them.
      { test: { name: "prove", setupFiles, include: ["conformance/prove.test.ts"], env: { ASSAY_PROVE: "all" } } },
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
