import type { ApiProblem } from "../../serve/contract/contract.ts";

/** Anything that went wrong between the page and the server: what happened, and what to do next. */
export class Problem extends Error {
  readonly code: string;
  readonly next: string;
  readonly status: number;

  constructor(status: number, { code, message, next }: ApiProblem["error"]) {
    super(message);
    this.status = status;
    this.code = code;
    this.next = next;
  }
}

/**
 * The key that the link left in the storage of this origin. Other servers of this machine get our cookies from the browser,
 * but not this.
 */
export function keyHeader(): Readonly<Record<string, string>> {
  try {
    return { "X-Holdfast-Key": localStorage.getItem("holdfast-key") ?? "" };
  } catch {
    // A browser that stores nothing: the server tells what is missing.
    return {};
  }
}

export type Input = Readonly<Record<string, string | number | boolean | undefined>>;

export function get<T>(path: string, input: Input = {}, signal?: AbortSignal): Promise<T> {
  const words = Object.entries(input).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return ask<T>(words.length === 0 ? path : `${path}?${words.join("&")}`, { signal: signal ?? null });
}

export function post<T>(path: string, input: Readonly<Record<string, unknown>>): Promise<T> {
  return ask<T>(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Holdfast": "page" },
    body: JSON.stringify(input),
  });
}

async function ask<T>(path: string, options: RequestInit): Promise<T> {
  const response = await reach(path, options);
  if (!response.ok) throw await problemOf(response);
  return (await response.json()) as T;
}

async function reach(path: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(path, {
      credentials: "same-origin",
      ...options,
      headers: { ...options.headers, ...keyHeader() },
    });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    const message = "The server does not answer.";
    throw new Problem(0, { code: "unreachable", message, next: "Start it again with: holdfast serve" });
  }
}

async function problemOf(response: Response): Promise<Problem> {
  const body: unknown = await response.json().catch(() => null);
  return new Problem(response.status, isProblem(body) ? body.error : wordsFor(response.status));
}

function isProblem(body: unknown): body is ApiProblem {
  if (typeof body !== "object" || body === null || !("error" in body)) return false;
  const { error } = body;
  return typeof error === "object" && error !== null && "message" in error && "next" in error;
}

function wordsFor(status: number): ApiProblem["error"] {
  const next = status === 401 ? "Open the link that the terminal shows." : "Try again.";
  return { code: "unexpected", message: `The server answered with status ${status}.`, next };
}

export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** What to show for an error, also for one that is a mistake of the page itself. */
export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new Problem(0, { code: "unexpected", message, next: "Reload the page." });
}
