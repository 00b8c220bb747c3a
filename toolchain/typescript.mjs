/**
 * Lets Node import TypeScript, with `node --import`, for benchmarks and other scripts of a checkout: the program itself is compiled
 * (`import-entry.mjs`). tsx would keep what it compiled in the folder for temporary files, which all users share: whoever creates it
 * first could put code of their own there. So it keeps nothing. Plain Node.
 */

const VARIABLE = "TSX_DISABLE_CACHE";

const before = process.env[VARIABLE];
process.env[VARIABLE] = "1";
// tsx reads the variable while it is loaded, and so does its own thread while it starts.
const tsx = await import("tsx/esm/api");
tsx.register();
if (before === undefined) delete process.env[VARIABLE];
else process.env[VARIABLE] = before;
