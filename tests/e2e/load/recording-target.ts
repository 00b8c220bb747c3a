/** A target that keeps the body of every request, and responds to all of them at once. */

import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { z } from "zod";
import { listenOnLoopback } from "../../support/targets/loopback-server.ts";

/** What every chat is answered with: each of these in a chunk, or all of them in one message. */
const ANSWER = ["an", " ", 'ans"wér\n'];
export const ANSWER_TEXT = ANSWER.join("");

/** A chat that contains this has the status 500. */
export const FAILING = "fail now";

export interface RecordingTarget {
  readonly url: string;
  readonly server: Server;
  /** Bodies of the requests by their id, that of their record. */
  readonly received: ReadonlyMap<string, string>;
  readonly headers: ReadonlyMap<string, IncomingHttpHeaders>;
}

const Embeddings = z.object({ input: z.union([z.string(), z.array(z.string())]) });

/** Counts words as tokens. */
export async function recordingTarget(): Promise<RecordingTarget> {
  const received = new Map<string, string>();
  const headers = new Map<string, IncomingHttpHeaders>();
  let tasks = 0;
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += String(part);
    // Of the check of the target before a run.
    if (body === "{}") return void response.writeHead(400).end();
    const id = String(request.headers["x-request-id"]);
    received.set(id, body);
    headers.set(id, request.headers);
    if (body.includes(FAILING)) return void response.writeHead(500).end();
    const prompt_tokens = body.split(/\s/).length;
    const path = request.url ?? "";
    const json = (status: number, value: object): void =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
    if (path.endsWith("/embeddings")) return json(200, embeddings(body, prompt_tokens));
    if (path.endsWith("/videos/generations")) {
      tasks += 1;
      return json(202, { id: `task-${tasks}`, model: "m", status: "processing", created_at: "2026-01-02T03:04:05Z" });
    }
    if (path.includes("/videos/")) {
      const id = path.split("/").at(-1);
      return json(200, { id, status: "completed", video_url: "http://host/v.mp4", usage: { total_cost: 1 } });
    }
    const usage = { prompt_tokens, completion_tokens: 2, total_tokens: prompt_tokens + 2 };
    if (!body.includes('"stream":true')) return json(200, completion(usage));
    response.writeHead(200, { "content-type": "text/event-stream" });
    const events = ANSWER.map((content) => ({ choices: [{ index: 0, delta: { content } }] }));
    for (const event of [...events, { choices: [], usage }]) response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end("data: [DONE]\n\n");
  });
  return { url: await listenOnLoopback(server), server, received, headers };
}

function embeddings(body: string, prompt_tokens: number): object {
  const inputs = [Embeddings.parse(JSON.parse(body)).input].flat();
  const data = inputs.map((_, index) => ({ object: "embedding", index, embedding: [1, 2] }));
  return { object: "list", model: "m", data, usage: { prompt_tokens, total_tokens: prompt_tokens } };
}

const completion = (usage: object): object => ({
  ...{ id: "c", object: "chat.completion", created: 1, model: "m", usage },
  choices: [{ index: 0, message: { role: "assistant", content: ANSWER_TEXT }, finish_reason: "stop" }],
});
