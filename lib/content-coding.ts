/** Undoes the content coding of bodies (RFC 9110, section 8.4), within a bound of what they may become. */

import { brotliDecompressSync, constants, gunzipSync, inflateSync } from "node:zlib";

interface Options {
  readonly maxOutputLength: number;
  readonly finishFlush?: number;
}
type Decoder = (bytes: Buffer, maxOutputLength: number, isCut: boolean) => Buffer;

const zlib =
  (decode: (bytes: Buffer, options: Options) => Buffer, flush: number): Decoder =>
  (bytes, maxOutputLength, isCut) =>
    decode(bytes, { maxOutputLength, ...(isCut && { finishFlush: flush }) });

const gzip = zlib(gunzipSync, constants.Z_SYNC_FLUSH);
const DECODERS: ReadonlyMap<string, Decoder> = new Map([
  ["gzip", gzip],
  ["x-gzip", gzip],
  ["deflate", zlib(inflateSync, constants.Z_SYNC_FLUSH)],
  ["br", zlib(brotliDecompressSync, constants.BROTLI_OPERATION_FLUSH)],
]);

/** The codings that a Content-Encoding header names, in the order in which they were applied. */
export const codingsIn = (contentEncoding: string | undefined): readonly string[] =>
  (contentEncoding ?? "")
    .split(",")
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== "" && coding !== "identity");

/** A body that came whole and stays unread. */
export class UnreadCodingError extends Error {}

/** A body without its coding. */
export interface Decoded {
  /** Empty when there is a problem, or too much of it. */
  readonly bytes: Buffer;
  /** Why it cannot be had. */
  readonly problem?: string;
  /** It would be longer than the bound. */
  readonly tooLong?: true;
}

const NONE = Buffer.alloc(0);

/**
 * Undoes the codings of a body.
 * @param most bytes that it may become
 * @param isCut whether the end of the body is missing: what came before it is decoded then
 */
export function decoded(bytes: Buffer, codings: readonly string[], most: number, isCut = false): Decoded {
  if (bytes.length === 0) return { bytes };
  const unknown = codings.find((coding) => !DECODERS.has(coding));
  if (unknown !== undefined) return { bytes: NONE, problem: `Assay cannot read the coding ${unknown}` };
  try {
    return {
      bytes: codings.reduceRight((now, coding) => DECODERS.get(coding)?.(now, most, isCut) ?? now, bytes),
    };
  } catch (error) {
    if (error instanceof RangeError) return { bytes: NONE, tooLong: true };
    const reason = error instanceof Error ? error.message : String(error);
    return { bytes: NONE, problem: `the body cannot be read as ${codings.join(", ")}: ${reason}` };
  }
}
