/** Reads the body of a request, up to a limit. */

import type { Readable } from "node:stream";

/** Largest body that is read, in bytes. */
export const BODY_MAX = 32 * 1024 * 1024;

/**
 * The body as text; undefined when it is larger than the limit (the rest is discarded as it arrives). The promise never
 * settles when the client leaves in the middle: the close of the response ends the exchange then.
 */
export function readBody(message: Readable, limit = BODY_MAX): Promise<string | undefined> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let size = 0;
    message.on("data", (part: Buffer) => {
      size += part.length;
      if (size <= limit) parts.push(part);
      else parts.length = 0;
    });
    message.once("end", () => resolve(size <= limit ? Buffer.concat(parts).toString("utf8") : undefined));
    message.on("error", () => undefined);
  });
}
