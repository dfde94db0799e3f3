import { gitFailed, type Repository, startGit } from "./git-plumbing.ts";

/** Reads any number of objects, one after the other, with two git processes in total. */
export interface GitObjects {
  /** Null if there is no such object. One that is longer than `most` is not read. */
  read(name: string, most: number): Promise<Buffer | "too-long" | null>;
  close(): void;
}

export function openObjects(repository: Repository): GitObjects {
  const sizes = openBatch(repository, ["cat-file", "--batch-check"]);
  const contents = openBatch(repository, ["cat-file", "--batch"]);
  return {
    async read(name, most) {
      const found = await sizes.ask(name);
      if (found === null) return null;
      if (found.length > most) return "too-long";
      const again = await contents.ask(found.id);
      return again === null ? null : contents.take(again.length);
    },
    close() {
      sizes.close();
      contents.close();
    },
  };
}

/** One git process that answers each name with a line: the object's id, type and length. */
function openBatch(repository: Repository, args: readonly string[]) {
  const child = startGit(repository, args);
  const err: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
  child.stdin.on("error", () => {});
  const ended = new Promise<void>((resolve) => {
    child.once("error", () => resolve());
    child.once("exit", () => resolve());
  });
  const source = createSource(child.stdout);

  async function orFail<T>(answer: Promise<T | null>): Promise<T> {
    const given = await answer;
    if (given !== null) return given;
    // Nobody reads any further, so neither git nor we may wait for the rest.
    child.stdout.destroy();
    child.kill();
    await ended;
    throw gitFailed(args, Buffer.concat(err).toString());
  }

  return {
    async ask(name: string): Promise<{ readonly id: string; readonly length: number } | null> {
      child.stdin.write(`${name}\n`);
      const [, id, size] = /^([0-9a-f]+) \w+ (\d+)$/.exec(await orFail(source.line())) ?? [];
      return id === undefined ? null : { id, length: Number(size) };
    },
    /** The content after such a line, and the newline after that. */
    take: async (length: number) => (await orFail(source.bytes(length + 1))).subarray(0, length),
    close: () => child.stdin.end(),
  };
}

/** Reads a stream by lines and byte counts; null if it ends early. */
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
