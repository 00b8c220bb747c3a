/** What a user calls a run, kept in its results: by this the runs of one kind are found again. Runs in Node and inside k6. */

import { isObject } from "../lib/json.ts";
import { type Codec, settingFor } from "./setting.ts";
import { UsageError } from "./usage-error.ts";
import { text } from "./values.ts";

/** Values by their names. */
export type Tags = Readonly<Record<string, string>>;

/** The name of a tag and what it may be compared with: neither holds a comma, by which tags are joined. */
const TAG = /^\s*([A-Za-z][\w./-]*)\s*=\s*([^,]*[^,\s])\s*$/;

/**
 * Reads `branch=main,team=search`; of two tags with one name the last counts.
 * @throws UsageError for one that is no name with a value
 */
export const parseTags = (given: string): Tags =>
  Object.fromEntries(
    given.split(",").map((entry) => {
      const [, name, value] = TAG.exec(entry) ?? [];
      if (name !== undefined && value !== undefined) return [name, value];
      throw new UsageError(
        `"${entry.trim()}" is not a tag; write NAME=VALUE such as branch=main, the name of letters, digits, ".", "/", "_" and "-"`,
      );
    }),
  );

/** Writes tags the way `parseTags` reads them. */
export const formatTags = (tags: Readonly<Record<string, unknown>>): string =>
  Object.entries(tags)
    .map(([name, value]) => `${name}=${value}`)
    .join(",");

const TAGS: Codec<Tags, "tags"> = {
  read: parseTags,
  write: formatTags,
  fromJson: (json) => parseTags(isObject(json) ? formatTags(json) : ""),
  placeholder: "name=value",
  form: "tags",
};

const label = settingFor("load", "search", "conformance", "proxy");

export const LABEL_SETTINGS = {
  name: label(text("text"), "what the run is called in its results; assay history shows runs of one name together", {
    concerns: "label",
  }),
  tag: label(TAGS, "kept in the results, such as branch=main; assay history --tag branch=main shows those only", {
    concerns: "label",
    repeatable: true,
  }),
};
