import { describe, test } from "vitest";
import type { WireName } from "./model/start.ts";
import { expectWholeStory } from "./whole-story.ts";

describe.each(["anthropic", "openai-responses", "openai-chat"] satisfies WireName[])(
  "a whole story with %s",
  (wire) => {
    test("comes to its end, and the requests keep the rules of the context", () => expectWholeStory(wire));
  },
);
