/** The budget of video jobs: one is reserved before each submission, and given back when the target refused. */

import type { Exchange } from "../../formats/exchanges.ts";
import { createdNothing } from "../judges/task-history.ts";

export class VideoJobs {
  readonly #most: number;
  #used = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Takes a job; false when none is left. */
  reserve(): boolean {
    if (this.#used >= this.#most) return false;
    this.#used += 1;
    return true;
  }

  /** Gives the job back when the response shows that no task was created. */
  settle(submission: Exchange | undefined, isInvalid: boolean): void {
    if (submission !== undefined && createdNothing(submission, isInvalid)) this.#used -= 1;
  }

  get spentReason(): string {
    return `the budget of ${this.#most} video jobs was spent; raise --max-video-jobs`;
  }
}
