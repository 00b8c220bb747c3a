/** A setting of a load is one row of its table: help, files, `load.json`, records and comparisons take it from there. */

import { Command } from "commander";
import { expect, test } from "vitest";
import { loadMembers } from "../formats/load.ts";
import { recordedSettings } from "../formats/records.ts";
import { MEMBERS, settingsFile } from "../load/read/workload-form.ts";
import { differencesOf } from "../load/shape/same-load.ts";
import { LOAD_SETTINGS } from "../settings/load/load-table.ts";
import { type Setting, settingFlag, settingKey } from "../settings/setting.ts";
import { rareSettingsTopic, withSettings } from "./command-settings.ts";

const namesIn = (command: Command): readonly string[] => command.options.map((option) => option.attributeName());
const FLAGS = namesIn(withSettings(new Command("load"), "load", "search"));
const RARE = namesIn(rareSettingsTopic());

// The weights of a mix become those of its workloads before anything is written.
const rows = Object.entries<Setting>(LOAD_SETTINGS).filter(([name]) => name !== "mix");

test.each(rows)("%s needs its row alone", (name, row) => {
  const key = settingKey(name);
  expect([FLAGS.includes(name), RARE.includes(name)]).toEqual([row.rare !== true, row.rare === true]);
  expect(Object.keys(settingsFile.shape)).toContain(key);
  expect(name === "workload" || MEMBERS.file.includes(key)).toBe(true);
  expect(Object.keys(loadMembers)).toContain(name);
  expect(Object.keys(recordedSettings.shape)).toContain(name);
  // Workloads are compared member by member.
  if (name === "workload" || name === "header" || name === "arrival") return;
  const changed = JSON.parse(JSON.stringify({ [name]: "value" }));
  expect(differencesOf({}, changed, []).map(({ setting }) => setting)).toEqual([settingFlag(name, row)]);
});
