/** A proxy before a mock whose responses to submissions of video tasks are not as they should be, although each task is created. */

import { createServer, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { listenOnLoopback } from "../../support/targets/loopback-server.ts";

/** What becomes of the responses to submissions, one after another: of the body as the mock sent it, and its task's number. */
const RESPONSES: readonly ((response: ServerResponse, body: string, number: string) => void)[] = [
  (response) => response.writeHead(504, { "content-type": "text/html" }).end("<html>504 Gateway Time-out</html>"),
  (response, body) => response.writeHead(500, JSON_TYPE).end(body),
  (response, body, number) => response.writeHead(202, JSON_TYPE).end(body.replace(/"id":"[^"]*"/, `"id":${number}`)),
  (response, body) => {
    response.writeHead(202, { ...JSON_TYPE, "content-length": body.length + 50 });
    response.write(body, () => response.destroy());
  },
];
const JSON_TYPE = { "content-type": "application/json" };

/** As many submissions as there are ways to fail. */
export const WAYS_TO_FAIL = RESPONSES.length;

/** The number of the first task, of so many digits that a double cannot hold the last of them. */
const FIRST_NUMBER = 12345678901234567891n;

const idOf = z.object({ id: z.string() });

/** Starts a proxy before the mock at an address; resolves with its own. */
export async function failingSubmissions(mock: string): Promise<string> {
  /** Ids of the mock, by the number that stands for each. */
  const tasks = new Map<string, string>();
  const server = createServer(async (request, response) => {
    const { method = "GET", url = "" } = request;
    const path = url.replace(/(?<=\/)\d+/, (number) => tasks.get(number) ?? number);
    const body = await text(request);
    const headers = { ...JSON_TYPE, authorization: request.headers.authorization ?? "" };
    const answer = await fetch(mock + path, { method, headers, ...(body !== "" && { body }) });
    const received = await answer.text();
    if (!url.endsWith("/generations")) return void response.writeHead(answer.status, JSON_TYPE).end(received);
    const number = String(FIRST_NUMBER + BigInt(tasks.size));
    const respond = RESPONSES[tasks.size % RESPONSES.length];
    tasks.set(number, idOf.parse(JSON.parse(received)).id);
    respond?.(response, received, number);
  });
  server.unref();
  return listenOnLoopback(server);
}
