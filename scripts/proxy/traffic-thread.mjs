/** Starts the thread that checks traffic: threads do not inherit what loads TypeScript. */

import "../toolchain/typescript.mjs";

await import("./check-traffic.ts");
