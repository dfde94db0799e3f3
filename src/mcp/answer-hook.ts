import { handleHookEvent } from "../app/continuity/events/handle-hook-event.ts";
import { createHookPorts } from "../app/continuity/ports/hook-ports.ts";
import { createServerPorts } from "../app/continuity/ports/server-ports.ts";
import { hookOutput } from "../hosts/contract/contract.ts";
import { defaultHost, hostNames } from "../hosts/contract/names.ts";
import { contracts } from "../hosts/contracts.ts";
import { parseHookInput } from "../hosts/hook-input.ts";
import type { Deps } from "../operation/operation.ts";
import { logTrouble } from "../project/trouble-log.ts";
import { type Conversation, hostProcess } from "../sessions/conversation.ts";
import { normalizeSessionId } from "../sessions/normalize-session-id.ts";

/** Claude Code tells the model about every hook whose answer is empty text; an empty object says nothing. */
const silence = "{}";

/** Fails open like every hook: whatever goes wrong, the host gets an answer that says nothing. */
export async function answerHook(
  deps: Deps,
  conversation: Conversation,
  sent: Readonly<Record<string, unknown>>,
): Promise<string> {
  try {
    const host = hostNames.find((name) => name === sent.host) ?? defaultHost;
    const event = parseHookInput(host, null, JSON.stringify(sent));
    if (event === null) return silence;
    const said = normalizeSessionId(event.session ?? undefined);
    if (said !== undefined) conversation.learn(said);
    const via = typeof sent.via === "string" ? sent.via : "mcp";
    const hook = { session: said ?? conversation.session(), host, via, parent: hostProcess() };
    // A hook waits for no network, so it reads the copy of a run in a shared store, and queues what it has to record.
    const isLocal = (await deps.shared()) === null;
    const ports = isLocal ? await createServerPorts(deps) : await createHookPorts(deps.roots.projectRoot, deps.roots);
    const answer = await handleHookEvent(ports, hook, event);
    for (const trouble of ports.troubles) logTrouble(deps.roots.stateRoot, trouble);
    return hookOutput(contracts[host], event.name, answer) || silence;
  } catch (error) {
    logTrouble(deps.roots.stateRoot, error);
    return silence;
  }
}
