import { join } from "node:path";
import type { StartedRun } from "../../model/run.ts";
import type { Template } from "../../model/template.ts";
import type { Deps } from "../../operation/operation.ts";
import type { User } from "../../project/find-user.ts";
import { checkTrust, trustableRun } from "../workflows/trust.ts";
import type { UserSettings } from "../workflows/user-settings.ts";
import { type Allowance, nothingAllowed } from "./artifact-context.ts";

/** Only the user's own settings can allow more than reading the project: a project's settings come with its clone. */
export async function allowanceOf(deps: Deps, template: Template, run: StartedRun): Promise<Allowance> {
  const own = await settingsOf(deps.user);
  return {
    trusted: (await checkTrust(deps, trustableRun(run.workflow, template, run))) === null,
    trustsAll: own?.trust === "all",
    providers: own?.providers ?? {},
    allowOutside: outsidePaths(own, deps.user),
    env: deps.caller.env,
  };
}

/** What a hook may do: read where the user allows it, and run nothing. */
export async function readOnlyAllowance(user: User): Promise<Allowance> {
  return { ...nothingAllowed, allowOutside: outsidePaths(await settingsOf(user), user) };
}

/** Imported on demand, because the YAML parser is slow to load. */
async function settingsOf(user: User): Promise<UserSettings> {
  return (await import("../workflows/user-settings.ts")).readUserSettings(user);
}

function outsidePaths(own: UserSettings, { home }: User): string[] {
  return (own?.allow_outside ?? []).map((path) => expandHome(path, home));
}

/** No shell expands `~` in a settings file. */
function expandHome(path: string, home: string): string {
  return path === "~" || path.startsWith("~/") ? join(home, path.slice(1)) : path;
}
