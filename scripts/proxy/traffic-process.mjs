/** Starts the process that checks traffic, which needs what loads TypeScript. */

import "../toolchain/typescript.mjs";

await import("./check-traffic.ts");
