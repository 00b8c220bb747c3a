/** Judges of the members of responses by the table of the interface, `contract/openai-interface.ts`. */

import { violationOf } from "../../contract/check.ts";
import type { Member } from "../../contract/openai-interface.ts";
import { valuesAt } from "../../contract/values-at-path.ts";
import type { Exchange } from "../../formats/exchanges.ts";
import { describe, isObject } from "../../lib/json.ts";
import { brokenAlready, holds, inconclusive } from "../model/findings.ts";
import type { Judged } from "./acceptance.ts";
import { documentOf } from "./json-path.ts";
import { chunksOf } from "./stream-events.ts";

/** A member that is not as the interface states it. */
interface Departure {
  readonly expected: string;
  readonly observed: string;
}

/** The values at the path of a member, also where it is left out: in each object that should hold it. */
function placesOf(root: unknown, path: string): readonly { readonly at: string; readonly value: unknown }[] {
  const end = path.lastIndexOf(".");
  const parents = end < 0 ? [{ at: "", value: root }] : valuesAt(root, path.slice(0, end));
  const name = path.slice(end + 1);
  return parents.flatMap(({ at, value }) =>
    isObject(value) ? [{ at: at === "" ? name : `${at}.${name}`, value: value[name] }] : [],
  );
}

/** How a member departs from the interface; undefined where it does not, or where that is of the other level. */
function departureOf(root: unknown, member: Member, level: "FAIL" | "WARN"): Departure | undefined {
  const { path, absent, nullable } = member;
  for (const { at, value } of placesOf(root, path)) {
    if (value === undefined || value === null) {
      if (absent === level && !(value === null && nullable))
        return {
          expected: `${path} to be there`,
          observed: value === null ? `sent ${at} as null` : `left out ${at}`,
        };
      continue;
    }
    const violation = level === "FAIL" ? violationOf(member, value) : undefined;
    if (violation !== undefined)
      return { expected: `${path} to be ${violation.expected}`, observed: `sent ${at} as ${describe(value)}` };
  }
  return undefined;
}

/** Every member in every value is as the interface states it; all that are not are named. */
function membersFit(roots: readonly unknown[], members: readonly Member[], level: "FAIL" | "WARN"): Judged {
  if (roots.length === 0) return inconclusive("the response holds no JSON object");
  const departures = members.flatMap((member) => {
    for (const root of roots) {
      const found = departureOf(root, member, level);
      if (found !== undefined) return [found];
    }
    return [];
  });
  if (departures.length === 0) return holds(`${members.length} members were as the interface states them`);
  const list = (texts: readonly string[]): string => texts.join("; ");
  return brokenAlready(
    `the OpenAI-compatible interface requires ${list(departures.map(({ expected }) => expected))}`,
    `the target ${list(departures.map(({ observed }) => observed))}`,
  );
}

/** The members of a response that the specification does not state are as the interface states them. */
export const hasMembers =
  (members: readonly Member[]) =>
  (exchange: Exchange | undefined): Judged =>
    membersFit(
      [documentOf(exchange)].filter(isObject),
      members.filter(({ stated }) => !stated),
      "FAIL",
    );

/** So are the members of each chunk of a stream. */
export const chunksHaveMembers =
  (members: readonly Member[], level: "FAIL" | "WARN") =>
  (exchange: Exchange | undefined): Judged =>
    membersFit(chunksOf(exchange).filter(isObject), members, level);
