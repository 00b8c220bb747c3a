/** The lines of Node on which Assay is tested. README.md and `engines` in package.json repeat them. Plain Node, no dependency. */

/** The oldest Node that works. */
export const LEAST_NODE = "20.19";

/** The lines on which all that matters is run: `tests/system/node-lines.test.ts`. */
export const NODE_LINES = [20, 22, 24, 26];

/** The line of a version of Node, such as 26 of `v26.12.1`. */
export const lineOf = (/** @type {string} */ version) => Number.parseInt(version.replace(/^v/, ""), 10);

/**
 * What is to be known of a version of Node.
 * @param {string} version such as `v26.12.1`
 * @returns {string | undefined} undefined on a line that is tested
 */
export const untestedNode = (version) =>
  NODE_LINES.includes(lineOf(version))
    ? undefined
    : `Assay is tested on Node ${listOfLines()}, and not on this line; the oldest that works is ${LEAST_NODE}`;

/** Such as `20, 22, 24 and 26`. */
export const listOfLines = () => NODE_LINES.join(", ").replace(/, (\d+)$/, " and $1");
