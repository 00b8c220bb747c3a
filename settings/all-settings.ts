/** Every setting of Assay, and which command takes which: flags, variables and keys of assay.yaml derive from here. */

import { CONFORMANCE_SETTINGS } from "./conformance-table.ts";
import { LOAD_SETTINGS } from "./load-table.ts";
import { MOCK_SETTINGS } from "./mock-table.ts";
import { type Settings, type SettingsCommand, settingFor } from "./setting.ts";
import { SEGMENT, text } from "./values.ts";

/** What the command line uses itself. */
const COMMAND_LINE_SETTINGS = {
  apiKeyEnv: settingFor(
    "load",
    "conformance",
    "mock",
    "calibrate",
    "clean-up",
  )(text("name"), "environment variable that holds the API key (assay mock: the only one that it accepts)"),
  segment: settingFor("load")(
    SEGMENT,
    "run one part of a load that n machines share, such as 2/4; assay report merges them",
  ),
  groundTruth: settingFor("calibrate")(
    text("file"),
    "file in which a target of your own records when it sent each chunk",
    { insteadOf: "ledger" },
  ),
};

export const SETTINGS = {
  ...LOAD_SETTINGS,
  ...CONFORMANCE_SETTINGS,
  ...MOCK_SETTINGS,
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
