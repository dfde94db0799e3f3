import { join } from "node:path";
import type { ToolScene } from "./tool.ts";

/** What programs need to run at all. Everything else stays with us, above all keys. */
const passed = new Set([
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"],
  ...["http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "JAVA_HOME"],
  ...["GOPATH", "GOROOT", "CARGO_HOME", "RUSTUP_HOME", "NVM_DIR", "VOLTA_HOME", "PYENV_ROOT", "VIRTUAL_ENV"],
]);

/** Nobody is there to answer: programs must not page, prompt or open an editor. */
const unattended = {
  ...{ TERM: "dumb", NO_COLOR: "1", PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0" },
  ...{ EDITOR: "false", VISUAL: "false", GIT_EDITOR: "false", SSH_ASKPASS_REQUIRE: "never" },
};

/** Those of the variables that programs get. */
export function usualVariables(
  env: ToolScene["env"],
  more: { readonly passed: readonly string[]; readonly hidden: readonly string[] },
): Record<string, string | undefined> {
  const isPassed = (name: string) =>
    more.passed.includes(name) || ((passed.has(name) || /^LC_[A-Z]+$/.test(name)) && !more.hidden.includes(name));
  return Object.fromEntries(Object.entries(env).filter(([name]) => isPassed(name)));
}

/** The environment of a command. `temporary` is where it sees its private folder for temporary files. */
export function shellEnvironment(scene: ToolScene, temporary: string): Record<string, string | undefined> {
  const { env, scratch, hiddenVariables, passedVariables } = scene;
  const cache = join(scratch, "cache");
  return {
    ...usualVariables(env, { passed: passedVariables, hidden: hiddenVariables }),
    ...unattended,
    TMPDIR: temporary,
    XDG_CACHE_HOME: cache,
    npm_config_cache: join(cache, "npm"),
  };
}
