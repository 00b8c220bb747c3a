/** How long the video tasks of a run may take to be cancelled after it, so that an unresponsive target does not hold up its end. */

/** All cancels together, in milliseconds. */
export const CLEAN_UP_MS = 10_000;

/** The part of it in which a run cancels its own tasks, in milliseconds; whoever started it cancels in the rest what it leaves. */
export const OWN_CLEAN_UP_MS = 7_000;
