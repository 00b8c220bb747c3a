/** `assay demo`: a conformance run and a load of every scenario against the bundled mock, in one report. */

import { join } from "node:path";
import { Command } from "commander";
import { type CommonFlags, flagsFor, withSettings } from "../../cli/command-settings.ts";
import { coloured, type Progress, print, progressOn } from "../../cli/console.mjs";
import { EXIT, worst } from "../../cli/exit-codes.ts";
import { nextLine } from "../../cli/next-command.ts";
import { createResultFolder, writeWhole } from "../../cli/result-folder.ts";
import { TOOL } from "../../cli/tool.mjs";
import { FILES } from "../../formats/file-names.ts";
import type { RunResult } from "../../formats/run.ts";
import { FAILING_PROMPT } from "../../mock-server/service/failing-prompt.ts";
import { type DemoStep, demoSteps } from "../../reports/demo-steps.ts";
import { loadLine } from "../../reports/load/views/one-line.ts";
import { overviewHtml } from "../../reports/overview.ts";
import { checkTarget } from "../../runs/conformance/check-target.ts";
import { planConformance } from "../../runs/conformance/run-conformance.ts";
import { measureLoad } from "../../runs/load/measure-load.ts";
import { planLoad } from "../../runs/load/plan-load.ts";
import { conformanceLines } from "../../runs/views/conformance-views.ts";
import { SCENARIOS } from "../../scenarios/scenario-list.ts";
import { k6ForLoads } from "../../toolchain/k6.ts";

const CONFORMANCE = "conformance";
const KEY = "key-of-the-demo";
/** The demo ignores the user's settings, so that it is the same everywhere. */
const SOURCES = { env: { ASSAY_API_KEY: KEY } };

const CHECK = { video: true, pollInterval: "50ms", maxVideoJobs: "16", failingPrompt: FAILING_PROMPT } as const;

/** What the demo did, as commands for a mock that the reader starts. */
function stepsOf(
  conformance: NonNullable<DemoStep["outcome"]>,
  loads: readonly { readonly result: RunResult; readonly href: string }[],
): DemoStep[] {
  const port = 8080;
  const target = `--target http://127.0.0.1:${port}`;
  return [
    { title: "Start the bundled mock", command: `assay mock --timing fast --port ${port}` },
    {
      title: "Check it against every statement of the specification",
      command: `assay conformance ${target} ${flagsFor("conformance", CHECK)}`,
      outcome: conformance,
    },
    ...loads.map(({ result, href }) => ({
      title: `Load it with ${result.scenario}`,
      command: `assay load ${result.scenario} ${target} ${flagsFor("load", SCENARIOS[result.scenario]?.demo ?? {})}`,
      outcome: { result, href },
    })),
  ];
}

export const command = withSettings(new Command("demo")).action(async (flags: CommonFlags) => {
  process.exitCode = await demo(flags);
});

async function demo(flags: CommonFlags): Promise<number> {
  const progress = progressOn(flags.quiet);
  const folder = createResultFolder(flags.out, "demo");
  await k6ForLoads();
  const { startMock } = await import("../../mock-server/index.ts");
  const mock = await startMock({ timing: "fast", apiKeys: [KEY] });
  try {
    return await checkAndLoad(mock.url, folder, progress);
  } finally {
    await mock.stop();
  }
}

async function checkAndLoad(target: string, folder: string, progress: Progress): Promise<number> {
  progress.say("Checking the bundled mock against every statement of the specification …");
  const checked = { target, ...CHECK };
  const conformanceFolder = createResultFolder(join(folder, CONFORMANCE), CONFORMANCE);
  const conformance = await checkTarget(await planConformance(checked, SOURCES), conformanceFolder, progress);
  print(`${await conformanceLines(join(folder, CONFORMANCE), conformance)}\n`);

  const loads: { result: RunResult; href: string }[] = [];
  for (const [scenario, { demo: load }] of Object.entries(SCENARIOS)) {
    if (conformance.finishedAt === undefined || loads.at(-1)?.result.interrupted) break;
    progress.say(`Loading it with ${scenario} …`);
    const loadFolder = createResultFolder(join(folder, scenario), scenario);
    const { run: result, leave } = await measureLoad(
      planLoad(scenario, { target, ...load }, SOURCES),
      loadFolder,
      progress,
    );
    print(`${loadLine(result, { colour: coloured() })}\n`);
    loads.push({ result, href: `${scenario}/run.html` });
    if (leave) break;
  }
  const judgement = { result: conformance, href: `${CONFORMANCE}/conformance.html` };
  const report = writeWhole(
    folder,
    FILES.index,
    overviewHtml({
      title: "Assay demo",
      conformance: judgement,
      loads,
      tool: TOOL,
      intro: demoSteps(stepsOf(judgement, loads)),
    }),
  );
  print(`\nReport: ${report}\n${nextLine("assay conformance --target https://inference.example")}`);
  const unfinished = loads.length < Object.keys(SCENARIOS).length ? [EXIT.inconclusive] : [];
  return worst([conformance.exitCode, ...loads.map(({ result }) => result.exitCode), ...unfinished]);
}
