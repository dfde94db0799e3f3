import { parseJson } from "../model/json.ts";

/** What the host hands over on standard input; a host that keeps it open is not waited for. */
export async function readInput(stream: NodeJS.ReadStream, patienceMs: number): Promise<string> {
  if (stream.isTTY) return "";
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      // One that stays open would keep this process alive.
      stream.pause();
      resolve(Buffer.concat(chunks).toString("utf8"));
    };
    const timer = setTimeout(finish, patienceMs);
    stream.on("data", (chunk: Buffer) => {
      size += chunk.length;
      // What is too long to be a hook's input is drained, so that the host can go on, and not kept.
      if (size <= longestInput) chunks.push(chunk);
      if (isWhole(chunks)) finish();
    });
    stream.on("end", finish);
    stream.on("error", finish);
  });
}

/** Its end need not be waited for: the input is one value, and most of it comes in one piece. */
function isWhole(chunks: readonly Buffer[]): boolean {
  const [first, second] = chunks;
  return first !== undefined && second === undefined && parseJson(first.toString("utf8")) !== undefined;
}

const longestInput = 32 * 1024 * 1024;
