/** Paths: the prefix /v1, and tasks that do not exist. */

import { API_PREFIX, PATHS } from "../../contract/service.ts";
import { clause, observation } from "../builders/clause-builders.ts";
import { outcomeOf } from "../judges/acceptance.ts";
import { answered, isSuccess } from "../judges/status.ts";
import { broken, holds, inconclusive } from "../model/findings.ts";
import { chatUnprefixed } from "../probes/chat.ts";
import { embedUnprefixed } from "../probes/embeddings.ts";
import { pollUnknown, pollUnprefixed } from "../probes/video.ts";

const bare = (path: string): string => path.slice(API_PREFIX.length);
const UNPREFIXED = [
  { name: "chat", probe: chatUnprefixed(bare(PATHS.chat)) },
  { name: "embeddings", probe: embedUnprefixed(bare(PATHS.embeddings)) },
  { name: "video", probe: pollUnprefixed(bare(PATHS.videos)) },
];

export const unprefixed = UNPREFIXED.map(({ name, probe }) =>
  observation({
    id: `paths.unprefixed.${name}`,
    row: "endpoints.prefix.absent",
    text: `what ${name} answers on its path without ${API_PREFIX}`,
    needs: name === "video" ? ["video.submit.minimal"] : [`${name}.minimal`],
    probe,
  }),
);

export const unknownTask = [
  clause({
    id: "video.unknown.not-2xx",
    row: "errors.unknown-task.not-2xx",
    level: "recommended",
    text: "an unknown task id is not answered as a task",
    needs: ["video.submit.minimal"],
    probe: pollUnknown(),
    provenBy: ["unknown-task-200"],
    judge: ([exchange]) => {
      if (exchange?.answer === undefined) return inconclusive(answered(exchange));
      return isSuccess(exchange) ? broken("no task has this id", answered(exchange)) : holds(answered(exchange));
    },
  }),
  clause({
    id: "video.unknown.form",
    row: "errors.unknown-task.form",
    level: "observed",
    text: "status and body of a poll of an unknown task id",
    needs: ["video.submit.minimal"],
    probe: pollUnknown(),
    judge: outcomeOf,
  }),
];
