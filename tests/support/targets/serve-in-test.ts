/** A server of one test: it ends with the test. */

import { createServer, type RequestListener, type Server } from "node:http";
import { onTestFinished } from "vitest";
import { listenOnLoopback } from "./loopback-server.ts";

/** Starts a server, or one that responds so, on a free port of the loopback interface; resolves with its URL. */
export function serveInTest(responding: RequestListener | Server): Promise<string> {
  const server = typeof responding === "function" ? createServer(responding) : responding;
  onTestFinished(() => void server.close().closeAllConnections());
  return listenOnLoopback(server);
}
