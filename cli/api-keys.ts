/** The API keys, which come by environment variables alone. */

import { SHORTEST_SECRET } from "../lib/secret-forms.ts";
import { isHeaderValue } from "../settings/headers.ts";
import { UsageError } from "../settings/usage-error.ts";

/** Sent when the user gives no key: the specification requires a key with every request, and many targets take any. */
export const PLACEHOLDER_KEY = "assay-no-key";

/** A line for the user when requests carry no real key, or one that is too short to be kept out of texts. */
export function keyNotice(keys: Readonly<Record<string, string>>): string | undefined {
  if (keys["ASSAY_API_KEY"] === PLACEHOLDER_KEY) {
    return `No API key in ASSAY_API_KEY: sending the placeholder "${PLACEHOLDER_KEY}".`;
  }
  const isShort = Object.values(keys).some((all) => all.split(",").some((key) => key.trim().length < SHORTEST_SECRET));
  return isShort
    ? `Short API key (fewer than ${SHORTEST_SECRET} characters): it cannot be redacted from response text.`
    : undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The API key in a variable, or several with commas; undefined when it is not set. @throws UsageError when it cannot be one */
export function keyIn(variable: string, env: Environment = process.env): string | undefined {
  const key = env[variable]?.trim() || undefined;
  const wrong = key === undefined ? undefined : wrongWith(key);
  if (wrong !== undefined) throw new UsageError(`Cannot send the API key in ${variable}: it ${wrong}.`);
  return key;
}

/** Why a text cannot be a key, without showing it. */
function wrongWith(key: string): string | undefined {
  if (!isHeaderValue(key))
    return "contains a line end, a character outside ASCII or another that no header may contain";
  const keys = [key, ...key.split(",").map((one) => one.trim())];
  if (keys.some((one) => /^bearer\s/i.test(one)))
    return "begins with Bearer, which is added to each key. Take that out";
  return keys.some((one) => /^(["']).*\1$/.test(one))
    ? "stands in quotation marks, which would be sent with it: files of variables keep them. Take them out"
    : undefined;
}

/**
 * The secrets that child processes need, by variable: the API keys. They travel in the environment only.
 * @throws UsageError when `--api-key-env` names a variable that is not set
 */
export function apiKeyVariables(apiKeyEnv: string | undefined, env: Environment = process.env): Record<string, string> {
  if (apiKeyEnv === undefined) {
    const several = keyIn("ASSAY_API_KEYS", env);
    const key = keyIn("ASSAY_API_KEY", env) ?? several?.split(",")[0]?.trim();
    return { ASSAY_API_KEY: key ?? PLACEHOLDER_KEY, ...(several && { ASSAY_API_KEYS: several }) };
  }
  if (!/^[A-Za-z_]\w*$/.test(apiKeyEnv)) {
    throw new UsageError(
      "Cannot read --api-key-env: it is not the name of an environment variable, and is not shown here, since it may be the key. Put the key into a variable, and name that.",
    );
  }
  const key = keyIn(apiKeyEnv, env);
  if (key === undefined) {
    throw new UsageError(
      `Cannot take the API key from ${apiKeyEnv}: that environment variable is not set. Set it or leave --api-key-env out.`,
    );
  }
  return { ASSAY_API_KEY: key };
}
