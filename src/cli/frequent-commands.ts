import "../operation/quick-schemas.ts";
import { compose } from "../app/compose.ts";
import { frequentCommands } from "../app/frequent-commands.ts";
import { recordReply } from "../app/shown/record-reply.ts";

/** The head of a bundle that starts fast: see the table in scripts/bundle-cli.ts. */
export const commands = { compose, operations: frequentCommands, recordReply };
