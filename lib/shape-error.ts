/** What zod found wrong with a value that somebody wrote, in words. */

import type { z } from "zod";

const KINDS: Readonly<Record<string, string>> = {
  array: "a list",
  object: "names with values",
  record: "names with values",
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
};

/**
 * The first thing that is wrong with a value, as a reason such as `entry 2: reason is missing`.
 */
export function shapeError({ issues }: z.ZodError): string {
  // A member with another name is why one is missing.
  const issue = issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];
  if (issue === undefined) return "its shape is wrong";
  const path = issue.path.map((step) => (typeof step === "number" ? `entry ${step + 1}` : String(step)));
  const [name = "it"] = path.splice(-1);
  const place = path.length === 0 ? "" : `${path.join(", ")}: `;
  switch (issue.code) {
    case "invalid_type": {
      if (issue.message.endsWith("received undefined")) return `${place}${name} is missing`;
      const kind = KINDS[issue.expected] ?? issue.expected;
      return `${place}${name} is not ${kind}`;
    }
    case "invalid_value":
      return `${place}${name} is not ${issue.values.map((value) => JSON.stringify(value)).join(" or ")}`;
    case "unrecognized_keys":
      return `${[...path, ...(issue.path.length === 0 ? [] : [name])].map((step) => `${step}: `).join("")}"${issue.keys[0]}" is not known there`;
    case "invalid_union":
      return `${place}${name} is not of a kind that it can have`;
    case "invalid_format":
      if (issue.format === "date") return `${place}${name} is not a date such as 2027-01-31`;
      return `${place}${name}: ${issue.message}`;
    case "too_small":
      return `${place}${name} is ${issue.origin === "string" ? "empty" : "too small"}`;
    default:
      return `${place}${name}: ${issue.message}`;
  }
}
