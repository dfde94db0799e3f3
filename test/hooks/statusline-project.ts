import { expect } from "vitest";
import { lineFor } from "../../src/hooks/statusline.ts";
import { createProject, type Project, whole } from "../cli/program.ts";

/** Within this process: `printed` shows that the program prints the same. */
export async function line(
  project: Project,
  input: unknown = { session_id: "s1", cwd: project.root },
): Promise<string> {
  const text = await lineFor(JSON.stringify(input));
  return text === "" ? "" : `${text}\n`;
}

export async function printed(
  project: Project,
  input: unknown = { session_id: "s1", cwd: project.root },
): Promise<string> {
  const text = typeof input === "string" ? input : JSON.stringify(input);
  const { code, stdout, stderr } = await project.bundled(["statusline"], { input: text });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

export async function begin(workflow = whole): Promise<Project> {
  const project = createProject();
  project.write("flow.yaml", workflow);
  await project.holdfast(["start", "flow.yaml", "--session", "s1"]);
  return project;
}

export const advance = ["advance", "--session", "s1", "--output", "done"];
