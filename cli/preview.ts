/** How `--plan` shows what a run would send. */

export const formatCount = (value: number): string => Math.round(value).toLocaleString("en-US");

/** `3 to 5`, or one text where both are the same. */
export const range = ([least = 0, most = 0]: readonly number[], format: (value: number) => string): string =>
  format(least) === format(most) ? format(most) : `${format(least)} to ${format(most)}`;

/** A title, and under it names with their values. */
export function preview(title: string, rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return `${[title, ...rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)].join("\n")}\n`;
}
