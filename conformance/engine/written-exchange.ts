/**
 * What of a run is written and shown: without secrets. Judges and cancels work on what was really sent and received, or a
 * key that is a word of the protocol would make the target fail and leave its tasks open.
 */

import type { Answer, Exchange } from "../../formats/exchanges.ts";
import type { TaskEvent } from "../../formats/tasks.ts";
import { mapTexts, type UnknownObject } from "../../lib/json.ts";
import { type Redactor, redactor } from "../../lib/redact.ts";
import type { ClauseVerdict } from "../model/findings.ts";
import { withoutSplitSecrets } from "./split-secrets.ts";
import { type Connection, secretsOf } from "./target-connection.ts";

export interface WrittenForm {
  /** An exchange, marked when anything was taken out that a judge may look at. */
  readonly exchange: (exchange: Exchange) => Exchange;
  readonly verdict: (verdict: ClauseVerdict) => ClauseVerdict;
  /** A line of the journal: a target may have put a secret into the id of a task. */
  readonly task: (event: TaskEvent) => TaskEvent;
  /** The settings of the run. */
  readonly settings: (settings: UnknownObject) => UnknownObject;
}

/** Takes the secrets of connections out of what is written: the keys, and the values of the headers of the user. */
export function writtenForm(...connections: readonly Pick<Connection, "apiKey" | "headers">[]): WrittenForm {
  const names = connections.flatMap(({ headers = {} }) => Object.keys(headers));
  return formWith(redactor(secretsOf(connections), names));
}

/** Takes out of what is written what a redactor finds. */
export function formWith(redact: Redactor): WrittenForm {
  const written = (answer: Answer, isCut: boolean): Answer => {
    const text = isCut ? redact.cutText : redact.text;
    const { base64 } = answer;
    const bytes = base64 === undefined ? undefined : redact.bytes(Buffer.from(base64, "base64"));
    return {
      ...answer,
      headers: Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [text(name), text(value)])),
      // First, while the events are still JSON: a secret may be taken out together with the quotes around it.
      body: text(withoutSplitSecrets(answer.body, text)),
      ...(bytes !== undefined && { base64: bytes.toString("base64") }),
    };
  };
  return {
    exchange: (exchange) => {
      const { request, answer, failure } = exchange;
      const url = redact.text(request.url);
      const body = request.body === undefined ? undefined : redact.text(request.body);
      const clean = answer && written(answer, failure !== undefined || answer.truncated);
      const isChanged = url !== request.url || body !== request.body || differ(answer, clean);
      return {
        ...exchange,
        request: {
          ...request,
          url,
          headers: {
            ...redact.headers(request.headers),
            // The wrong key is not a secret, and the evidence has to show it.
            ...(request.key === "wrong" && { authorization: request.headers["authorization"] ?? "" }),
          },
          ...(body !== undefined && { body }),
        },
        ...(clean && { answer: clean }),
        ...(failure && { failure: { ...failure, message: redact.text(failure.message) } }),
        ...(isChanged && { redacted: true }),
      };
    },
    verdict: (verdict) => ({ ...verdict, reason: withoutPartsIn(redact.text(verdict.reason), redact.cutText) }),
    task: (event) => ("task" in event ? { ...event, task: redact.text(event.task) } : event),
    settings: (settings) => mapTexts(settings, redact.text),
  };
}

/** What a reason quotes may be all that came of a response that was cut off. */
const withoutPartsIn = (reason: string, cutText: (text: string) => string): string =>
  reason.replace(/"((?:[^"\\]|\\.)*)("|$)/g, (_, quoted: string, end: string) => `"${cutText(quoted)}${end}`);

const differ = (before: Answer | undefined, after: Answer | undefined): boolean =>
  before?.body !== after?.body ||
  before?.base64 !== after?.base64 ||
  Object.entries(before?.headers ?? {}).some(([name, value]) => after?.headers[name] !== value);
