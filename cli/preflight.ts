/**
 * What is tried before a run: one request per endpoint that it will use. A wrong address, scheme, certificate or key is said
 * in a sentence, and nothing is run: a verdict on another server would mislead. A target that is slow, busy or broken is not
 * refused, since to find that out is what runs are for.
 *
 * The requests cost nothing: the POST endpoints get an empty object, which lacks required members; that of videos is asked for
 * a task that does not exist. The form of a refusal is not specified and may be a page: only where the response to such a request
 * looks as if it came from another server, a short valid request, with and without the prefix, decides.
 */

import { randomUUID } from "node:crypto";
import { connect } from "node:tls";
import { type Client, httpClient } from "../conformance/engine/http-client.ts";
import { type Connection, secretsOf } from "../conformance/engine/target-connection.ts";
import { errorOf, wasAccepted } from "../conformance/judges/acceptance.ts";
import { foreignResponse } from "../conformance/judges/wrong-address.ts";
import { SHORT_REPLY_TOKENS } from "../conformance/model/probe.ts";
import { USER_MESSAGE } from "../conformance/probes/chat.ts";
import { API_PREFIX, PATHS, type Part, videoTaskPath } from "../contract/service.ts";
import type { Exchange } from "../formats/exchanges.ts";
import { isPage } from "../lib/foreign-page.ts";
import { redactor } from "../lib/redact.ts";
import { parseBaseUrl } from "../settings/address.ts";
import { CONNECTION_SETTINGS } from "../settings/connection-table.ts";
import { InconclusiveError } from "./exit-codes.ts";
import { keepSecret } from "./secrets.ts";
import { tlsRefusal } from "./tls-refusal.ts";

/** An endpoint that a run will use, and how it reaches it. */
export interface UsedEndpoint {
  readonly part: Part;
  readonly connection: Connection;
  /** The model that the run will name; absent: the default. */
  readonly model?: string | undefined;
}

/** A response that has not come by then says nothing against the target. */
export const PATIENCE_MS = 3_000;

/** A request that costs nothing: it lacks what an endpoint requires. */
export const REQUESTS = {
  chat: { method: "POST", path: PATHS.chat, body: "{}" },
  embeddings: { method: "POST", path: PATHS.embeddings, body: "{}" },
  video: { method: "GET", path: videoTaskPath("assay-preflight") },
} as const satisfies Record<Part, ProbeRequest>;

interface ProbeRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: string;
}

/** A short request that should succeed; none of videos, which cost money. */
export function validRequest({ part, model }: UsedEndpoint): ProbeRequest | undefined {
  if (part === "video") return undefined;
  const body =
    part === "chat"
      ? {
          model: model ?? CONNECTION_SETTINGS.chatModel.default,
          messages: [USER_MESSAGE],
          max_tokens: SHORT_REPLY_TOKENS,
        }
      : { model: model ?? CONNECTION_SETTINGS.embeddingModel.default, input: "hello" };
  return { method: "POST", path: PATHS[part], body: JSON.stringify(body) };
}

/** What a target must be. */
interface Demand {
  /** A response of a gateway without a server behind it is refused, too: what is being deployed responds so. */
  readonly isReady: boolean;
}

/**
 * Tries the endpoints. The run may start when one of them responds as one of the service may.
 * @returns a sentence for each endpoint that seems to be absent beside others that are there
 * @throws InconclusiveError when none of them can be one of the service, with what to change
 */
export async function requireService(
  endpoints: readonly UsedEndpoint[],
  demand: Demand = { isReady: false },
): Promise<readonly string[]> {
  keepSecret(secretsOf(endpoints.map(({ connection }) => connection)));
  const found = await Promise.all(endpoints.map((endpoint) => whyRefused(endpoint, demand)));
  const decided = found.filter((one) => one !== UNDECIDED);
  const [reason] = decided;
  if (reason === undefined || decided.includes(undefined)) {
    const there = endpoints.find((_, i) => found[i] === undefined);
    return there === undefined ? [] : decided.flatMap((each) => (each === undefined ? [] : missing(each, there.part)));
  }
  throw new InconclusiveError(`Cannot start: ${reason}`);
}

/** What is said of an endpoint that seems to be absent, or that refuses the key: where another is there, the address is right. */
const missing = (reason: string, there: Part): string =>
  reason.endsWith(KEY_ADVICE)
    ? `One of the endpoints refuses requests. ${reason}`
    : `One of the endpoints may be missing. ${reason.replace(ADDRESS_ADVICE_ON, withoutMissing(there))}`;

const ADDRESS_ADVICE = `Check the address: ${API_PREFIX}/… is added to it.`;
/** It comes last, with what else may be the cause. */
const ADDRESS_ADVICE_ON = /Check the address: .*$/s;
const LOGIN_ADVICE =
  "If it is right, a login or gateway before the service responds: let requests with an API key through there.";

const withoutMissing = (there: Part): string =>
  `If this deployment has no such models, leave them out: assay conformance --only '*${there}*', or assay load ${there}.`;

/** The response may be the refusal of a service, or of whoever else listens there. */
const UNDECIDED = Symbol("undecided");

/** Why an endpoint is not one of the service, and what to change; undefined when it may be one. It is asked twice to be sure. */
async function whyRefused(endpoint: UsedEndpoint, demand: Demand): Promise<string | typeof UNDECIDED | undefined> {
  const client = httpClient({ ...endpoint.connection, timeoutMs: PATIENCE_MS, slowMs: PATIENCE_MS });
  const ask = async (request: ProbeRequest, key: "right" | "bare" = "right"): Promise<Attempt> => {
    const exchange = await exchangeOf(client, endpoint, request, key);
    return { exchange, reason: await refusalIn(exchange, endpoint, demand) };
  };
  try {
    const first = await ask(REQUESTS[endpoint.part]);
    if (first.reason === undefined) return undefined;
    const isAboutKey = first.reason.endsWith(KEY_ADVICE);
    const valid = isAboutKey ? undefined : validRequest(endpoint);
    const second = await ask(valid ?? REQUESTS[endpoint.part]);
    if (second.reason === undefined) return undefined;
    // A target that takes the key without Bearer is one of the service, with a fault that conformance finds.
    if (second.reason.endsWith(KEY_ADVICE)) return (await ask(REQUESTS[endpoint.part], "bare")).reason;
    if (valid === undefined) return mayBeUnknownTask(second.exchange) ? UNDECIDED : second.reason;
    // So is one that has every path without the prefix.
    const { exchange } = await ask({ ...valid, path: valid.path.slice(API_PREFIX.length) });
    return wasAccepted(exchange) ? undefined : second.reason;
  } finally {
    await client.close();
  }
}

interface Attempt {
  readonly exchange: Exchange;
  /** Why what responded is not the service. */
  readonly reason: string | undefined;
}

/** A page with such a status may be how a service says that it does not know a task. */
const mayBeUnknownTask = ({ answer }: Exchange): boolean =>
  answer !== undefined && UNKNOWN_TASK.includes(answer.status) && isPage(answer.body);
const UNKNOWN_TASK: readonly number[] = [400, 404, 410, 422];

async function exchangeOf(
  client: Client,
  { connection }: UsedEndpoint,
  request: ProbeRequest,
  key: "right" | "bare",
): Promise<Exchange> {
  const sent = await client.send({
    ...request,
    ...(key === "bare" && { key }),
    probe: "preflight",
    requestId: randomUUID(),
    signal: new AbortController().signal,
  });
  return withoutSecrets(sent, connection);
}

/** What comes of one request by a client of its own. */
export async function askOnce(endpoint: UsedEndpoint, request: ProbeRequest): Promise<Exchange> {
  const client = httpClient({ ...endpoint.connection, timeoutMs: PATIENCE_MS, slowMs: PATIENCE_MS });
  try {
    return await exchangeOf(client, endpoint, request, "right");
  } finally {
    await client.close();
  }
}

const refusalIn = async (
  exchange: Exchange,
  { part, connection }: UsedEndpoint,
  { isReady }: Demand,
): Promise<string | undefined> =>
  (await wrongScheme(exchange, connection)) ??
  refusedByProxy(exchange, connection) ??
  (await tlsRefusal(exchange, connection)) ??
  (isReady ? notReady(exchange) : undefined) ??
  wrongResponse(exchange, part, connection);

/** The exchange as it may be shown: a response may repeat the key, and be cut off within it. */
function withoutSecrets(exchange: Exchange, connection: Connection): Exchange {
  const { text } = redactor(secretsOf([connection]), []);
  const { answer } = exchange;
  if (answer === undefined) return exchange;
  const headers = Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, text(value)]));
  return { ...exchange, answer: { ...answer, headers, body: text(answer.body) } };
}

async function wrongScheme({ failure, answer }: Exchange, { target }: Connection): Promise<string | undefined> {
  const isPlain = /^http:/i.test(target);
  const isAsked = answer?.status === 400 && /https/i.test(answer.body);
  const isBroken = answer === undefined && (failure?.kind === "reset" || failure?.kind === "other");
  if (!isPlain || !(isAsked || isBroken) || !(await speaksTls(new URL(target)))) return undefined;
  return `what listens at ${target} speaks TLS (https) only. Run it again with --target ${target.replace(/^http/i, "https")}`;
}

const speaksTls = ({ hostname, port }: URL): Promise<boolean> =>
  new Promise((resolve) => {
    const host = hostname.replace(/^\[|\]$/g, "");
    const socket = connect({ host, port: Number(port || 80), rejectUnauthorized: false, timeout: PATIENCE_MS });
    const end = (isTls: boolean): void => {
      resolve(isTls);
      socket.destroy();
    };
    socket.once("secureConnect", () => end(true));
    socket.once("timeout", () => end(false));
    socket.on("error", () => end(false));
  });

function refusedByProxy({ failure }: Exchange, { target }: Connection): string | undefined {
  if (failure?.kind !== "proxy") return undefined;
  return `${failure.message}. Let it pass ${target} on, put the right user into the address of the proxy, or exclude the target with NO_PROXY.`;
}

/** Statuses of a gateway that has no server to pass a request on to. */
const NO_SERVER: readonly number[] = [502, 503, 504];

function notReady({ answer, request }: Exchange): string | undefined {
  if (answer !== undefined && !NO_SERVER.includes(answer.status)) return undefined;
  const observed = answer === undefined ? "nothing" : String(answer.status);
  return `${request.method} ${request.url}: the target returned ${observed}. Check that the service is running.`;
}

const KEY_ADVICE =
  "Put a key that it accepts into ASSAY_API_KEY, or name the variable that holds it with --api-key-env.";

function wrongResponse(exchange: Exchange, part: Part, { target, apiKey }: Connection): string | undefined {
  const { answer, request } = exchange;
  if (answer === undefined || answer.status === 429 || isBroken(answer.status)) return undefined;
  const call = `${request.method} ${request.url}`;
  if (answer.status === 401 || answer.status === 403) {
    if (apiKey === undefined) return undefined;
    if (/^basic\b/i.test(answer.headers["www-authenticate"] ?? "")) {
      return `${call}: a user and a password are asked for (${answer.status}, WWW-Authenticate: Basic), seldom by the service itself. Assay sends the API key in that header: let requests with the key through there, unless the service itself asks. ${KEY_ADVICE}`;
    }
    if (isPage(answer.body)) {
      return `${call}: the target returned ${answer.status} with an HTML or XML page: a firewall or gateway before it refuses the request, or the API key is not one that it accepts. Let the request through there. ${KEY_ADVICE}`;
    }
    return `${call}: the target refused the API key (${answer.status})${saidOfKey(exchange)}. ${KEY_ADVICE}`;
  }
  if (isPage(answer.body) || (answer.status >= 300 && answer.status < 400) || isUnknownPath(exchange, part)) {
    return `${call}: ${foreignResponse(exchange)}. ${correction(exchange, part, target)}`;
  }
  return undefined;
}

/**
 * What the target says of the key. Where it may say that none came, a proxy that takes the header away is named; where it says
 * nothing, as logins do that a browser is to pass, what may refuse a request before it.
 */
function saidOfKey(exchange: Exchange): string {
  const said = errorOf(exchange);
  if (!WORD.test(exchange.answer?.body ?? ""))
    return `${said}; it gives no reason, so a login or gateway before the service may have refused the request`;
  return NONE_CAME.test(said) ? `${said}; if none reached it, a proxy before it drops the header Authorization` : said;
}

const WORD = /[\p{L}\p{N}]/u;
const NONE_CAME =
  /\b(?:no|missing|without|absent|required|not (?:found|provided|present|set)|(?:did not|didn't) provide)\b/i;

/** A method that a server does not implement (501) is no fault of it: another server listens there. */
export const isBroken = (status: number): boolean => status >= 500 && status !== 501;

/** Whether nothing is at the path; a task that does not exist is not known either, and a model may be what was not found. */
const isUnknownPath = (exchange: Exchange, part: Part): boolean =>
  part !== "video" && foreignResponse(exchange) !== undefined && !/model/i.test(exchange.answer?.body ?? "");

/** What to run in place of the command, as far as that can be told. */
function correction({ answer, request }: Exchange, part: Part, target: string): string {
  const meant = redirected(answer?.headers["location"], request.url) ?? withoutEndpoint(target);
  if (meant !== undefined && meant !== target) return `Run it again with --target ${meant}`;
  const { status = 0, body = "" } = answer ?? {};
  if (status < 400 || (isPage(body) && !UNKNOWN_TASK.includes(status))) return `${ADDRESS_ADVICE} ${LOGIN_ADVICE}`;
  return part === "embeddings"
    ? `${ADDRESS_ADVICE} If it is right, this deployment has no embeddings.`
    : ADDRESS_ADVICE;
}

/** The base address to which a redirect of an endpoint leads; undefined when it leads to something else. */
function redirected(location: string | undefined, url: string): string | undefined {
  const path = new URL(url).pathname;
  const endpoint = path.slice(path.indexOf(`${API_PREFIX}/`));
  if (location === undefined || !URL.canParse(location, url)) return undefined;
  const { origin, pathname } = new URL(location, url);
  const [base] = pathname.replace(/\/+$/, "").split(endpoint);
  return pathname.includes(endpoint) ? readable(`${origin}${base}`) : undefined;
}

/** The address without the path of an endpoint, which some tools want with it. */
function withoutEndpoint(target: string): string | undefined {
  const at = target.indexOf(`${API_PREFIX}/`);
  return at < 0 ? undefined : readable(target.slice(0, at));
}

function readable(address: string): string | undefined {
  try {
    return parseBaseUrl(address);
  } catch {
    return undefined;
  }
}
