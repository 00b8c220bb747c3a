/**
 * Text that may come from a target, made harmless for whoever reads what Assay prints: a terminal, or the log of a CI
 * system, which takes some lines as commands. Pure, plain JavaScript: set-up prints before TypeScript can be loaded.
 */

/** C0 and C1 controls, line separators, marks that change the direction of writing, lone surrogates, the byte order mark. */
export const CONTROLS = /[\p{Cc}\p{Cs}\u061c\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** The same, except for tab and line feed. */
export const TEXT_CONTROLS = /(?![\t\n])[\p{Cc}\p{Cs}\u061c\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Stands for a control that was taken out. */
const REPLACEMENT = "\ufffd";

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const COLOUR = /(\u001b\[\d{1,3}m)/;

/** Azure Pipelines, TeamCity, and GitHub's older form: read anywhere in a line. */
const HASH_COMMAND = /##(?=(?:vso|teamcity)?\[)/gi;
/** GitHub's workflow commands, `::error file=a::text`: read at the beginning of a line, after white space and colours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
const LEADING_COLONS = /^((?:[^\S\n]|\u001b\[\d{1,3}m)*)::/gm;
/** The same elsewhere in a line, in case that it is taken out of its context. An address such as `[::1]` is none. */
const WORKFLOW_COMMAND = /::(?=[a-z][\w-]*(?:[ \t](?:[^\n:]|:(?!:))*)?::)/gi;

/**
 * Text as it may be printed: controls become U+FFFD, and what a CI system would take for a command is broken up by a
 * space. Line feeds and tabs stay.
 * @param {string} text
 * @param {boolean} colours keep the sequences that set a colour or a weight: on a terminal only
 * @returns {string}
 */
export function printable(text, colours = false) {
  const parts = colours ? text.split(COLOUR) : [text];
  return parts
    .map((part, index) => (index % 2 === 1 ? part : part.replace(TEXT_CONTROLS, REPLACEMENT)))
    .join("")
    .replace(HASH_COMMAND, "# #")
    .replace(LEADING_COLONS, "$1: :")
    .replace(WORKFLOW_COMMAND, ": :");
}

/** All that is known to take one column: a terminal may take two for any other character. */
const ONE_COLUMN = /^[ -\u10ff\u2010-\u2027\u2500-\u259f]$/;

/** Columns that a text takes at most. */
const columnsOf = (/** @type {string} */ text) =>
  [...text].reduce((sum, character) => sum + (ONE_COLUMN.test(character) ? 1 : 2), 0);

/**
 * A line cut to a number of columns of a terminal, with an ellipsis where it was cut; sequences that set a colour take none.
 * @param {string} line
 * @param {number} columns
 * @returns {string}
 */
export function cutTo(line, columns) {
  const parts = line.split(COLOUR);
  let left = columns;
  if (columnsOf(parts.filter((_, index) => index % 2 === 0).join("")) <= columns) return line;
  /** Up to the first that does not fit next to the ellipsis. */
  const fitting = (/** @type {string} */ character) => {
    const before = left;
    left -= columnsOf(character);
    if (left >= 1) return character;
    left = 0;
    return before >= 1 ? "…" : "";
  };
  return parts.map((part, index) => (index % 2 === 1 ? part : [...part].map(fitting).join(""))).join("");
}
