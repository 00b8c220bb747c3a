/** Serves a flood in a process of its own, so that it does not hold up what it is sent to. Prints its address. */

import { listenOnLoopback } from "../../support/targets/loopback-server.ts";
import { deafServer, floodServer } from "./flood-server.ts";

const [, , name = ""] = process.argv;
process.stdout.write(`${await listenOnLoopback(name === "deaf" ? deafServer() : floodServer(name))}\n`);
