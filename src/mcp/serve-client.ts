import type { Readable, Writable } from "node:stream";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { isHoldfastError } from "../errors.ts";
import type { Caller } from "../operation/operation.ts";
import { hasRuns } from "../project/has-runs.ts";
import { version } from "../project/version.ts";
import { sessionIn } from "../sessions/conversation.ts";
import type { CallHandler, ServerFolders } from "./call-handler.ts";
import { logError } from "./failure.ts";
import { createMcpServer } from "./server.ts";
import { openStdioTransport } from "./stdio-transport.ts";

/** Long enough for a client to list the tools first. */
const greetingMs = 100;

/** Answers the client at the other end of two streams. */
export function serveClient(
  folders: ServerFolders,
  env: Caller["env"],
  input: Readable,
  output: Writable,
): { close(): Promise<void> } {
  let opened: Promise<CallHandler> | undefined;
  const calls = () => {
    opened ??= import("./call-handler.ts")
      .then(({ createCallHandler }) => createCallHandler(folders, env))
      .catch((error) => {
        opened = undefined;
        throw error;
      });
    return opened;
  };
  let live: Promise<string> | undefined;
  serveStdio(
    async () => {
      // Load the calls soon after the greeting, before the first one arrives.
      // The first call tries again and reports a failure.
      setTimeout(() => calls().catch(() => {}), greetingMs).unref();
      live ??= describeLive(folders, env);
      return createMcpServer(calls, { version: version(), fallbackWorkflow: folders.workflow, live: await live });
    },
    {
      transport: openStdioTransport(input, output),
      onerror: (error) => process.stderr.write(`${error.message.slice(0, 1_000)}\n`),
    },
  );
  return { close: () => opened?.then((one) => one.close()) ?? Promise.resolve() };
}

/** What the greeting says about live runs. Whatever is wrong with the project, the client is greeted. */
async function describeLive({ worktree, stateRoot = worktree }: ServerFolders, env: Caller["env"]): Promise<string> {
  try {
    if (!hasRuns(stateRoot)) return "";
    const { liveRunsText } = await import("../app/continuity/events/live-runs.ts");
    return await liveRunsText(stateRoot, sessionIn(env) ?? "");
  } catch (error) {
    if (!isHoldfastError(error)) logError(error);
    return "";
  }
}
