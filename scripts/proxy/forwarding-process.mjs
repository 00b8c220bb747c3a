/** Starts the process that passes traffic on, which needs what loads TypeScript. */

import "../toolchain/typescript.mjs";

await import("./forward-traffic.ts");
