/** The mock for programs. `variants/all-variants.ts` and `timing/timings.ts` do not load mockttp. */

export { type Mock, type MockOptions, startMock } from "./mock.ts";
export { FAILING_PROMPT } from "./service/failing-prompt.ts";
export type { MockState } from "./service/mock-state.ts";
export type { TaskView } from "./service/task-store.ts";
