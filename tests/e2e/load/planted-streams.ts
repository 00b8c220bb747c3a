/** A service of streamed chats that is slow in a way that a test plants: cold at first, or stalled at equal distances. */

import { createServer, type ServerResponse } from "node:http";
import { closed, listenOnLoopback } from "../../support/targets/loopback-server.ts";

export interface Planted {
  /** Time to first token in milliseconds, by the number of requests before. */
  readonly ttftMs: (before: number) => number;
  /** All streams are silent for `forMs` every `everyMs`. */
  readonly pause?: { readonly everyMs: number; readonly forMs: number };
}

const CHUNKS = 10;
const ITL_MS = 10;
const chunk = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

/** Starts it on a free port. */
export async function startPlanted({ ttftMs, pause }: Planted): Promise<{ url: string; stop: () => Promise<void> }> {
  let requests = 0;
  /** What waits for the end of a pause; undefined while there is none. */
  let waiting: (() => void)[] | undefined;
  const outsidePause = (then: () => void): void => void (waiting === undefined ? then() : waiting.push(then));
  const endPause = (): void => {
    const all = waiting ?? [];
    waiting = undefined;
    for (const then of all) then();
  };
  const beginPause = (): void => {
    waiting = [];
    setTimeout(endPause, pause?.forMs);
  };
  const timer = pause && setInterval(beginPause, pause.everyMs);
  const send = (response: ServerResponse, afterMs: number, left: number): void => {
    const next = (): void => {
      if (left === 0) return void response.end(`${chunk({}, "stop")}data: [DONE]\n\n`);
      response.write(chunk({ content: "word " }));
      send(response, ITL_MS, left - 1);
    };
    setTimeout(() => outsidePause(next), afterMs);
  };
  const server = createServer((request, response) => {
    const before = requests;
    requests += 1;
    request.resume();
    request.on("end", () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.flushHeaders();
      send(response, ttftMs(before), CHUNKS);
    });
  });
  const url = await listenOnLoopback(server);
  return {
    url,
    stop: () => {
      clearInterval(timer);
      server.closeAllConnections();
      return closed(server);
    },
  };
}
