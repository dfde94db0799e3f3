import { onTestFinished } from "vitest";
import { type Answering, listenOnLoopback } from "./loopback-server.ts";

/** A server on loopback until the test ends; returns its address. */
export async function serveLoopback(answering: Answering): Promise<string> {
  const { url, close } = await listenOnLoopback(answering);
  onTestFinished(close);
  return url;
}
