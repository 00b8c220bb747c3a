/** From a request to its answer: read it, let the service answer, and let behaviour and faults have their way. */

import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { isObject, type Json } from "../../lib/json.ts";
import { type Answer, answer, isScript, type Outcome, refusal, whole } from "../base/mock-response.ts";
import type { RouteName } from "../base/route-name.ts";
import { randomOf } from "../base/seeded-random.ts";
import type { World } from "../service/mock-context.ts";
import { outcomeOf } from "../service/respond.ts";
import { type Match, match } from "../service/router.ts";
import { control } from "../service/routes/control.ts";
import { ownPace } from "../timing/pace.ts";
import type { Behaving } from "../variants/active-variants.ts";
import type { Seen } from "../variants/variant.ts";
import { takeSlot } from "./admission.ts";
import { playScript, sendAnswer, type Writing } from "./deliver.ts";
import { readBody } from "./read-body.ts";
import type { Line } from "./response-writer.ts";
import { Exchange } from "./served-request.ts";

/** A request as the gateway hands it over. */
export interface Incoming {
  readonly message: IncomingMessage;
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  readonly arrivedMs: number;
  readonly connection: number;
  readonly loopback: boolean;
}

/** Answers one request; resolves when the exchange is over, for whatever reason. */
export function serve(world: World, incoming: Incoming, line: Line): Promise<void> {
  const { message, method, target, arrivedMs, connection } = incoming;
  const path = target.split("?", 1)[0] ?? target;
  const given = message.headers["x-request-id"];
  const id = typeof given === "string" && given !== "" ? given : randomUUID();
  const exchange = new Exchange(world, { id, connection, method, path, arrivedMs });
  const { scheduler, variations } = world;
  const readPath = variations.behaviour.path ?? ((same: string) => same);
  const writing = { line, exchange, scheduler, pace: ownPace(arrivedMs), gzip: readsGzip(message) };
  return new Promise((resolve) => {
    line.onClose(() => {
      exchange.finish(!line.isFinished);
      resolve();
    });
    dispatch(world, incoming, writing, match(method, readPath(path))).catch((cause: unknown) => {
      const message = cause instanceof Error ? cause.message : String(cause);
      const failure = answer(500, { error: { message, type: "mock_error", code: "mock_error", param: null } });
      if (!line.headersSent && !exchange.over) sendAnswer(writing, failure);
      else line.reset();
    });
  });
}

/** Whether the client says that it reads gzip (RFC 9110, section 12.5.3). */
const readsGzip = ({ headers }: IncomingMessage): boolean =>
  /(?:^|,)\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))|,|$)/i.test(headers["accept-encoding"]?.toString() ?? "");

async function dispatch(world: World, incoming: Incoming, writing: Writing, matched: Match): Promise<void> {
  const { message, method } = incoming;
  const { exchange } = writing;
  if (matched.kind === "control") {
    exchange.route = "control";
    const body = incoming.loopback ? await readBody(message) : "";
    const given = incoming.loopback ? control(world, method, matched.action, body ?? "") : forbidden();
    sendAnswer(writing, given);
    return;
  }
  const text = matched.kind === "route" && matched.hasBody ? await readBody(message) : "";
  if (exchange.over) return;
  const body = parsed(text ?? "");
  const route = routeOf(matched, body);
  const behaving = world.variations.forRequest(route, message.headers);
  exchange.route = route;
  exchange.faults = behaving.faults;
  const { id } = exchange.arrival;
  const outcome = outcomeOf(world, {
    method,
    matched,
    headers: message.headers,
    text,
    body,
    key: message.headers["x-request-id"] === id ? id : (text ?? ""),
    rules: behaving.rules,
    noteTask: (task) => {
      exchange.task = task;
    },
  });
  const seen: Seen = { route, body: body ?? null, itlMs: world.timing.itlMs(randomOf(world.seed, "fault")) };
  const { outcome: admitted, pace } = takeSlot(world, exchange, outcome, writing.pace);
  deliver({ ...writing, pace }, admitted, behaving, seen);
}

function deliver(writing: Writing, outcome: Outcome, { variations }: Behaving, seen: Seen): void {
  const final = variations.reduce<Outcome>(
    (now, { stream, damage }) => (isScript(now) ? stream?.(whole(now), seen) : damage?.(now, seen)) ?? now,
    outcome,
  );
  if (isScript(final)) playScript(writing, final);
  else sendAnswer(writing, final);
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

const forbidden = (): Answer =>
  refusal({ status: 403, message: "the control path answers on loopback only", code: "forbidden", param: null });
