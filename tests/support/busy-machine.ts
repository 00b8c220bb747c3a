/**
 * Repeats what the machine of the tests spoiled. A load generator that did not get its processor in time says so
 * (CLIENT-LIMITED), and is right: that is no matter of what a test is about, and repeating it is the only remedy.
 */

/** How often something is tried, before what came of it is taken as it is. */
const ATTEMPTS = 4;

/**
 * The first result that the machine did not spoil; the last one when it spoiled all of them, which a test must then expect as
 * what it is.
 */
export async function unspoiled<T>(attempt: () => Promise<T>, isSpoiled: (result: T) => boolean): Promise<T> {
  for (let left = ATTEMPTS - 1; ; left -= 1) {
    const result = await attempt();
    if (left === 0 || !isSpoiled(result)) return result;
  }
}
