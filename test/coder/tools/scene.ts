import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { projectTools } from "../../../src/coder/tools/project-tools.ts";
import type { ToolReply, ToolScene } from "../../../src/coder/tools/tool.ts";

/** A worktree with some files, and beside it a folder `outside` with a file of the user. */
export function createScene(files: Readonly<Record<string, string>> = {}, more: Partial<ToolScene> = {}): ToolScene {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "holdfast-tools-")));
  const scene: ToolScene = {
    root: join(top, "worktree"),
    scratch: join(top, "scratch"),
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
    signal: new AbortController().signal,
    level: "edit",
    policy: { allow: [], ask: [], deny: [] },
    deniedNames: [],
    hiddenVariables: [],
    passedVariables: [],
    sandbox: false,
    ...more,
  };
  for (const folder of [scene.root, scene.scratch, outsideOf(scene)]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(outsideOf(scene), "own.txt"), `${secret}\n`);
  for (const [path, content] of Object.entries(files)) putFile(scene, path, content);
  return scene;
}

export const secret = "SECRET-OF-THE-USER";

export const outsideOf = ({ root }: ToolScene) => join(dirname(root), "outside");

export function putFile({ root }: ToolScene, path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

/** Calls a tool as a model does. */
export function call(scene: ToolScene, name: string, input: unknown): Promise<ToolReply> {
  const tool = projectTools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`there is no tool ${name}`);
  return tool.run(input, scene);
}
