import { defineConfig } from "vitest/config";

const UNIT = [
  "contract",
  "formats",
  "lib",
  "conformance",
  "mock-server",
  "reports",
  "scenarios",
  "scripts",
  "settings",
  "tests/unit",
];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: UNIT.map((folder) => `${folder}/**/*.test.ts`),
          exclude: ["conformance/suite.test.ts", "**/node_modules/**"],
          // Files share what they import: mockttp and the faults took longer to load than most files to run.
          isolate: false,
        },
      },
      { test: { name: "e2e", include: ["tests/e2e/**/*.test.ts"], testTimeout: 180_000, hookTimeout: 180_000 } },
      { test: { name: "system", include: ["tests/system/**/*.test.ts"], testTimeout: 180_000, hookTimeout: 180_000 } },
      // Every fault of the mock against the suite; the unit tests take a share of them.
      { test: { name: "prove", include: ["conformance/prove.test.ts"], env: { ASSAY_PROVE: "all" } } },
      // The suite that judges a target: `ASSAY_TARGET=… npx vitest run --project conformance`.
      { test: { name: "conformance", include: ["conformance/suite.test.ts"] } },
    ],
  },
});
