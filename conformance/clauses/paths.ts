/** Paths: what happens without the prefix /v1. */

import { API_PREFIX, PATHS } from "../../contract/service.ts";
import { observation } from "../builders/clause-builders.ts";
import { chatUnprefixed } from "../probes/chat.ts";
import { embedUnprefixed } from "../probes/embeddings.ts";
import { pollUnprefixed } from "../probes/video.ts";

const bare = (path: string): string => path.slice(API_PREFIX.length);
const UNPREFIXED = [
  { name: "chat", probe: chatUnprefixed(bare(PATHS.chat)) },
  { name: "embeddings", probe: embedUnprefixed(bare(PATHS.embeddings)) },
  { name: "video", probe: pollUnprefixed(bare(PATHS.videos)) },
];

export const unprefixed = UNPREFIXED.map(({ name, probe }) =>
  observation(`paths.unprefixed.${name}`, `what ${name} returns on its path without ${API_PREFIX}`, {
    row: "endpoints.prefix.absent",
    needs: name === "video" ? ["video.submit.minimal"] : [`${name}.minimal`],
    probe,
  }),
);
