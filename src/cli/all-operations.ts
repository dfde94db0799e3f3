import "../operation/quick-schemas.ts";
import { compose } from "../app/compose.ts";
import { operations } from "../app/operations.ts";
import { recordReply } from "../app/shown/record-reply.ts";

/** The head of the bundle that holds every operation. */
export const all = { compose, operations, recordReply };
