/** Serves one request: reads it, lets the service respond, applies the active variants, and delivers the response. */

import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { Readable } from "node:stream";
import { isObject, type Json } from "../../lib/json.ts";
import { reasonOf } from "../../settings/usage-error.ts";
import {
  errorResponse,
  isStreamed,
  jsonResponse,
  type MockResponse,
  type PlainResponse,
} from "../base/mock-response.ts";
import type { RouteName } from "../base/route-name.ts";
import { randomOf } from "../base/seeded-random.ts";
import type { MockContext } from "../service/mock-context.ts";
import { respondTo } from "../service/respond.ts";
import { type Match, match } from "../service/router.ts";
import { control } from "../service/routes/control.ts";
import { METRICS_PATH, metrics } from "../service/routes/server-metrics.ts";
import { ownPace } from "../timing/pace.ts";
import type { AppliedVariants } from "../variants/active-variants.ts";
import type { RequestView } from "../variants/variant.ts";
import { takeSlot } from "./admission.ts";
import { type Delivery, playStream, sendPlain } from "./deliver.ts";
import type { ResponseWriter } from "./response-writer.ts";
import { ServedRequest } from "./served-request.ts";

/** A request of Node, over HTTP/1.1 or HTTP/2. */
export type RequestMessage = IncomingMessage | Http2ServerRequest;

/** A request as the gateway passes it on. */
export interface Incoming {
  readonly message: RequestMessage;
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  readonly arrivedMs: number;
  readonly connection: number;
  readonly loopback: boolean;
}

/** Serves one request; resolves when the exchange is over, for whatever reason; rejects when no response could be written. */
export function serve(context: MockContext, incoming: Incoming, writer: ResponseWriter): Promise<void> {
  const { message, method, target, arrivedMs, connection } = incoming;
  const path = target.split("?", 1)[0] ?? target;
  const given = message.headers["x-request-id"];
  const id = typeof given === "string" && given !== "" ? given : randomUUID();
  const served = new ServedRequest(context, { id, connection, method, path, arrivedMs });
  const { scheduler, variants } = context;
  const delivery = { writer, served, scheduler, pace: ownPace(arrivedMs), gzip: readsGzip(message) };
  return new Promise((resolve, reject) => {
    writer.onClose(() => {
      served.finish(!writer.isFinished);
      resolve();
    });
    dispatch(context, incoming, delivery, match(method, variants.readPath(path)))
      .catch((cause: unknown) => {
        const failure = jsonResponse(500, {
          error: { message: reasonOf(cause), type: "mock_error", code: "mock_error", param: null },
        });
        if (!writer.headersSent && !served.over) sendPlain(delivery, failure);
        else writer.reset();
      })
      .catch(reject);
  });
}

/** Whether the client accepts gzip (RFC 9110, section 12.5.3). */
const readsGzip = ({ headers }: RequestMessage): boolean =>
  /(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))|,|$)/i.test(headers["accept-encoding"]?.toString() ?? "");

function originOf({ headers, socket }: RequestMessage): string {
  const host = headers[":authority"] ?? headers.host ?? "localhost";
  return `${"encrypted" in socket ? "https" : "http"}://${host.toString()}`;
}

async function dispatch(context: MockContext, incoming: Incoming, delivery: Delivery, matched: Match): Promise<void> {
  const { message, method } = incoming;
  const { served } = delivery;
  if (matched.kind === "control") {
    served.route = "control";
    const body = incoming.loopback ? await readBody(message) : "";
    const given = incoming.loopback ? control(context, method, matched.action, body ?? "") : forbidden();
    sendPlain(delivery, given);
    return;
  }
  if (context.metrics && method === "GET" && served.arrival.path === METRICS_PATH) {
    served.route = "control";
    sendPlain(delivery, metrics(context));
    return;
  }
  const text = matched.kind === "route" && matched.hasBody ? await readBody(message) : "";
  if (served.over) return;
  const body = parsed(text ?? "");
  const route = routeOf(matched, body);
  const applied = context.variants.forRequest(route, { headers: message.headers, body: body ?? null });
  served.route = route;
  const { id } = served.arrival;
  const response = respondTo(context, {
    method,
    origin: originOf(message),
    matched,
    headers: message.headers,
    headerNames: message.rawHeaders.filter((_, i) => i % 2 === 0),
    text,
    body,
    key: isGreedy(body) || message.headers["x-request-id"] !== id ? (text ?? "") : id,
    rules: applied.rules,
    noteTask: (task) => {
      served.task = task;
    },
  });
  const view: RequestView = { route, body: body ?? null, itlMs: context.timing.itlMs(randomOf(context.seed, "fault")) };
  const { response: admitted, pace } = takeSlot(context, served, response, delivery.pace);
  deliver({ ...delivery, pace }, admitted, applied, view);
}

function deliver(delivery: Delivery, response: MockResponse, applied: AppliedVariants, view: RequestView): void {
  const changed = applied.change(response, view);
  delivery.served.faults = changed.faults;
  if (isStreamed(changed.response)) playStream(delivery, changed.response);
  else sendPlain(delivery, changed.response);
}

function routeOf(matched: Match, body: Json | undefined): RouteName | "none" {
  if (matched.kind !== "route") return "none";
  const streams = matched.route === "chat" && isObject(body) && body["stream"] === true;
  return streams ? "chat.stream" : matched.route;
}

function parsed(text: string): Json | undefined {
  try {
    const body: Json = JSON.parse(text);
    return body;
  } catch {
    return undefined;
  }
}

const forbidden = (): PlainResponse =>
  errorResponse({
    status: 403,
    message: "the control path is available on loopback only",
    code: "forbidden",
    param: null,
  });

/** A model that takes the likeliest token responds alike to what is alike. */
const isGreedy = (body: Json | undefined): boolean => isObject(body) && body["temperature"] === 0;

/** Largest body of a request that is read, in bytes. */
const BODY_MAX = 32 * 1024 * 1024;

/**
 * The body as text; undefined when it is larger than the limit (the rest is discarded as it arrives). The promise never
 * settles when the client leaves in the middle: the close of the response ends the exchange then.
 */
function readBody(message: Readable): Promise<string | undefined> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let size = 0;
    message.on("data", (part: Buffer) => {
      size += part.length;
      if (size <= BODY_MAX) parts.push(part);
      else parts.length = 0;
    });
    message.once("end", () => resolve(size <= BODY_MAX ? Buffer.concat(parts).toString("utf8") : undefined));
    message.on("error", () => undefined);
  });
}
