/** Parses JSON that a target sent. Pure. */

import { parseJson } from "../../lib/json.ts";
import { beyondLimits, DEEPEST } from "../../lib/json-limits.ts";

/** k6's parser calls itself for each level: a megabyte of brackets would exhaust the stack of the process. */
const LIMITS = { depth: DEEPEST };

/** The value that a text holds; undefined when it is not JSON, or nested too deep. */
export const parseResponse = (text: string): unknown =>
  beyondLimits(text, LIMITS) === undefined ? parseJson(text) : undefined;

/** Why a text could not be parsed, after "it is". */
export const jsonFault = (text: string): string => beyondLimits(text, LIMITS) ?? "not JSON";
