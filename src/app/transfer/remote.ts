import { type Deps, no, type Outcome, yes } from "../../operation/operation.ts";
import { callGit, openRepository, type Repository, withoutCredentials } from "../../platform/git-plumbing.ts";

/** A git remote of the project that runs travel over. */
export interface Remote {
  readonly repository: Repository;
  readonly name: string;
  /** Where pushes go, as it may be shown. */
  readonly address: string;
  /** What git is told, to see what is there: the name, or the address where another one is fetched from. */
  readonly pushedTo: string;
}

/** The remote that is named; else the one that the branch follows, else origin, else the only one. */
export async function chooseRemote(deps: Deps, named: string | undefined): Promise<Outcome<Remote>> {
  const { roots, caller } = deps;
  const repository = await openRepository(
    { folder: roots.projectRoot, env: caller.env, signal: caller.signal },
    { attended: caller.isTerminal },
  );
  if (repository === null) return no({ code: "remote-unknown", remote: named ?? null, known: [] });
  const known = (await tell(repository, ["remote"])).split("\n").filter((name) => name !== "");
  const wanted = named === undefined ? await usual(repository, known) : named;
  const name = known.find((each) => each === wanted);
  if (name === undefined) return no({ code: "remote-unknown", remote: named ?? null, known });
  const addresses = async (...which: readonly string[]) =>
    (await tell(repository, ["remote", "get-url", ...which, name])).split("\n");
  const [fetched, pushed] = [await addresses(), await addresses("--push", "--all")];
  const [first = ""] = pushed;
  const address = pushed.map(withoutCredentials).join(", ");
  return yes({ repository, name, address, pushedTo: first === fetched[0] || first === "" ? name : first });
}

async function usual(repository: Repository, known: readonly string[]): Promise<string | undefined> {
  const branch = await tell(repository, ["symbolic-ref", "--short", "--quiet", "HEAD"]);
  const followed = branch === "" ? "" : await tell(repository, ["config", "--get", `branch.${branch}.remote`]);
  const [only] = known.length === 1 ? known : [];
  return [followed, "origin"].find((name) => known.includes(name)) ?? only;
}

/** Empty where git has no answer. */
async function tell(repository: Repository, args: readonly string[]): Promise<string> {
  const { code, out } = await callGit(repository, args);
  return code === 0 ? out.toString().trim() : "";
}
