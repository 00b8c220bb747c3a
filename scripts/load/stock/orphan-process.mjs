/** Starts what journals the video tasks of an orphaned k6, which needs what loads TypeScript. */

import "../../toolchain/typescript.mjs";

await import("./orphan-journal.ts");
