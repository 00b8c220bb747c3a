/** FNV-1a over the UTF-16 units of a text, as an unsigned number of 32 bits. Pure. Source: RFC 9923, with 16-bit units. */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
