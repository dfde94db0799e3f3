import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
const installMs = 5 * 60_000;

/** Makes sure that tmux is there: installed by apt on first use, unless it already is. */
export async function installTmux(): Promise<void> {
  if (await succeeds("tmux", ["-V"])) return;
  const install = process.getuid?.() === 0 ? ["apt-get"] : ["sudo", "-n", "apt-get"];
  const apt = (...words: readonly string[]) => {
    const [program = "", ...rest] = [...install, "-qq", ...words];
    return run(program, rest, { timeout: installMs, env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } });
  };
  try {
    await apt("update");
    await apt("install", "-y", "--no-install-recommends", "tmux");
  } catch (error) {
    throw new Error("these tests need tmux, and apt-get could not install it; install tmux, then try again", {
      cause: error,
    });
  }
}

async function succeeds(program: string, words: readonly string[]): Promise<boolean> {
  try {
    await run(program, [...words]);
    return true;
  } catch {
    return false;
  }
}
