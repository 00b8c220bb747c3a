import type { KnipConfig } from "knip";
import { SCENARIOS } from "./scenarios/scenario-list.ts";

export default {
  entry: [
    "scripts/{assay,setup,go-test}.mjs",
    "scripts/commands/*.ts",
    "scripts/proxy/traffic-thread.mjs",
    `scenarios/{${Object.keys(SCENARIOS).join(",")},index}.ts`,
    "scenarios/stock/k6-x-assay.ts",
    "conformance/clauses/*.ts",
    "mock-server/index.ts",
    "tests/support/flood-main.ts",
    "bench/{bench-load,bench-mock,bench-peers,run-soak,server-main}.ts",
  ],
  project: ["**/*.{ts,mjs,cjs}"],
  ignoreDependencies: ["k6"],
  ignoreBinaries: ["go", "gofmt", "mount", "taskset", "umount"],
  ignoreExportsUsedInFile: true,
} satisfies KnipConfig;
