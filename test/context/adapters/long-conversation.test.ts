import { test } from "vitest";
import { expectValidRequests } from "./long-conversation.ts";

test.each(["anthropic"] as const)("%s: of 300 turns in a small window, no request is invalid", expectValidRequests);
