/**
 * The plugin that opencode loads from a project: a small program without dependencies that passes what happens to the
 * hook program, through the shim. opencode awaits every function of a plugin and fails the request if one throws, so
 * each of them ends in time and swallows its errors; without Holdfast none of them does anything.
 */
export const pluginText = String.raw`// Connects opencode to Holdfast, wherever it is installed. Made by "holdfast init"; commit it.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const hook = fileURLToPath(new URL("../../.holdfast/hook.cjs", import.meta.url));
/** Holdfast gives up after 2 seconds; on a machine too slow even to start it, opencode goes on without it. */
const longestMs = 6_000;
const writers = ["write", "edit", "multiedit", "patch", "apply_patch"];

/** What the model gets must not depend on the plugin: an error in here ends here. */
const quiet = (act) => async (input, output) => {
  try {
    await act(input ?? {}, output ?? {});
  } catch {}
};

export const Holdfast = async ({ client, directory }) => {
  const sessions = new Map();
  const parents = new Map();
  const created = new Set();
  const triggers = new Map();
  /** The session for which the MCP server of this process takes a call. */
  let served = null;
  let reachesMessages = false;

  /** The session of a subagent has a parent, whose business the workflow is. */
  async function isSubagent(id) {
    if (!parents.has(id)) {
      const found = await Promise.resolve(client?.session?.get?.({ path: { id } })).catch(() => null);
      parents.set(id, found?.data?.parentID ?? null);
    }
    return parents.get(id) !== null;
  }

  function rootOf(id) {
    const parent = parents.get(id) ?? null;
    return parent === null ? id : rootOf(parent);
  }

  function stateOf(id) {
    if (!sessions.has(id)) sessions.set(id, { id, loss: "start", works: false, queue: Promise.resolve() });
    return sessions.get(id);
  }

  /** One event after the other: their order has a meaning. */
  function ask(state, event, fields) {
    const input = { session_id: state.id, cwd: directory, hook_event_name: event, ...fields };
    state.queue = state.queue.then(() => runHook(event, input, directory)).catch(() => ({}));
    return state.queue;
  }

  function tell(message) {
    if (message) void Promise.resolve(client?.tui?.showToast?.({ body: { message, variant: "info" } })).catch(() => {});
  }

  /** Several sessions may share one process, and with it the MCP server. */
  async function serve(id) {
    if (served === id) return;
    served = id;
    await ask(stateOf(id), "UserPromptSubmit", {});
  }

  /** Adds what the summary must keep. A newer opencode may call this by two names. */
  async function compacting({ sessionID }, { context }) {
    if (typeof sessionID !== "string" || (await isSubagent(sessionID))) return;
    const state = stateOf(sessionID);
    if (state.loss !== "compact") {
      Object.assign(state, { loss: "compact", passed: false });
      state.keep = (await ask(state, "PreCompact", { trigger: triggers.get(sessionID) })).instructions;
    }
    if (state.keep && Array.isArray(context) && !context.includes(state.keep)) context.push(state.keep);
  }

  /** The summary of a compaction is marked; what is about to be summarized has none. */
  function isCompacted(messages) {
    return messages.some(({ info }) => info.role === "assistant" && info.summary === true);
  }

  function sourceOf({ id, loss }, messages) {
    if (loss === "compact") return loss;
    if (!messages.some(({ info }) => info.role === "assistant")) return "startup";
    return created.has(id) ? "fork" : "resume";
  }

  /** Asks for what the session has lost, once for each loss. */
  async function load(state, source, anchor) {
    if (state.loss === null) return;
    Object.assign(state, { loss: null, anchor });
    served = state.id;
    const { context, notice } = await ask(state, "SessionStart", { source });
    Object.assign(state, { context, works: state.works || context !== undefined });
    tell(notice);
  }

  /** The conversation that is about to be summarized passes here once, too. */
  function isPassing(state, messages) {
    if (state.loss !== "compact" || state.passed || isCompacted(messages)) return false;
    state.passed = true;
    return true;
  }

  /**
   * Puts the handoff before the first message after a loss of context. It is not stored, but it is the same in every
   * request until the next loss, so that the provider can cache the prompt.
   */
  async function restore(_, { messages }) {
    const sessionID = messages?.at(-1)?.info.sessionID;
    if (typeof sessionID !== "string") return;
    reachesMessages = true;
    if (await isSubagent(sessionID)) return;
    const state = stateOf(sessionID);
    if (isPassing(state, messages)) return;
    const last = messages.findLast(({ info }) => info.role === "user");
    await load(state, sourceOf(state, messages), last?.info.id);
    const place = messages.find(({ info }) => info.id === state.anchor) ?? last;
    if (!state.context || place === undefined) return;
    state.anchor = place.info.id;
    const part = { id: "prt_holdfast", sessionID, messageID: state.anchor, type: "text", synthetic: true };
    place.parts.unshift({ ...part, text: state.context });
  }

  /** In an opencode without the hook for messages, in the system prompt; that of the agent for titles needs none. */
  async function restoreInSystem({ sessionID }, { system }) {
    if (reachesMessages || typeof sessionID !== "string" || /title generator/.test(system[0])) return;
    if (await isSubagent(sessionID)) return;
    const state = stateOf(sessionID);
    if (isPassing(state, [])) return;
    await load(state, state.loss === "compact" ? "compact" : created.has(sessionID) ? "startup" : "resume");
    if (state.context) system.push(state.context);
  }

  async function beforeMessage({ sessionID }, { message, parts }) {
    if (typeof sessionID !== "string" || (await isSubagent(sessionID))) return;
    const state = stateOf(sessionID);
    const held = state.held !== undefined && parts?.some(({ text }) => text === state.held);
    const { agent, model } = message ?? {};
    Object.assign(state, { turn: true, held: held ? state.held : undefined, failed: false, agent, model });
    if (state.loss === null) await serve(sessionID);
  }

  async function beforeTool({ tool, sessionID }) {
    if (!tool.startsWith("holdfast_")) return;
    const root = rootOf(sessionID);
    stateOf(root).works = true;
    await serve(root);
  }

  async function afterTool({ tool, sessionID, args }) {
    const state = sessions.get(sessionID);
    if (state === undefined) return;
    if (/\bholdfast\b/.test(args?.command)) state.works = true;
    const input = { file_path: args?.filePath, patch: args?.patchText };
    if (state.works && writers.includes(tool)) void ask(state, "PostToolUse", { tool_input: input });
  }

  /**
   * The agent has ended a turn: a workflow may ask it once to go on. Not after an error or where a person interrupted it,
   * and not where the caller waits for one turn alone.
   */
  async function stop(state) {
    state.turn = false;
    if (!state.works) return;
    const { block, notice } = await ask(state, "Stop", { stop_hook_active: state.held !== undefined });
    tell(notice);
    if (block === undefined || state.held !== undefined || state.failed || ["run", "acp"].includes(process.argv[2])) return;
    state.held = block;
    const { id, agent, model } = state;
    const body = { agent, model, parts: [{ type: "text", text: block, synthetic: true }] };
    await client?.session?.promptAsync?.({ path: { id }, body });
  }

  async function event({ event: { type, properties = {} } }) {
    const { sessionID, info, part } = properties;
    const state = sessions.get(sessionID);
    if (type === "session.created" && info !== undefined) {
      created.add(info.id);
      parents.set(info.id, info.parentID ?? null);
    }
    if (type === "message.part.updated" && part?.type === "compaction") {
      triggers.set(part.sessionID, part.auto ? "auto" : "manual");
    }
    if (state === undefined) return;
    if (type === "session.error") state.failed = true;
    if (type === "session.compacted") await ask(state, "PostCompact", { trigger: triggers.get(sessionID) });
    if (type === "session.idle" && state.turn) await stop(state);
    if (type === "session.deleted" && state.works) await ask(state, "SessionEnd", { reason: "other" });
  }

  return {
    event: quiet(event),
    "chat.message": quiet(beforeMessage),
    "tool.execute.before": quiet(beforeTool),
    "tool.execute.after": quiet(afterTool),
    "experimental.session.compacting": quiet(compacting),
    "session.compaction": quiet(compacting),
    "experimental.chat.messages.transform": quiet(restore),
    "experimental.chat.system.transform": quiet(restoreInSystem),
    "shell.env": quiet(({ sessionID }, { env }) => {
      if (typeof sessionID === "string") env.HOLDFAST_SESSION = rootOf(sessionID);
    }),
  };
};

/** The reply of Holdfast; nothing if it is missing, slow or failing. */
function runHook(event, input, cwd) {
  if (!existsSync(hook)) return {};
  return new Promise((resolve) => {
    const words = [hook, "--host", "opencode", "--via", "project", event];
    const child = spawn("node", words, { cwd, stdio: ["pipe", "pipe", "ignore"], windowsHide: true });
    const timer = setTimeout(() => child.kill("SIGKILL"), longestMs);
    let said = "";
    const end = () => {
      clearTimeout(timer);
      resolve(replyIn(said));
    };
    child.stdout.setEncoding("utf8").on("data", (text) => {
      said += text;
    });
    child.stdin.on("error", () => {});
    child.on("error", end);
    child.on("close", end);
    child.stdin.end(JSON.stringify(input));
  });
}

function replyIn(said) {
  if (!said.startsWith("{")) return { instructions: said.trim() || undefined };
  try {
    const { additionalContext, reason, systemMessage } = JSON.parse(said);
    return { context: additionalContext, block: reason, notice: systemMessage };
  } catch {
    return {};
  }
}
`;
