import { type GitAnswer, gitFailed, type Repository, startGit } from "./git-plumbing.ts";

/** One git process that reads as many objects as are asked for, one after the other. */
export interface GitObjects {
  /** Null where there is no such object. */
  read(name: string): Promise<Buffer | null>;
  close(): void;
}

/** Longer ones are none of ours; reading them would only fill the memory. */
const longestObject = 256 * 1024 * 1024;

export function openObjects(repository: Repository): GitObjects {
  const args = ["cat-file", "--batch"];
  const child = startGit(repository, args);
  const err: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  child.stdin.on("error", () => {});
  const ended = new Promise<GitAnswer["code"]>((resolve) => {
    child.once("error", () => resolve(128));
    child.once("close", (code) => resolve(code ?? 128));
  });
  const source = createSource(child.stdout);
  return {
    async read(name) {
      child.stdin.write(`${name}\n`);
      const head = await source.line();
      const [, size] = /^[0-9a-f]+ \w+ (\d+)$/.exec(head ?? "") ?? [];
      if (size === undefined && head !== null) return null;
      const length = Number(size);
      const body = head === null || length > longestObject ? null : await source.bytes(length + 1);
      if (body !== null) return body.subarray(0, length);
      child.kill();
      await ended;
      throw gitFailed(args, length > longestObject ? `${name} is too long` : Buffer.concat(err).toString());
    },
    close: () => child.stdin.end(),
  };
}

/** A stream by lines and counts; null where it ends before. */
function createSource(stream: AsyncIterable<Buffer>) {
  const chunks = stream[Symbol.asyncIterator]();
  let held: Buffer = Buffer.alloc(0);
  async function more(): Promise<boolean> {
    const next = await chunks.next();
    if (next.done !== true) held = held.length === 0 ? next.value : Buffer.concat([held, next.value]);
    return next.done !== true;
  }
  function take(length: number): Buffer {
    const taken = held.subarray(0, length);
    held = held.subarray(length);
    return taken;
  }
  return {
    async line(): Promise<string | null> {
      while (!held.includes("\n")) if (!(await more())) return null;
      return take(held.indexOf("\n") + 1)
        .toString()
        .trimEnd();
    },
    async bytes(length: number): Promise<Buffer | null> {
      const parts: Buffer[] = [];
      for (let left = length; left > 0; ) {
        if (held.length === 0 && !(await more())) return null;
        const part = take(left);
        left -= part.length;
        parts.push(part);
      }
      return Buffer.concat(parts);
    },
  };
}
