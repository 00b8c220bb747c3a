/** Responses that are compressed although no request asks for it, which HTTP permits (RFC 9110, section 12.5.3). */

import { constants, crc32, deflateRawSync, gzipSync } from "node:zlib";
import type { PlainResponse, WholeStream } from "../base/mock-response.ts";
import { permitted, type Variant } from "./variant.ts";

const CODED = { "content-encoding": "gzip", vary: "accept-encoding" };

function compressed(response: PlainResponse): PlainResponse {
  const { body, bytes, headers, ending = "end" } = response;
  if (bytes !== undefined || body === "" || ending === "endless") return response;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { ...response, headers: { ...headers, ...CODED }, bytes: gzipSync(text) };
}

/** The first bytes of a gzip stream (RFC 1952, section 2.3): no name, no time, an unknown system. */
const START = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
/** An empty last block (RFC 1951, section 3.2.3). */
const LAST_BLOCK = Buffer.from([3, 0]);

/** One gzip stream, of which each frame can be read as soon as it arrives. */
function compressedStream(stream: WholeStream): WholeStream {
  let [sum, length] = [0, 0];
  const frames = stream.frames.map((frame, i, all) => {
    if (frame.raw === true) return frame;
    const plain = Buffer.from(frame.bytes);
    sum = crc32(plain, sum);
    length += plain.length;
    const parts: Buffer[] = [deflateRawSync(plain, { finishFlush: constants.Z_SYNC_FLUSH })];
    if (i === 0) parts.unshift(START);
    if (i === all.length - 1) parts.push(LAST_BLOCK, end(sum, length));
    return { ...frame, bytes: Buffer.concat(parts) };
  });
  return { ...stream, headers: { ...stream.headers, ...CODED }, frames };
}

function end(sum: number, length: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(sum, 0);
  bytes.writeUInt32LE(length, 4);
  return bytes;
}

export const compression: readonly Variant[] = [
  permitted(
    "compressed-responses",
    "any",
    "every response is compressed with gzip, even if the request does not accept it",
    { transform: compressed, transformStream: compressedStream },
  ),
];
