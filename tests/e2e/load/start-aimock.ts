/** aimock, a third-party mock server, with a response to every chat, stream and embedding request. */

import { LLMock } from "@copilotkit/aimock";

const ANYTHING = /[\s\S]*/;
const REPLY = "A reply of a few words, which a streamed answer brings in several pieces, one after another.";

export interface Aimock {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts aimock on a free port of the loopback interface. */
export async function startAimock(): Promise<Aimock> {
  const server = new LLMock({ port: 0, host: "127.0.0.1" });
  server.onMessage(ANYTHING, { content: REPLY }, { latency: 5 });
  server.onEmbedding(ANYTHING, { embedding: [0.25, -0.5, 0.75] });
  await server.start();
  return { url: server.url, stop: () => server.stop() };
}
