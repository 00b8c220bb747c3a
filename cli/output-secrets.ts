/** Credentials for the receivers of metrics, in the standard variables of k6 and OpenTelemetry. Pure. */

import { percentDecoded } from "../lib/escapes.ts";
import { secretsOfHeaders } from "../lib/secret-sources.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a variable is set to anything. */
export const presentIn = (env: Environment, name: string): boolean => (env[name] ?? "") !== "";

/** Variables whose whole value is secret. */
const WHOLE = ["K6_PROMETHEUS_RW_PASSWORD", "K6_PROMETHEUS_RW_BEARER_TOKEN", "K6_PROMETHEUS_RW_SIGV4_SECRET_KEY"];
/** Each variable with this beginning is the value of one header. */
const HEADER = "K6_PROMETHEUS_RW_HEADERS_";
/** Headers joined by commas, each a name, this sign, and a value. */
const LISTS = {
  K6_PROMETHEUS_RW_HTTP_HEADERS: ":",
  OTEL_EXPORTER_OTLP_HEADERS: "=",
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: "=",
} as const;

/** Whether a variable holds credentials for an output, which no process but k6 needs. */
export const holdsOutputSecrets = (name: string): boolean =>
  WHOLE.includes(name) || name.startsWith(HEADER) || Object.hasOwn(LISTS, name);

/** What must not be written of these variables. */
export function outputSecrets(env: Environment): readonly string[] {
  const whole = WHOLE.map((name) => env[name] ?? "");
  const headers = Object.entries(env).flatMap(([name, value = ""]) =>
    name.startsWith(HEADER) ? secretsOfHeaders({ [name.slice(HEADER.length)]: value }) : [],
  );
  const listed = Object.entries(LISTS).flatMap(([name, sign]) => (env[name] ?? "").split(",").flatMap(headerIn(sign)));
  return [...whole, ...headers, ...listed].filter((secret) => secret !== "");
}

const headerIn =
  (sign: string) =>
  (pair: string): string[] => {
    const at = pair.indexOf(sign);
    if (at < 0) return pair === "" ? [] : [pair];
    const [name, value] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    return [value, percentDecoded(value)].flatMap((each) => secretsOfHeaders({ [name]: each }));
  };
