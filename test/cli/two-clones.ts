import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { createProject, type Project, twoSteps } from "./program.ts";

export function git({ root, home }: Project, ...args: readonly string[]): string {
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org"];
  const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: "1" };
  return execFileSync("git", [...identity, ...args], { cwd: root, env, encoding: "utf8", stdio: "pipe" });
}

/** Two clones at different places with a bare repository between them, and a run that has begun in the first. */
export async function clones() {
  const [here, there] = [createProject("here"), createProject("somewhere else")];
  const remote = join(dirname(here.root), "remote.git");
  execFileSync("git", ["init", "--quiet", "--bare", remote]);
  here.write(".holdfast/workflows/two-steps.yaml", twoSteps);
  for (const project of [here, there]) {
    git(project, "init", "--quiet", "--initial-branch=main");
    git(project, "remote", "add", "origin", remote);
  }
  await here.holdfast(["start", "two-steps", "--summary", "the toggle"]);
  await here.holdfast(["advance", "--output", "a plan"]);
  const run = (await here.json(["runs"])).value.runs[0].runId as string;
  return { here, there, remote, run };
}
