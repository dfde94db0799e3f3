/** Every error code with its data. A new code starts here and in `table` below. */
export interface ContextErrorData {
  "option-invalid": { readonly option: string; readonly problem: string };
  "role-unknown": { readonly role: string };
  "content-invalid": { readonly role: string; readonly problem: string };
  "conversation-not-started": { readonly role: string };
  "calls-outstanding": { readonly calls: readonly string[] };
  "call-duplicate": { readonly call: string };
  "result-unexpected": { readonly call: string; readonly outstanding: readonly string[] };
  "output-unknown": { readonly id: string };
  "cannot-shrink": { readonly target: number; readonly least: number; readonly parts: readonly Weight[] };
  "compaction-running": Record<string, never>;
  "conversation-changed": Record<string, never>;
  "state-unknown": { readonly state: string; readonly known: readonly string[] };
  "origin-unknown": { readonly from: string; readonly current: string | null };
  "slot-unknown": { readonly slot: string; readonly known: readonly string[] };
  "slot-closed": { readonly slot: string; readonly writer: string };
  "carry-missing": { readonly slot: string; readonly state: string };
  "block-duplicated": { readonly block: string; readonly where: string };
  "saved-corrupt": { readonly line: number; readonly problem: string };
  "saved-newer": { readonly format: number };
  "request-empty": Record<string, never>;
  "part-unsupported": { readonly provider: string; readonly part: string };
}

/** Something that cannot be shortened, and its tokens. */
export interface Weight {
  readonly what: string;
  readonly tokens: number;
}

export type ContextErrorCode = keyof ContextErrorData;

type Wording<C extends ContextErrorCode> = (data: ContextErrorData[C]) => readonly [message: string, next: string];

const table: { readonly [C in ContextErrorCode]: Wording<C> } = {
  "option-invalid": (d) => [`${d.option} ${d.problem}`, "change the option"],
  "role-unknown": (d) => [`${JSON.stringify(d.role)} is not a role`, "use system, user, assistant or tool"],
  "content-invalid": (d) => [`the content of a ${d.role} message ${d.problem}`, "use text or parts of the AI SDK"],
  "conversation-not-started": (d) => [
    `a conversation must begin with a user message, not with role ${d.role}`,
    "append the task with role user, or give the state a kickoff",
  ],
  "calls-outstanding": (d) => [
    `no results yet for ${d.calls.join(", ")}`,
    "append the results, or close the calls with repair()",
  ],
  "call-duplicate": (d) => [`the call id ${d.call} was already used`, "give every call a unique id"],
  "result-unexpected": (d) => [
    d.outstanding.length === 0
      ? `a result for ${d.call}, but no call is waiting for one`
      : `a result for ${d.call}, but the waiting calls are ${d.outstanding.join(", ")}`,
    "answer each call once, with its id",
  ],
  "output-unknown": (d) => [`nothing is kept under ${JSON.stringify(d.id)}`, "use an id from a pointer or the log"],
  "cannot-shrink": (d) => [
    `cannot shrink to ${d.target} tokens: what must stay has ${d.least} (${weigh(d.parts)})`,
    "raise the limit, shorten these parts, or unpin messages",
  ],
  "compaction-running": () => ["a compaction is already running", "wait for it to finish"],
  "conversation-changed": () => [
    "the conversation was cleared while it was being compacted",
    "compact again if needed",
  ],
  "state-unknown": (d) => [`there is no state ${JSON.stringify(d.state)}`, `the states are ${d.known.join(", ")}`],
  "origin-unknown": (d) => [
    `the transition leaves ${JSON.stringify(d.from)}, but the context is ${d.current === null ? "in no state" : `in ${d.current}`}`,
    "pass the state that the context is in",
  ],
  "slot-unknown": (d) => [`there is no slot ${JSON.stringify(d.slot)}`, `the slots are ${d.known.join(", ")}`],
  "slot-closed": (d) => [`only ${d.writer} may write the slot ${d.slot}`, "leave it out of this transition"],
  "carry-missing": (d) => [
    `${d.state} would start with an empty conversation and without the ${d.slot} in its prompt`,
    `pass the ${d.slot} and include it in the prompt of ${d.state}`,
  ],
  "block-duplicated": (d) => [`the ${d.block} is already in the system prompt`, `leave it out of the ${d.where}`],
  "saved-corrupt": (d) => [
    `the saved conversation is damaged in line ${d.line}: ${d.problem}`,
    "restore an older copy",
  ],
  "saved-newer": (d) => [
    `the saved conversation has format ${d.format}, which is newer than this version supports`,
    "update Holdfast",
  ],
  "request-empty": () => ["there is no message to send", "append the user's message first"],
  "part-unsupported": (d) => [`${d.provider} does not support parts of type ${d.part}`, "leave that part out"],
};

/** Thrown when a context cannot do something. The context is unchanged. */
export class ContextError<C extends ContextErrorCode = ContextErrorCode> extends Error {
  override readonly name = "ContextError";
  readonly code: C;
  readonly data: ContextErrorData[C];
  readonly next: string;

  constructor(code: C, data: ContextErrorData[C], options?: ErrorOptions) {
    const [message, next] = table[code](data);
    super(`${message}; ${next}`, options);
    this.code = code;
    this.data = data;
    this.next = next;
  }
}

/** Narrows by code. Checks the name, so that it works across duplicate copies of this package. */
export function isContextError<C extends ContextErrorCode>(error: unknown, code?: C): error is ContextError<C> {
  if (!(error instanceof Error) || error.name !== "ContextError" || !("code" in error)) return false;
  return code === undefined || error.code === code;
}

function weigh(parts: readonly Weight[]): string {
  return parts.map(({ what, tokens }) => `${what} ${tokens}`).join(", ");
}
