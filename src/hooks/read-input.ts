import { parseJson } from "../model/json.ts";

/** Reads the input of a hook. Does not wait for a host that keeps standard input open. */
export async function readInput(stream: NodeJS.ReadStream, timeoutMs: number): Promise<string> {
  if (stream.isTTY) return "";
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      // An open stream would keep this process alive.
      stream.pause();
      resolve(Buffer.concat(chunks).toString("utf8"));
    };
    const timer = setTimeout(finish, timeoutMs);
    stream.on("data", (chunk: Buffer) => {
      size += chunk.length;
      // Input above the limit is drained, so that the host can continue, but not kept.
      if (size <= longestInput) chunks.push(chunk);
      if (isWhole(chunks)) finish();
    });
    stream.on("end", finish);
    stream.on("error", finish);
  });
}

/** The input is one JSON value that usually arrives in one chunk, so there is no need to wait for its end. */
function isWhole(chunks: readonly Buffer[]): boolean {
  const [first, second] = chunks;
  return first !== undefined && second === undefined && parseJson(first.toString("utf8")) !== undefined;
}

const longestInput = 32 * 1024 * 1024;
