/** The mock for programs. `catalogue.ts` and `timings.ts` can be imported alone: they load no mockttp. */

export { FAILING_PROMPT } from "./failing-prompt.ts";
export type { LedgerRow } from "./ledger.ts";
export { type Mock, type MockOptions, startMock } from "./mock.ts";
export type { MockState } from "./state.ts";
export type { TaskView } from "./tasks.ts";
