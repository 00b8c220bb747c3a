/** How `--plan` shows what a run would send. */

export const formatCount = (value: number): string => Math.round(value).toLocaleString("en-US");

/** A title, and under it names with their values. */
export function preview(title: string, rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return `${[title, ...rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)].join("\n")}\n`;
}
