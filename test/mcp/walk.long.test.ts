import { test } from "vitest";
import { walk, ways } from "./walked.ts";

test.each([ways.auto, ways.legacy, ways.newest])(
  "a workflow is walked from its start to its end by %s",
  (_name, open) => walk(open),
);
