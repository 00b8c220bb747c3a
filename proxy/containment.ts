/** Makes an exchange a failure domain of its own: what it throws ends neither the process nor any other exchange. */

import type { EventEmitter } from "node:events";
import { errorOf } from "../lib/thrown.ts";

/**
 * Catches what the listeners of an emitter throw, and an `error` that has no listener.
 * @param failed called with it; throws nothing
 */
export function contain(emitter: EventEmitter, failed: (error: Error) => void): void {
  const emit = emitter.emit.bind(emitter);
  emitter.emit = (event, ...args) => {
    try {
      return emit(event, ...args);
    } catch (thrown) {
      failed(errorOf(thrown));
      return true;
    }
  };
}
