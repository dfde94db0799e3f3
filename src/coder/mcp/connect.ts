import type {
  CallToolResult,
  Client,
  ClientOptions,
  FetchLike,
  JsonSchemaValidator,
  Tool,
  Transport,
} from "@modelcontextprotocol/client";
import { replaceUnseen } from "../../model/written/unseen-text.ts";
import { createStdioTransport } from "./stdio-transport.ts";

/** How a server is reached, with all variables replaced by their values. */
export type Endpoint =
  | {
      readonly argv: readonly string[];
      readonly cwd: string;
      readonly env: Readonly<Record<string, string | undefined>>;
    }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> };

export interface Limits {
  readonly seconds: number;
  readonly signal: AbortSignal;
}

export interface Connection {
  /** False as soon as the server has ended. */
  isOpen(): boolean;
  listTools(limits: Limits): Promise<readonly Tool[]>;
  call(tool: Tool, input: Record<string, unknown>, limits: Limits, onProgress: () => void): Promise<CallToolResult>;
  /** Describes an error of `listTools` or `call` in one line. */
  word(error: unknown, seconds: number): string;
  close(): Promise<void>;
}

/** Connects to a server; returns a text with the reason if that fails. */
export async function connect(endpoint: Endpoint, limits: Limits): Promise<Connection | string> {
  const first = await connectAs("url" in endpoint ? "auto" : "legacy", endpoint, limits);
  if (!("problem" in first)) return first;
  // Some older programs exit when they are asked for a newer version, so that is only tried with one that refused the older version.
  if ("url" in endpoint || !first.hasAnswered) return first.problem;
  const second = await connectAs("auto", endpoint, limits);
  return "problem" in second ? second.problem : second;
}

interface Failed {
  readonly problem: string;
  readonly hasAnswered: boolean;
}

async function connectAs(mode: "legacy" | "auto", endpoint: Endpoint, limits: Limits): Promise<Connection | Failed> {
  const { Client, ProtocolError } = await import("@modelcontextprotocol/client");
  const { transport, wordEnd, end } = await createTransport(endpoint);
  const client = new Client(
    { name: "holdfast", version: "1" },
    { versionNegotiation: { mode }, jsonSchemaValidator: acceptAnything },
  );
  const connection = connectionOf(client, { wordEnd, end });
  try {
    await client.connect(transport, requestOptions(limits));
    return connection;
  } catch (error) {
    const problem = connection.word(error, limits.seconds);
    await connection.close();
    return { problem, hasAnswered: error instanceof ProtocolError };
  }
}

/** What a tool returns is for the model. The schemas are the server's, and checking them would run its patterns here. */
const acceptAnything: NonNullable<ClientOptions["jsonSchemaValidator"]> = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};

function requestOptions({ seconds, signal }: Limits) {
  return { timeout: seconds * 1_000, signal };
}

interface OpenTransport {
  readonly transport: Transport;
  /** Why the connection has ended or is silent, if the transport knows. */
  wordEnd(): string | null;
  /** Ends the session at the server, where the protocol has a request for that. */
  end(): Promise<void>;
}

async function createTransport(endpoint: Endpoint): Promise<OpenTransport> {
  if (!("url" in endpoint)) {
    const transport = await createStdioTransport(endpoint);
    const wordEnd = () =>
      transport.ended() ?? (transport.printed() === "" ? null : `it printed: ${transport.printed()}`);
    return { transport, wordEnd, end: async () => {} };
  }
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const transport = new StreamableHTTPClientTransport(new URL(endpoint.url), {
    requestInit: { headers: endpoint.headers },
    fetch: fetchBounded,
  });
  const end = async () => {
    if (transport.sessionId === undefined) return;
    await Promise.race([transport.terminateSession(), new Promise((resolve) => setTimeout(resolve, 1_000).unref())]);
  };
  return { transport, wordEnd: () => null, end };
}

function connectionOf(client: Client, { wordEnd, end }: Omit<OpenTransport, "transport">): Connection {
  let isOpen = true;
  client.onclose = () => {
    isOpen = false;
  };
  // What cannot be understood is skipped; a request that gets no answer reaches its time limit.
  client.onerror = () => {};
  return {
    isOpen: () => isOpen,
    async listTools(limits) {
      // For a server without tools the SDK would print a warning.
      if (client.getServerCapabilities()?.tools === undefined) return [];
      return (await client.listTools(undefined, requestOptions(limits))).tools;
    },
    call({ outputSchema: _, ...toolDefinition }, input, limits, onProgress) {
      const options = { ...requestOptions(limits), onprogress: onProgress, toolDefinition };
      return client.callTool({ name: toolDefinition.name, arguments: input }, options);
    },
    word: (error, seconds) => oneLine(wordError(error, seconds, wordEnd())),
    async close() {
      isOpen = false;
      await end().catch(() => {});
      await client.close().catch(() => {});
    },
  };
}

function wordError(error: unknown, seconds: number, end: string | null): string {
  if (!(error instanceof Error)) return String(error);
  const { code, status, cause } = error as Error & { code?: unknown; status?: unknown };
  if (code === "REQUEST_TIMEOUT") {
    return `it did not answer within ${seconds} s${end === null ? "" : `; ${end}`}`;
  }
  if (code === "CONNECTION_CLOSED" || code === "NOT_CONNECTED") return end ?? "the connection was closed";
  if (status === 401 || status === 403 || error.name === "UnauthorizedError") {
    return `it answered ${status ?? 401}; a key goes into headers, as in Authorization: "Bearer \${MY_TOKEN}"`;
  }
  if (cause instanceof Error && cause.message !== "") return wordError(cause, seconds, end);
  return end === null ? error.message : `${error.message}; ${end}`;
}

function oneLine(text: string): string {
  return replaceUnseen(text.replace(/\s+/g, " ").trim(), () => "").slice(0, 600);
}

const mostAnswerBytes = 10 * 1024 * 1024;

/** An answer without an end must not fill the memory. */
const fetchBounded: FetchLike = async (url, init) => {
  const response = await fetch(url, init);
  if (response.body === null) return response;
  let total = 0;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      total += chunk.length;
      if (total <= mostAnswerBytes) controller.enqueue(chunk);
      else controller.error(new Error(`it has answered with more than ${mostAnswerBytes / 1024 / 1024} MB`));
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counting), { status, statusText, headers });
};
