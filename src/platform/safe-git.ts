// How git is called. Hooks load this file, so it starts nothing itself.

/**
 * A read-only look must not run programs that the repository configures, nor believe a bare repository that is committed
 * as plain files: its configuration and its index are the attacker's.
 */
export const safeGitOptions: readonly string[] = [
  "--no-optional-locks",
  "-c",
  "core.fsmonitor=false",
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "safe.bareRepository=explicit",
];

/** Set inside git hooks; they would make git look at another repository. */
const misleading = [
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_COMMON_DIR",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_PREFIX",
];

/** With a password for the shared store. Git starts programs that the user or a remote names, which need none. */
const secret = ["HOLDFAST_DATABASE_URL", "PGPASSWORD"];

type Env = Readonly<Record<string, string | undefined>>;

export function gitEnv(env: Env): Record<string, string | undefined> {
  const hidden = [...misleading, ...secret];
  return Object.fromEntries(Object.entries(env).filter(([name]) => !hidden.includes(name)));
}

/**
 * For a look at a repository: a partial clone fetches objects that it lacks in the middle of any command, from a remote
 * and with programs that its configuration names. The second variable is for versions of git before 2.45.
 */
export function readOnlyEnv(env: Env): Record<string, string | undefined> {
  return { ...gitEnv(env), GIT_NO_LAZY_FETCH: "1", GIT_ALLOW_PROTOCOL: "" };
}
