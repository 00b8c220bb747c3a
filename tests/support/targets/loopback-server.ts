/** Servers of the tests' own on the loopback interface. */

import { once } from "node:events";
import type { Server } from "node:net";

/** Starts a server on a free port; resolves with its URL. */
export async function listenOnLoopback(server: Server): Promise<string> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server does not listen on a port.");
  return `http://127.0.0.1:${address.port}`;
}

/** Stops a server; resolves when its connections are closed. */
export const closed = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => void server.close((error) => (error === undefined ? resolve() : reject(error))));
