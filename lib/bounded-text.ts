/** The text of a body that comes in parts; undefined when it is longer, and its rest is not read. @param most in bytes */
export async function boundedText(body: AsyncIterable<Uint8Array>, most: number): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body) {
    length += part.length;
    if (length > most) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
