/** Writes one chunk of a body of HTTP/1.1. */

import type { OutgoingMessage } from "node:http";
import type { Socket } from "node:net";

/**
 * Writes a chunk that stays a chunk of its own. Node 26 merges the chunks that are written to a message in one turn, and loses
 * them when the connection ends in that turn (https://github.com/nodejs/node/pull/64987). It does neither while the socket is
 * corked. Older lines of Node cork the socket themselves. All that one turn writes is still sent at once.
 * @returns whether more can be written before `drain`
 */
export function writeChunk(message: OutgoingMessage, chunk: Buffer): boolean {
  const { socket } = message;
  if (socket !== null && socket.writableCorked === 0) {
    socket.cork();
    process.nextTick(uncork, socket);
  }
  return message.write(chunk);
}

const uncork = (socket: Socket): void => socket.uncork();
