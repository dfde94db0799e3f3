import { expect, it } from "vitest";
import { readPage } from "../docs/markdown.ts";
import { by } from "./faber.ts";
import { createProject } from "./program.ts";

it("the example of the guide does what the guide says", async () => {
  const { text: guide, blocks } = readPage("docs/artifacts.md");
  const example = blocks.find(({ path }) => path === ".holdfast/workflows/story.yaml")?.text ?? "";
  const project = createProject();
  project.write(".holdfast/workflows/story.yaml", example);
  project.write("docs/protocol.md", "One step at a time.\n");
  project.write("plans/7.json", '{"goal":"a button"}');
  project.write("specs/258.md", "The button is blue.\n");
  const mine = by("s1");
  expect((await project.json(["lint", ".holdfast/workflows/story.yaml"])).code).toBe(0);

  const { artifacts } = (await project.json(["start", "story"], mine)).value;
  for (const part of ['"step": "frame"', "One step at a time.", '"goal": "a button"']) {
    expect(artifacts).toContain(part);
  }
  await project.json(["advance", "--output", "framed"], mine);
  const words = ["advance", "--output", "specified", "--artifact", "spec_path=specs/258.md"];
  expect(guide).toContain('holdfast advance --output "specified" --artifact spec_path=specs/258.md');
  expect((await project.json(words, mine)).value.artifacts).toContain("The button is blue.");
  const lines = [...guide.matchAll(/^holdfast (prime[^#\n]*)/gm)].map(([, line = ""]) => line.trim().split(" "));
  expect(lines).toHaveLength(4);
  for (const line of lines) expect((await project.holdfast(line, mine)).code).toBe(0);
});
