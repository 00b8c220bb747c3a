/** Who may import whom: the table of folders in CONTRIBUTING.md, enforced by `npm run check`. */

const ours = "^(lib|contract|formats|settings|conformance|mock-server|reports|scenarios|scripts)/";
const may = (folder, allowed, comment) => ({
  name: `${folder}-imports`,
  comment,
  severity: "error",
  from: { path: `^${folder}/`, pathNot: "\\.test\\.ts$" },
  to: { path: ours, pathNot: `^(${[folder, "lib", ...allowed].join("|")})` },
});

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    may("lib", [], "The kernel knows nothing of the service."),
    may("contract", [], "The contract stands alone."),
    may("formats", ["contract/"], "Formats know the contract and nothing else."),
    may(
      "settings",
      ["contract/service\\.ts", "formats/outcomes\\.ts"],
      "Settings also run inside k6: they know the service's constants only.",
    ),
    may(
      "conformance",
      ["contract/", "formats/", "settings/"],
      "Conformance judges; it does not report, load or serve.",
    ),
    may("mock-server", ["contract/", "formats/", "settings/"], "The mock serves the contract and nothing else."),
    may(
      "reports",
      ["contract/", "formats/", "settings/", "scenarios/metrics\\.ts"],
      "Reports are functions of recorded data.",
    ),
    may(
      "scenarios",
      ["contract/(service|fields|check|paths)\\.ts", "formats/", "settings/"],
      "Scenarios run inside k6: no Node.",
    ),
    {
      name: "no-schemas-in-k6",
      comment: "Of formats/, k6 holds the plain enums; the rest are types.",
      severity: "error",
      from: { path: "^scenarios/", pathNot: "\\.(test|d)\\.ts$" },
      to: { path: "^formats/", pathNot: "^formats/outcomes\\.ts$", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "no-node-in-k6",
      comment: "k6 has no Node API.",
      severity: "error",
      from: { path: "^(lib|scenarios|settings|contract/)", pathNot: "\\.test\\.ts$" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "one-http-client",
      comment: "Only conformance/engine/http-client.ts and what cancels tasks for the command line do HTTP.",
      severity: "error",
      from: {
        path: "^(conformance|reports|contract|settings)/",
        pathNot: ["\\.test\\.ts$", "^conformance/engine/http-client\\.ts$"],
      },
      to: { path: "node_modules/undici" },
    },
    {
      name: "one-place-starts-processes",
      comment: "Only scripts/ starts processes.",
      severity: "error",
      from: { path: ours, pathNot: ["^scripts/", "\\.test\\.ts$"] },
      to: { path: "^(node:)?child_process$" },
    },
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    { name: "not-to-unresolvable", severity: "error", from: {}, to: { couldNotResolve: true, pathNot: "^k6" } },
    {
      name: "no-test-imports",
      comment: "Nothing that is shipped imports a test.",
      severity: "error",
      from: { pathNot: "\\.test\\.ts$|^tests/" },
      to: { path: "\\.test\\.ts$|^tests/" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^scenarios/extension/" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default"],
      extensions: [".ts", ".mjs", ".js"],
    },
  },
};
