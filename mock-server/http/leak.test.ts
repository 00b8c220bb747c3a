import { connect } from "node:net";
import { expect, it } from "vitest";
import { PATHS } from "../../contract/service.ts";
import { KEY_HEADER, mockFor } from "../../tests/support/targets/mock-client.ts";
import type { Mock } from "../mock.ts";

/** Here 200, so that the tests stay quick; `npm run bench:mock` does it 1,000 times. */
const TIMES = 200;
const AT_ONCE = 20;
const BODY = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "hi" }] });

/** Begins a stream and kills the connection once some of it has come. */
function killed({ port }: Mock): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.once("data", () => socket.resetAndDestroy());
    socket.once("close", () => resolve());
    socket.write(
      `POST ${PATHS.chat} HTTP/1.1\r\nHost: m\r\nAuthorization: ${KEY_HEADER.authorization}\r\n` +
        `Content-Length: ${BODY.length}\r\n\r\n${BODY}`,
    );
  });
}

const sockets = () => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;

it.each([
  ["with a batch", { capacity: { slots: 8, stepMs: 60_000, prefillMs: 0 } }],
  ["without one", { ttftMs: 0, itlMs: 60_000 }],
])(
  "clients that are killed in the middle of a stream leave no socket, no timer, no slot and no stream: %s",
  async (_, options) => {
    const mock = await mockFor({ ...options, outputTokens: 500 });
    const before = sockets();
    for (let done = 0; done < TIMES; done += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, () => killed(mock)));
    await expect.poll(() => mock.state().streams).toEqual({ started: TIMES, completed: 0, left: TIMES });
    await expect.poll(sockets).toBeLessThanOrEqual(before);
    expect(mock.state().due).toBe(0);
    if (mock.state().capacity !== undefined) expect(mock.state().capacity).toMatchObject({ running: 0, waiting: 0 });
  },
);
