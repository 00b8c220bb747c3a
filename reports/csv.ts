/** Rows as CSV that a spreadsheet reads as they are: no cell becomes a formula. Pure. */

/** What begins a formula for a spreadsheet, full-width forms among them. A number begins with a minus too. */
const FORMULA = /^\s*[=+@\-＝＋＠－]/;
const NUMBER = /^-?[\d.]+(?:e[+-]?\d+)?$/;

/** A cell that a spreadsheet would take for a formula is a text. Some separate cells by semicolons or tabs. */
const csvCell = (text: string): string => {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** A line for each row. */
export const csvOf = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(csvCell).join(",")}\n`).join("");
