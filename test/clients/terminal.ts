import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

export interface Opening {
  readonly columns?: number;
  readonly rows?: number;
  readonly cwd: string;
  /** The whole environment; nothing of ours is handed down. */
  readonly env: Readonly<Record<string, string>>;
  /** The program and its words, started without a shell. */
  readonly command: readonly string[];
}

/** A terminal as a person sees it: what is on the screen, rather than everything that was ever printed. */
export interface Terminal {
  /** Types the text as it is, without Enter. */
  type(text: string): Promise<void>;
  /** Presses a key by tmux's name for it: `Enter`, `Escape`, `Down`, `C-c`. */
  press(key: string): Promise<void>;
  /** The lines on the screen now, without spaces at their ends. */
  screen(): Promise<string>;
  /** The screen together with what has scrolled out of it. */
  history(): Promise<string>;
  /** The screen, once it matches. */
  waitFor(pattern: RegExp): Promise<string>;
  /** The exit code of the program, once it has ended. */
  ended(): Promise<number>;
  /** Ends the program and the terminal. A test that ends does so by itself. */
  close(): Promise<void>;
}

const run = promisify(execFile);
const patienceMs = 60_000;
const lookEveryMs = 50;

/** Starts a program in a terminal of its own, in a tmux server that nothing else uses. */
export async function openTerminal(opening: Opening): Promise<Terminal> {
  const { columns = 80, rows = 24, cwd, env, command } = opening;
  const socket = join(mkdtempSync(join(tmpdir(), "tmux-")), "s");
  const tmux = async (...words: readonly string[]) => {
    const { stdout } = await run("tmux", ["-u", "-S", socket, ...words], { cwd, env });
    return stdout;
  };
  const capture = async (...words: readonly string[]) => (await tmux("capture-pane", "-p", ...words)).trimEnd();
  const screen = () => capture();
  let isOpen = true;
  const close = async () => {
    if (!isOpen) return;
    isOpen = false;
    // It may be gone: the end of a test ends every process with its home.
    await tmux("kill-server").catch(() => {});
  };
  onTestFinished(close);
  const size = ["-x", String(columns), "-y", String(rows)];
  // A screen that stays when its program ends can still be read.
  const settings = { status: "off", "remain-on-exit": "on", "remain-on-exit-format": "" };
  const set = Object.entries(settings).flatMap(([name, value]) => ["set", "-g", name, value, ";"]);
  await tmux("-f", "/dev/null", ...set, "new-session", "-d", ...size, "-c", cwd, "--", ...command);

  async function poll<T>(look: () => Promise<T | null>, what: string): Promise<T> {
    const end = Date.now() + patienceMs;
    for (;;) {
      const isLast = Date.now() > end || (await endOf(tmux)) !== null;
      const found = await look();
      if (found !== null) return found;
      if (isLast) throw new Error(`${what}; the screen shows:\n${await screen()}`);
      await pause(lookEveryMs);
    }
  }

  return {
    // A semicolon at the end would end tmux's own command.
    type: async (text) => void (await tmux("send-keys", "-l", "--", text.replace(/;$/, "\\;"))),
    press: async (key) => void (await tmux("send-keys", "--", key)),
    screen,
    history: () => capture("-S", "-"),
    waitFor: (pattern) =>
      poll(async () => {
        const shown = await screen();
        return pattern.test(shown) ? shown : null;
      }, `${pattern} was never shown`),
    ended: () => poll(() => endOf(tmux), "the program has not ended"),
    close,
  };
}

/**
 * The exit code of the program, or null while it runs. A pane is dead when its terminal is closed, which is before tmux
 * knows how the program ended. tmux 3.3 sometimes misses that end until the next of its own processes ends.
 */
async function endOf(tmux: (...words: readonly string[]) => Promise<string>): Promise<number | null> {
  const [isDead, status] = (await tmux("display-message", "-p", "#{pane_dead} #{pane_dead_status}")).trim().split(" ");
  if (isDead !== "1") return null;
  if (status !== undefined) return Number(status);
  await tmux("run-shell", "true");
  return null;
}
