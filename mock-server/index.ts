/** The mock for programs. `catalogue.ts` and `timings.ts` can be imported alone: they load no mockttp. */

export { type Mock, type MockOptions, startMock } from "./mock.ts";
export { FAILING_PROMPT } from "./service/failing-prompt.ts";
export type { MockState } from "./service/mock-state.ts";
export type { TaskView } from "./service/task-store.ts";
