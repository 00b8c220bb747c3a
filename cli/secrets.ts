/** The secrets that this process knows: whatever it prints, none of them is in it. */

import { redactor } from "../lib/redact.ts";
import { secretsOfHeaders, secretsOfProxies } from "../lib/secret-sources.ts";
import { PLACEHOLDER_KEY } from "./api-keys.ts";
import { printWithout } from "./console.mjs";

type Environment = Readonly<Record<string, string | undefined>>;

const known = new Set<string>();

/** Keeps the secrets of an environment out of all that is printed from now on, and no others: a command begins. */
export function keepOnlySecretsOf(env: Environment): void {
  known.clear();
  keepSecret(secretsIn(env));
}

/** Keeps secrets out of all that is printed from now on. */
export function keepSecret(secrets: readonly string[]): void {
  for (const secret of secrets) if (secret !== PLACEHOLDER_KEY) known.add(secret);
  printWithout(redactor([...known], []).text);
}

/** The keys and the credentials of proxies in an environment. */
const secretsIn = (env: Environment): readonly string[] => [
  ...[env["ASSAY_API_KEY"], env["ASSAY_API_KEYS"]].flatMap((keys = "") => keys.split(",").map(secretOf)),
  ...secretsOfProxies(env),
];

const secretOf = (key: string): string => secretsOfHeaders({ authorization: `Bearer ${key.trim()}` }).join();
