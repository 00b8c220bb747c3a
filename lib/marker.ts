/** Markers of prompts (`--set marker`), by which a response that belongs to another request is found. Pure. */

/** A marker out of 32 bits: `assay-` and eight hexadecimal digits. */
export const markerOf = (bits: number): string => `assay-${bits.toString(16).padStart(8, "0")}`;

/** What every marker looks like. */
export const MARKER = /assay-[0-9a-f]{8}/;

const LAST_TEXT = '"}]';

/** Messages as JSON, the last of which ends with the request for the marker. */
export function withMarker(messages: string, marker: string): string {
  const asked = `Begin your response with ${marker}.`;
  return messages.endsWith(LAST_TEXT)
    ? `${messages.slice(0, -LAST_TEXT.length)} ${asked}${LAST_TEXT}`
    : `${messages.slice(0, -1)},{"role":"user","content":"${asked}"}]`;
}
