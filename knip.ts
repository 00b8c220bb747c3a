import type { KnipConfig } from "knip";
import { SCENARIOS } from "./scenarios/scenario-list.ts";
import { ENTRIES } from "./toolchain/installed.mjs";

export default {
  entry: [
    "scripts/{assay,setup,go-test}.mjs",
    ...ENTRIES,
    "scripts/commands/*.ts",
    "runs/load/{count-words-thread,write-table-rows}.mjs",
    "scenarios/steps/prime.ts",
    "runs/proxy/{forwarding,traffic}-process.mjs",
    `scenarios/{${Object.keys(SCENARIOS).join(",")},index}.ts`,
    "conformance/clauses/*.ts",
    "mock-server/index.ts",
    "tests/e2e/attacks/flood-main.ts",
    "bench/{bench-load,bench-mock,bench-peers,run-soak,server-main}.ts",
  ],
  project: ["**/*.{ts,mjs,cjs}"],
  ignoreDependencies: ["k6"],
  ignoreBinaries: ["chrt", "fish", "go", "gofmt", "kubectl", "mount", "script", "taskset", "umount", "wait"],
  ignoreExportsUsedInFile: true,
} satisfies KnipConfig;
