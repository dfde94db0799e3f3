import { isRecord, parseJson } from "../../model/json.ts";
import { hasCode } from "../../platform/files.ts";
import { HttpProblem } from "./problem.ts";

/** Far above what a person types or an agent sends. */
const mostBytes = 1_000_000;

/** The object in the body of a request. Nothing beyond the limit is read: the connection ends instead. */
export async function readObject(request: Request): Promise<Readonly<Record<string, unknown>>> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json(?:\s*;|$)/i.test(type)) {
    throw new HttpProblem(415, "usage", "the body must be JSON", "send it with content-type: application/json");
  }
  const value = parseJson(await readText(request));
  if (!isRecord(value)) throw new HttpProblem(400, "usage", "the body is not a JSON object", "send one, such as {}");
  return value;
}

async function readText(request: Request): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > mostBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size > mostBytes) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    if (!request.signal.aborted && !hasCode(error, "ECONNRESET")) throw error;
    // Nobody is left who could read this.
    throw new HttpProblem(400, "usage", "the body ended too early", "send it again");
  }
  return Buffer.concat(chunks).toString("utf8");
}

function tooLarge(): HttpProblem {
  const message = `the body has more than ${mostBytes.toLocaleString("en")} bytes`;
  return new HttpProblem(413, "too-large", message, "send less; put long texts in a file of the project");
}
