/**
 * Access logs of proxies as the calls of a service: when each request began and how long it took. They hold no lengths, but for those of
 * a gateway that counts tokens. Pure.
 */

import { PATHS } from "../../contract/service.ts";
import { isObject, type UnknownObject } from "../../lib/json.ts";
import { readInstant } from "../../settings/instants.ts";

/** A call of a model, with what the log says of its lengths in tokens. */
export interface LoggedCall {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly operation: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly session?: string | undefined;
  readonly tenant?: string | undefined;
  readonly model?: string | undefined;
  readonly tookMs?: number | undefined;
}

/** An entry as a log states it: its begin or its end, in milliseconds since 1970. */
interface Access {
  readonly begin?: number | undefined;
  readonly end?: number | undefined;
  readonly tookMs: number;
  /** `POST /v1/embeddings HTTP/1.1`; of what was no request, anything. */
  readonly request: string;
  readonly call?: Partial<LoggedCall>;
}

interface AccessLog {
  readonly name: string;
  /** Undefined where an entry is not of this log; a line of text is one too. */
  readonly read: (entry: unknown) => Access | undefined;
}

const ofText =
  (line: RegExp, read: (part: (name: string) => string, line: string) => Access | undefined) =>
  (entry: unknown): Access | undefined => {
    const found = typeof entry === "string" ? line.exec(entry) : null;
    return found === null ? undefined : read((name) => found.groups?.[name] ?? "", found.input);
  };

const ofJson =
  (read: (entry: UnknownObject) => Access | undefined) =>
  (entry: unknown): Access | undefined =>
    isObject(entry) ? read(entry) : undefined;

export const ACCESS_LOGS: readonly AccessLog[] = [
  { name: "Envoy", read: ofJson(envoy) },
  {
    name: "Envoy",
    read: ofText(/^\[(?<begin>\S+Z)\] "(?<request>[^"]*)" \d+ \S+ \d+ \d+ (?<ms>\d+) /, (part) => ({
      ...{ begin: readInstant(part("begin")), tookMs: Number(part("ms")), request: part("request") },
    })),
  },
  { name: "nginx", read: ofJson(nginx) },
  {
    name: "nginx",
    read: ofText(/^\S+ - \S+ \[(?<end>[^\]]+)\] "(?<request>[^"]*)" \d{3} \d+ "/, (part, line) => {
      const numbers = line.replace(TEXTS, "");
      const took = SECONDS.exec(numbers)?.[0];
      const exact = SECONDS_SINCE_1970.exec(numbers)?.[0];
      if (took === undefined) return undefined;
      const end = exact === undefined ? clockTime(part("end")) : Number(exact) * 1_000;
      return { end, tookMs: Number(took) * 1_000, request: part("request") };
    }),
  },
  {
    name: "HAProxy",
    read: ofText(
      / \[(?<begin>\d\d\/\w+\/[\d:.]+)\] \S+ \S+ (?:-?\d+\/){4}\+?(?<ms>\d+) -?\d+ .*?"(?<request>[^"]*)"/,
      (part) => ({
        ...{ begin: clockTime(part("begin")), tookMs: Number(part("ms")), request: part("request") },
      }),
    ),
  },
  { name: "Caddy", read: ofJson(caddy) },
];

/** Whether a line is of an access log, of whatever format. */
export const isAccessLine = (line: string): boolean => /"[A-Z]+ \S+ HTTP\/\d/.test(line);

/** The call of a model that an entry tells of; none for any other request. */
export function callsOfAccess({ begin, end = Number.NaN, tookMs, request, call }: Access): readonly LoggedCall[] {
  const [method, target = ""] = request.split(" ");
  const path = target.split("?", 1)[0] ?? "";
  const operation = OPERATIONS.find(([of]) => path.endsWith(of))?.[1];
  const at = begin ?? end - tookMs;
  if (method !== "POST" || operation === undefined || Number.isNaN(at)) return [];
  return [{ at: Math.round(at * 1_000) / 1_000, operation, input: undefined, output: undefined, tookMs, ...call }];
}

const OPERATIONS = [
  [PATHS.chat, "chat"],
  [PATHS.embeddings, "embeddings"],
  [PATHS.videos, "video"],
] as const;

/** What is in quotes and no number, such as a user agent. */
const TEXTS = /"[^"]*[^"\d.][^"]*"/g;
/** `$request_time`: seconds with three digits, alone or after a name, such as `rt=0.217`. */
const SECONDS = /(?<![\d.])\d{1,6}\.\d{3}(?=["\s,]|$)/;
/** `$msec`. */
const SECONDS_SINCE_1970 = /(?<![\d.])\d{10}\.\d{3}(?=["\s,]|$)/;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const CLOCK = /^(\d\d)\/(\w{3})\/(\d{4}):(\d\d:\d\d:\d\d(?:\.\d+)?)(?: ([+-]\d\d)(\d\d))?$/;

/** `29/Nov/2026:11:11:53 +0000`; without a zone it is taken for UTC. NaN for any other text. */
function clockTime(text: string): number {
  const [, day, month = "", year, time, hours = "+00", minutes = "00"] = CLOCK.exec(text) ?? [];
  const nth = String(MONTHS.indexOf(month) + 1).padStart(2, "0");
  return readInstant(`${year}-${nth}-${day}T${time}${hours}:${minutes}`);
}

const numberOf = (value: unknown): number =>
  typeof value === "number" || typeof value === "string" ? Number(value) : Number.NaN;
const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "-" ? value : undefined);
/** A dash and null are what was not known. */
const tokensOf = (value: unknown): unknown => (Number.isNaN(numberOf(value)) ? undefined : numberOf(value));

/** The fields as the examples of Envoy Gateway and Envoy AI Gateway name them. */
function envoy(entry: UnknownObject): Access | undefined {
  const { start_time: begin, duration, method } = entry;
  const path = entry["x-envoy-origin-path"] ?? entry["request.path"] ?? entry["path"];
  if (typeof begin !== "string" || typeof path !== "string" || Number.isNaN(numberOf(duration))) return undefined;
  return {
    begin: readInstant(begin),
    tookMs: numberOf(duration),
    request: `${textOf(method) ?? ""} ${path}`,
    call: {
      input: tokensOf(entry["gen_ai.usage.input_tokens"] ?? undefined),
      output: tokensOf(entry["gen_ai.usage.output_tokens"] ?? undefined),
      session: textOf(entry["session.id"]),
      model: textOf(entry["gen_ai.request.model"]),
    },
  };
}

/** A format in JSON names fields as it likes: those of the variables are known. */
function nginx(entry: UnknownObject): Access | undefined {
  const { request_time: took, msec, request, request_method: method, request_uri: path = entry["uri"] } = entry;
  const date = [entry["time_iso8601"], entry["time"], entry["timestamp"], entry["@timestamp"]].find(
    (value) => typeof value === "string",
  );
  const end = msec === undefined ? readInstant(textOf(date) ?? "") : numberOf(msec) * 1_000;
  if (Number.isNaN(numberOf(took)) || Number.isNaN(end)) return undefined;
  return { end, tookMs: numberOf(took) * 1_000, request: textOf(request) ?? `${String(method)} ${String(path)}` };
}

function caddy({ ts, duration, request }: UnknownObject): Access | undefined {
  if (typeof ts !== "number" || typeof duration !== "number" || !isObject(request)) return undefined;
  return {
    end: ts * 1_000,
    tookMs: duration * 1_000,
    request: `${String(request["method"])} ${String(request["uri"])}`,
  };
}
