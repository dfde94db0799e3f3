import type { Io } from "../../src/cli/terminal/io.ts";

/** An io that remembers what was said, for calls that need no project. */
export function recordedIo(given: Partial<Io> = {}): { readonly io: Io; readonly said: { out: string; err: string } } {
  const said = { out: "", err: "" };
  const plain = { colours: false, columns: null };
  const io: Io = {
    // No such folder: a call that went further than it should could not do anything there.
    cwd: "/nowhere/at/all",
    env: {},
    isTerminal: false,
    // Tests may themselves run below an agent; whoever acts in one is who the test says.
    surroundings: () => ({ terminal: null, ancestors: [] }),
    styles: { out: plain, err: plain },
    signal: new AbortController().signal,
    stopInOrder: () => {},
    outliveHangup: () => {},
    out(text) {
      said.out += text;
    },
    err(text) {
      said.err += text;
    },
    readInput: async () => new Uint8Array(),
    ask: async () => "",
    listen: () => () => {},
    progress: () => {},
    panel: () => {},
    keepTrace: () => null,
    ...given,
  };
  return { io, said };
}
