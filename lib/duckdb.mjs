/** What SQL of DuckDB is written with, and what a database must not do by itself. Pure, plain JavaScript: a process that reads a table has no TypeScript. */

/** Nothing is installed or loaded. */
export const NO_EXTENSIONS = {
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
  allow_community_extensions: "false",
};

/**
 * A name, whatever it is made of.
 * @param {string} name
 */
export const quoted = (name) => `"${name.replaceAll('"', '""')}"`;

/**
 * A text.
 * @param {string} text
 */
export const literal = (text) => `'${text.replaceAll("'", "''")}'`;

/**
 * The path of a file that is no pattern of names, which it takes a path with these characters for.
 * @param {string} path
 */
export const withoutPattern = (path) => path.replaceAll(/[[*?]/g, "[$&]");
