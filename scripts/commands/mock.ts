/** `assay mock`: runs the bundled mock until a signal ends it. */

import { dirname, join } from "node:path";
import { Command } from "commander";
import { apiKeyVariables } from "../../cli/api-keys.ts";
import { type CommonFlags, resolveSettings, withSettings } from "../../cli/command-settings.ts";
import { notify, print, printResult } from "../../cli/console.mjs";
import { removeWhenEnded } from "../../cli/folder-guard.ts";
import { createResultFolder } from "../../cli/result-folder.ts";
import { FILES } from "../../formats/file-names.ts";
import { watchLateness } from "../../mock-server/timing/lateness-watch.ts";
import { TIMING_ROWS } from "../../mock-server/timing/timings.ts";
import { FAULTS, PERMITTED } from "../../mock-server/variants/all-variants.ts";

interface MockFlags extends CommonFlags, Readonly<Record<string, unknown>> {
  readonly listFaults?: boolean;
}

export const command = withSettings(new Command("mock"), "mock")
  .option("--list-faults", "print every timing, permitted variant and fault, then exit")
  .action(async (flags: MockFlags) => {
    if (flags.listFaults) print(catalogue());
    else await serve(flags);
  });

async function serve(flags: MockFlags): Promise<void> {
  const { values } = resolveSettings("mock", flags);
  const { port, host, timing, behaviour, seed, ttft, itl, outputTokens, work } = values;
  const groundTruthFile =
    values.ledger ?? (flags.out === undefined ? undefined : join(createResultFolder(flags.out, "mock"), FILES.ledger));
  const key = values.apiKeyEnv === undefined ? undefined : apiKeyVariables(values.apiKeyEnv)["ASSAY_API_KEY"];
  const signalled = firstSignal();
  const { startMock } = await import("../../mock-server/index.ts");
  const mock = await startMock({
    port,
    host,
    timing,
    behaviour,
    seed,
    faults: values.fault ?? [],
    ...(ttft !== undefined && { ttftMs: ttft }),
    ...(itl !== undefined && { itlMs: itl }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...(work !== undefined && { workMs: work }),
    tls: values.tls ?? false,
    metrics: values.metrics ?? false,
    ...(values.slots !== undefined && { capacity: values.slots }),
    ...(groundTruthFile !== undefined && { groundTruthFile }),
    ...(key !== undefined && { apiKeys: [key] }),
  });
  if (mock.caFile !== undefined) {
    removeWhenEnded(dirname(mock.caFile));
    print(`ca ${mock.caFile}\n`);
  }
  if (mock.saturation !== undefined) print(`${mock.saturation}\n`);
  printResult(`ready ${mock.url}\n`, () => ({ ready: mock.url }));
  if (!flags.quiet) notify("Stop it with Ctrl-C.");
  const endWatch = watchLateness(mock.recentLateness, notify);
  await signalled;
  endWatch();
  await mock.stop();
}

/** Resolves at a signal; from the call on none of them ends the process itself. */
const firstSignal = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
  });

const catalogue = (): string =>
  [section("Timings", TIMING_ROWS), section("Permitted variants", PERMITTED), section("Faults", FAULTS)].join("\n");

function section(title: string, entries: readonly { readonly name: string; readonly about: string }[]): string {
  const width = Math.max(...entries.map(({ name }) => name.length));
  return `${title}\n${entries.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}\n`).join("")}`;
}
