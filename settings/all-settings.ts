/** Every setting of Assay, and which command takes which: flags, variables and keys of assay.yaml derive from here. */

import { CONFORMANCE_SETTINGS } from "./conformance-table.ts";
import { K8S_SETTINGS } from "./k8s-table.ts";
import { LOAD_SETTINGS } from "./load/load-table.ts";
import { MOCK_SETTINGS } from "./mock-table.ts";
import { OBSERVE_SETTINGS } from "./observe-table.ts";
import { SEARCH_SETTINGS } from "./search-table.ts";
import { inGroup, rareSettingFor, type Settings, type SettingsCommand, settingFor } from "./setting.ts";
import { COUNT, DURATION, FILE, LIMITS, text, texts } from "./values.ts";

/** What the command line uses itself. */
const COMMAND_LINE_SETTINGS = {
  ...inGroup("Connection", {
    apiKeyEnv: settingFor(
      "init",
      "load",
      "search",
      "conformance",
      "mock",
      "calibrate",
      "clean-up",
    )(text("name"), "environment variable that holds the API key (assay mock: the only one that it accepts)"),
    waitFor: settingFor(
      "init",
      "load",
      "search",
      "conformance",
      "proxy",
    )(DURATION, "wait until a run can start on the target, such as one that is being deployed, for at most this long", {
      besideK6: "Assay waits before it starts k6. Start the other k6 once the target is ready.",
    }),
  }),
  ...inGroup("Load", {
    repeat: settingFor("load")(COUNT, "run the load N times, each with a seed of its own, and report the spread", {
      default: "1",
      besideK6: "Assay starts one run after another itself. Start the other k6 as often as needed.",
    }),
    repeatPause: rareSettingFor("load")(DURATION, "time between two runs of a load that is repeated", {
      default: "5s",
      besideK6: "Assay starts one run after another itself. Start the other k6 as often as needed.",
    }),
  }),
  maxRegression: settingFor("compare")(
    LIMITS,
    "how much worse the new runs may be: 5% for all metrics, or ttft_p99=10% for one; percentage points for error_rate and goodput_share",
    { repeatable: true, defaultNote: "5%; error_rate=1%, goodput_share=1%" },
  ),
  gate: settingFor("compare")(texts("list"), "compare these metrics only, such as ttft_p99,error_rate", {
    repeatable: true,
    defaultNote: "p50 and p95 of the latencies, error_rate, requests_per_s, and goodput_share if it is defined",
  }),
  groundTruth: settingFor("calibrate")(FILE, "file in which a target of your own records when it sent each chunk", {
    insteadOf: "ledger",
  }),
};

export const SETTINGS = {
  ...LOAD_SETTINGS,
  ...SEARCH_SETTINGS,
  ...CONFORMANCE_SETTINGS,
  ...MOCK_SETTINGS,
  ...OBSERVE_SETTINGS,
  ...K8S_SETTINGS,
  ...COMMAND_LINE_SETTINGS,
} satisfies Settings;

type Taken<C> = {
  [K in keyof typeof SETTINGS]: C extends (typeof SETTINGS)[K]["for"][number] ? K : never;
}[keyof typeof SETTINGS];

/** The settings that a command takes. */
export type SettingsFor<C extends SettingsCommand> = Pick<typeof SETTINGS, Taken<C>>;

/** The settings that a command takes. */
export const settingsFor = <C extends SettingsCommand>(command: C): SettingsFor<C> =>
  Object.fromEntries(
    Object.entries<Settings[string]>(SETTINGS).filter(([, entry]) => entry.for.includes(command)),
  ) as SettingsFor<C>;
