/** The tables of a page in Markdown, for tests that compare them with what they state. */

/** A table: a text per column name, for each row. Code marks are left out. */
type Rows = readonly Readonly<Record<string, string>>[];

/** All tables whose head has these columns, their rows in the order of the page. */
export function tableRows(page: string, columns: readonly string[]): Rows {
  const blocks = page.split("\n\n").filter((block) => block.startsWith("| "));
  return blocks.flatMap((block) => {
    const [head = [], , ...rows] = block.trim().split("\n").map(cellsOf);
    if (!columns.every((column) => head.includes(column))) return [];
    return rows.map((cells) => Object.fromEntries(head.map((name, index) => [name, cells[index] ?? ""])));
  });
}

const cellsOf = (line: string): string[] =>
  line
    .replace(/^\| ?/, "")
    .replace(/ ?\|$/, "")
    .split(/ *\| */)
    .map((cell) => cell.replaceAll("`", "").trim());
