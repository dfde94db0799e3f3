import { by, faberProject } from "../cli/faber.ts";
import type { Project } from "../cli/program.ts";
import { session } from "./events.ts";
import { contextOf, runHook } from "./hook-program.ts";

export const mine = by(session);
export const restore = async (project: Project, source: string, id = session) =>
  contextOf(await runHook(project, "SessionStart", { session_id: id, source }));
export const compact = (project: Project) => runHook(project, "PreCompact", { session_id: session, trigger: "auto" });
export const prime = (project: Project) => project.json(["prime"], mine);

export async function started(): Promise<Project> {
  const project = faberProject();
  await project.json(["start", "faber"], mine);
  return project;
}

/** Far too long for a handoff. */
export const sections = Array.from({ length: 400 }, (_, n) => `## Rule ${n}\n${"Never cut the rope. ".repeat(25)}\n`);
export const protocol = `# Protocol\nBegin with the rope.\n${sections.join("")}The end is free.\n`;
