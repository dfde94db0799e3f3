import { agentVariable } from "../../hosts/agents.ts";
import { type Deps, no, type Outcome, yes } from "../../operation/operation.ts";
import { callGit, openRepository, type Repository, withoutCredentials } from "../../platform/git-plumbing.ts";

/** A git remote of the project, for pushing and pulling runs. */
export interface Remote {
  readonly repository: Repository;
  readonly name: string;
  /** The push URLs for display, without credentials. */
  readonly address: string;
  /** What to fetch from to see what was pushed: the remote's name, or its push URL if that differs. */
  readonly pushTarget: string;
}

/** Chooses the named remote; without a name the branch's own, else origin, else the only one. */
export async function chooseRemote(deps: Deps, named: string | undefined): Promise<Outcome<Remote>> {
  const { roots, caller } = deps;
  const repository = await openRepository(
    { folder: roots.projectRoot, env: caller.env, signal: caller.signal },
    // An agent's shell may be a terminal, and nobody would answer a prompt there; with --json a program is reading.
    { attended: caller.confirm !== undefined && agentVariable(caller.env) === undefined },
  );
  if (repository === null) return no({ code: "remote-unknown", remote: named ?? null, known: [] });
  const known = (await gitOutput(repository, ["remote"])).split("\n").filter((name) => name !== "");
  const wanted = named === undefined ? await defaultRemote(repository, known) : named;
  const name = known.find((each) => each === wanted);
  if (name === undefined) return no({ code: "remote-unknown", remote: named ?? null, known });
  const addresses = async (...which: readonly string[]) =>
    (await gitOutput(repository, ["remote", "get-url", ...which, name])).split("\n");
  const [fetched, pushed] = [await addresses(), await addresses("--push", "--all")];
  const [first = ""] = pushed;
  const address = pushed.map(withoutCredentials).join(", ");
  return yes({ repository, name, address, pushTarget: first === fetched[0] || first === "" ? name : first });
}

async function defaultRemote(repository: Repository, known: readonly string[]): Promise<string | undefined> {
  const branch = await gitOutput(repository, ["symbolic-ref", "--short", "--quiet", "HEAD"]);
  const followed = branch === "" ? "" : await gitOutput(repository, ["config", "--get", `branch.${branch}.remote`]);
  const [only] = known.length === 1 ? known : [];
  return [followed, "origin"].find((name) => known.includes(name)) ?? only;
}

/** Git's output; empty if the command fails. */
async function gitOutput(repository: Repository, args: readonly string[]): Promise<string> {
  const { code, out } = await callGit(repository, args);
  return code === 0 ? out.toString().trim() : "";
}
