/** Checks a stream of JSON lines by the rules of the extension: what a line contains is not specified, except for an error. Pure. */

import { SIZE_LIMITS } from "../../formats/outcomes.ts";
import { excerpt, quote } from "./detail-text.ts";
import { errorObject, malformed, NO_BYTE, type Problem, problem, tooLarge } from "./problems.ts";
import { jsonFault, parseResponse } from "./response-json.ts";

/**
 * What is wrong with the lines; undefined when nothing is.
 * @param whole false for an incomplete body: then only complete lines count
 */
export function linesProblem(body: string, whole: boolean): Problem | undefined {
  const parts = body.split("\n");
  const last = trimLine(parts.pop() ?? "");
  const lines = parts.map(trimLine).filter((line) => line !== "");
  for (const [index, line] of lines.entries()) {
    if (line.length > SIZE_LIMITS.event) return tooLarge(`A line is longer than ${SIZE_LIMITS.event} bytes.`);
    if (parseResponse(line) === undefined) return index === 0 ? spreadProblem(body, whole) : noJson(line);
    const error = errorObject(line, IN_LINE);
    if (error !== undefined) return error;
  }
  return whole ? (lastProblem(last) ?? (body === "" ? NO_BYTE : undefined)) : undefined;
}

const IN_LINE = "A line contains an error";
const noJson = (line: string): Problem => malformed(`A line is ${jsonFault(line)}: ${excerpt(line)}`);

/** A single value may be spread over several lines. */
const spreadProblem = (body: string, whole: boolean): Problem | undefined =>
  whole
    ? (errorObject(body, "The stream is an error object") ??
      malformed(`The stream is not JSON lines; it starts with ${quote(body)}.`))
    : undefined;

/** The line after the last line end. */
const lastProblem = (line: string): Problem | undefined =>
  line === "" || parseResponse(line) !== undefined
    ? errorObject(line, IN_LINE)
    : problem("truncated", `The stream ended within a line: ${quote(line)}.`);

/** Without white space, a byte order mark, and the record separator of application/json-seq. */
const trimLine = (line: string): string =>
  line
    .replace(/^\uFEFF/, "")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the record separator is one.
    .replace(/^[\x1e\r\n\t ]+|[\x1e\r\n\t ]+$/g, "");
