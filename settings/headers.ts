/** Further request headers, whose values the environment holds. Pure: runs in Node and inside k6. */

import type { HeaderSource } from "./parse.ts";
import { UsageError } from "./usage-error.ts";

/**
 * The headers by name, in lower case.
 * @throws UsageError when a header's environment variable is not set or empty
 */
export function headersFrom(
  sources: readonly HeaderSource[] | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { name, variable } of sources ?? []) {
    const value = env[variable];
    if (value === undefined || value === "") {
      throw new UsageError(
        `Cannot send the header ${name}: the environment variable ${variable} is not set. Set it, or leave the header out.`,
      );
    }
    headers[name.toLowerCase()] = value;
  }
  return headers;
}
