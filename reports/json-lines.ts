/** Reading JSON lines one by one; a damaged line is distinguished from a last line that was cut off. */

import { z } from "zod";

/** A line of a file that is no text, or too much of it. */
export interface UnreadableLine {
  /** Why, such as `longer than 64 MiB`. */
  readonly unreadable: string;
}

export type Lines = Iterable<string | UnreadableLine> | AsyncIterable<string | UnreadableLine>;

/** What a reader of lines throws for a value that has the right shape, and cannot be. */
export class LineError extends Error {
  override readonly name = "LineError";
}

/** Damage of a file of JSON lines; empty and undefined when there is none. */
export interface Damage {
  /** One sentence per damaged line, for the first few of them. */
  readonly problems: string[];
  /** Number of damaged lines. */
  count: number;
  /** The last line was half written: its writer was killed. */
  cutOff: boolean;
}

const SHOWN_PROBLEMS = 3;

/**
 * Calls `take` with every JSON value of `lines`. `take` throws a `ZodError` for a value of the wrong shape, a `LineError` for
 * another one that is wrong.
 * A last line that is not JSON counts as cut off, any other unreadable line as damage.
 */
export async function readLines(name: string, lines: Lines, take: (value: unknown) => void): Promise<Damage> {
  const damage: Damage = { problems: [], count: 0, cutOff: false };
  let number = 0;
  let pending: string | undefined;
  const report = (problem: string) => {
    damage.count += 1;
    if (damage.problems.length < SHOWN_PROBLEMS) damage.problems.push(problem);
  };
  for await (const line of lines) {
    if (pending !== undefined) report(pending);
    pending = undefined;
    number += 1;
    if (typeof line !== "string") {
      report(`${name}, line ${number}: ${line.unreadable}`);
      continue;
    }
    if (line.trim() === "") continue;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      pending = `${name}, line ${number}: not JSON (it starts with ${JSON.stringify(line.trim().slice(0, 24))})`;
      continue;
    }
    try {
      take(value);
    } catch (error) {
      if (!(error instanceof z.ZodError || error instanceof LineError)) throw error;
      report(`${name}, line ${number}: ${error instanceof LineError ? error.message : describe(error)}`);
    }
  }
  damage.cutOff = pending !== undefined;
  return damage;
}

function describe(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return "its shape is wrong";
  const path = issue.path.map(String).join(".");
  return path === "" ? issue.message : `${path}: ${issue.message}`;
}
