import { join } from "node:path";
import { parse } from "yaml";
import * as z from "zod";
import { HoldfastError } from "../../errors.ts";
import type { Deps } from "../../operation/operation.ts";
import { readTextIfExists } from "../../platform/files.ts";
import { sizeLimits } from "../../platform/size-limits.ts";

/** The user's own settings, which no project can change. */
export async function readUserSettings({ configFolder }: Deps["user"]): Promise<UserSettings> {
  const file = join(configFolder, "config.yaml");
  const text = readTextIfExists(file, sizeLimits.settings);
  if (text === null) return null;
  const parsed = Config.safeParse(parseYaml(text));
  if (parsed.success) return parsed.data;
  const problem = 'it is no settings file: a map in YAML, where trust is "all" or left out, and database is a URL';
  throw new HoldfastError("state-broken", { file, problem, fix: "correct the file, then try again" });
}

/** The parts of the user's own settings that are used here. */
const Config = z
  .looseObject({
    trust: z.literal("all").optional(),
    /** The database with the runs of shared projects, as a URL that may have a password. */
    database: z.string().min(1).optional(),
    /** Programs that load artifacts of the type `skill` or `work_plugin`. */
    providers: z.record(z.string(), z.array(z.string()).min(1)).optional(),
    /** Variables with keys of providers that gates get although `holdfast run` drives an agent with them. */
    pass_env: z.array(z.string().min(1)).optional(),
    /** Folders outside the project that artifacts may be read from. */
    allow_outside: z.array(z.string().min(1)).optional(),
  })
  .nullable();
export type UserSettings = z.infer<typeof Config>;

/** Returns a value that no schema accepts if the text is not YAML. */
function parseYaml(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof Error && error.name === "YAMLParseError") return undefined;
    throw error;
  }
}
