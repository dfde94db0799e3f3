import { join } from "node:path";
import type { Template } from "../../model/template.ts";
import type { Deps } from "../../operation/operation.ts";
import type { User } from "../../project/find-user.ts";
import { checkTrust, readUserSettings } from "../workflows/trust.ts";
import { type Allowance, nothingAllowed } from "./artifact-world.ts";

/** Only the person's own settings allow more than reading the project: a project could bring its own along. */
export async function allowanceOf(deps: Deps, template: Template, hash: string): Promise<Allowance> {
  const own = await readUserSettings(deps.user);
  return {
    trusted: (await checkTrust(deps, template.name, template, hash)) === null,
    trustsAll: own?.trust === "all",
    providers: own?.providers ?? {},
    allowOutside: outsideOf(own, deps.user),
  };
}

/** What a hook may: it reads where the person lets it, and runs nothing. */
export async function readingOf(user: User): Promise<Allowance> {
  return { ...nothingAllowed, allowOutside: outsideOf(await readUserSettings(user), user) };
}

function outsideOf(own: Awaited<ReturnType<typeof readUserSettings>>, { home }: User): string[] {
  return (own?.allow_outside ?? []).map((path) => fromHome(path, home));
}

/** `~` is what people write for their home, and no shell is there to read it. */
function fromHome(path: string, home: string): string {
  return path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : path;
}
