/** Which folder may import which, as in the table of CONTRIBUTING.md, and which room within a folder: `npm run check` enforces it. */

const TEST = "\\.test\\.ts$";
const SHIPPED =
  "^(lib|contract|formats|load|settings|conformance|proxy|route|mock-server|reports|scenarios|cli|toolchain|runs|scripts)/";

/** A rule: of `within`, these files import only what is `allowed`. */
const only = (name, from, within, allowed, comment) => ({
  name,
  comment,
  severity: "error",
  from: { path: from, pathNot: TEST },
  to: { path: within, pathNot: `^(${allowed.join("|")})` },
});

/** A folder imports itself, `lib/` and what is allowed. */
const folder = (name, allowed, comment) =>
  only(`${name}-imports`, `^${name}/`, SHIPPED, [`${name}/`, "lib/", ...allowed], comment);

/** Each room of a folder imports, of that folder, itself and the rooms that are listed for it. */
const rooms = (parent, table, comment) =>
  Object.entries(table).map(([room, allowed]) => {
    const name = `${parent.replace("/", "-")}-${room}-imports`;
    const files = [room, ...allowed].map((each) => `${parent}/${each}/`);
    return only(name, `^${parent}/${room}/`, `^${parent}/`, files, comment);
  });

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    folder("lib", [], "lib/ holds helpers that are independent of the service."),
    folder("contract", [], "contract/ describes the service and depends on nothing else."),
    folder(
      "formats",
      ["contract/", "settings/"],
      "formats/ describes the files of Assay, some of which hold settings.",
    ),
    folder(
      "load",
      ["contract/", "formats/(outcomes|records)\\.ts", "settings/"],
      "load/ says what a load is; of files it knows the enums, and the types of records.",
    ),
    folder(
      "settings",
      ["contract/(service|operations|own-headers)\\.ts"],
      "Settings are bundled into k6 as well: they import constants only.",
    ),
    folder(
      "conformance",
      ["contract/", "formats/", "settings/", "route/"],
      "conformance/ checks exchanges; it does not report, load or serve.",
    ),
    folder(
      "route",
      ["settings/usage-error\\.ts", "formats/outcomes\\.ts"],
      "route/ decides how an address is reached, for whoever sends there.",
    ),
    folder(
      "proxy",
      ["formats/"],
      "proxy/ passes traffic on and tells what it saw; what that means is not its concern.",
    ),
    folder(
      "mock-server",
      ["contract/", "formats/", "settings/"],
      "The mock implements the contract, independently of the code that checks and measures it.",
    ),
    folder("reports", ["contract/", "formats/", "load/", "settings/"], "Reports are pure functions of recorded data."),
    folder(
      "scenarios",
      ["contract/(service|operations|fields|check|values-at-path)\\.ts", "formats/", "load/", "settings/"],
      "Scenarios run inside k6: of the contract they import data.",
    ),
    {
      name: "scenarios-from-outside",
      comment: "scenarios/ is what runs inside k6: the command line and reports know the list of scenarios alone.",
      severity: "error",
      from: { path: "^(reports|cli|toolchain|runs|scripts)/", pathNot: TEST },
      to: { path: "^scenarios/", pathNot: "^scenarios/scenario-list\\.ts$" },
    },
    ...rooms(
      "load",
      {
        inputs: [],
        objectives: [],
        rules: ["inputs"],
        shape: ["rules", "inputs"],
        read: ["shape", "rules", "objectives", "inputs"],
      },
      "In load/: read -> shape -> rules -> inputs; read -> objectives.",
    ),
    ...rooms(
      "conformance",
      {
        model: [],
        judges: ["model"],
        probes: ["model"],
        builders: ["judges", "model"],
        clauses: ["builders", "judges", "probes", "model"],
        engine: ["clauses", "builders", "judges", "probes", "model"],
      },
      "In conformance/: engine -> clauses -> builders -> judges, probes -> model.",
    ),
    ...rooms(
      "mock-server",
      {
        base: [],
        timing: ["base"],
        variants: ["base"],
        service: ["timing", "variants", "base"],
        http: ["service", "timing", "variants", "base"],
      },
      "In mock-server/: http -> service -> timing, variants -> base.",
    ),
    ...rooms(
      "reports/load",
      {
        stats: [],
        read: ["stats"],
        metrics: ["read", "stats"],
        validity: ["metrics", "read", "stats"],
        views: ["validity", "metrics", "read", "stats"],
      },
      "In reports/load/: views -> validity -> metrics -> read -> stats.",
    ),
    folder(
      "cli",
      [
        "contract/",
        "formats/",
        "load/",
        "settings/",
        "route/",
        "conformance/",
        "reports/",
        "scenarios/scenario-list\\.ts",
      ],
      "cli/ is the command line of every command; scripts/ -> runs/ -> toolchain/ -> cli/.",
    ),
    folder(
      "toolchain",
      ["load/", "settings/", "cli/", "scenarios/scenario-list\\.ts"],
      "toolchain/ finds k6 and makes bundles; scripts/ -> runs/ -> toolchain/ -> cli/.",
    ),
    folder(
      "runs",
      [
        ...["contract/", "formats/", "load/", "settings/", "route/", "conformance/", "proxy/", "reports/"],
        ...["scenarios/scenario-list\\.ts", "cli/", "toolchain/"],
      ],
      "runs/ starts processes and writes result folders; scripts/ -> runs/ -> toolchain/ -> cli/.",
    ),
    ...rooms("runs", { tasks: [], views: [] }, "In runs/: the others -> tasks, views."),
    {
      name: "one-report-per-result",
      comment:
        "Reports of conformance and of load share the page and the text helpers, not each other's code; matrix/ is of conformance.",
      severity: "error",
      from: { path: "^reports/(conformance|load)/", pathNot: TEST },
      to: { path: "^reports/(conformance|load|calibration|matrix)/", pathNot: "^reports/$1/" },
    },
    {
      name: "no-command-imports",
      comment: "A command is thin: what two commands share stands in runs/ or cli/.",
      severity: "error",
      from: { path: SHIPPED, pathNot: TEST },
      to: { path: "^scripts/commands/" },
    },
    {
      name: "no-schemas-in-k6",
      comment: "k6 bundles the enums of formats/, not its schemas; types may be imported.",
      severity: "error",
      from: { path: "^(load|scenarios)/", pathNot: "\\.(test|d)\\.ts$" },
      to: { path: "^formats/", pathNot: "^formats/outcomes\\.ts$", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "once-per-process",
      comment:
        "What a virtual user imports exists once in each of them; scenarios/process/ and what it alone needs of load/ are made once per process.",
      severity: "error",
      from: { path: "^scenarios/", pathNot: ["^scenarios/(process/|process-state\\.ts$)", TEST] },
      to: {
        path: "^(scenarios/process/|load/(rules/|shape/|inputs/(histogram|vocabulary)-file))",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "no-node-in-k6",
      comment:
        "k6 has no Node API. lib/content-coding.ts and lib/redact.ts, which look into what is compressed, lib/own-files.ts, lib/text-file.ts and lib/yaml.ts are for Node alone.",
      severity: "error",
      from: {
        path: "^(lib|load|scenarios|settings|contract/)",
        pathNot: [TEST, "^lib/(content-coding|own-files|redact|text-file|yaml)\\.ts$"],
      },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "one-http-client",
      comment:
        "Below cli/, and outside mock-server/, only route/connections.ts makes connections; of conformance/, http-client.ts alone sends requests.",
      severity: "error",
      from: {
        path: "^(conformance|load|reports|contract|route|settings)/",
        pathNot: [TEST, "^(conformance/engine/http-client|route/connections)\\.ts$"],
      },
      to: { path: "node_modules/undici" },
    },
    {
      name: "one-place-starts-processes",
      comment: "Only scripts/, runs/, toolchain/ and cli/ start processes.",
      severity: "error",
      from: { path: SHIPPED, pathNot: ["^(cli|toolchain|runs|scripts)/", TEST] },
      to: { path: "^(node:)?child_process$" },
    },
    { name: "no-circular", severity: "error", from: {}, to: { circular: true } },
    { name: "not-to-unresolvable", severity: "error", from: {}, to: { couldNotResolve: true, pathNot: "^k6" } },
    {
      name: "no-test-imports",
      comment: "Shipped code imports neither tests nor benchmarks.",
      severity: "error",
      from: { path: SHIPPED, pathNot: TEST },
      to: { path: ["\\.test\\.ts$", "^(tests|bench)/"] },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^extension/" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default"],
      extensions: [".ts", ".mjs", ".js"],
    },
  },
};
