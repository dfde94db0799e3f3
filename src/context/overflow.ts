import type { Context } from "./context.ts";

export interface SendOptions {
  /** Whether a provider's error means that the request was too long; by default matches the known messages. */
  readonly isOverflow?: (error: unknown) => boolean;
  readonly signal?: AbortSignal;
}

/** The share of the size that is sent the second time, unless the provider tells its limit. */
const secondShare = 0.75;

/** Sends a request. If the provider rejects it as too long, compacts and retries once. */
export async function sendOrCompact<T>(
  context: Context,
  send: () => Promise<T>,
  { isOverflow = isOverflowError, signal }: SendOptions = {},
): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!isOverflow(error)) throw error;
    const counts = readCounts(error);
    if (counts !== null) context.reportUsage(counts.sent);
    const most = Math.min(context.limit(), counts?.most ?? Number.POSITIVE_INFINITY);
    const target = Math.max(1, Math.floor(Math.min(most, context.tokens() * secondShare)));
    await context.compact(target, signal === undefined ? {} : { signal });
    return await send();
  }
}

/** The messages of providers for a request that is too long. */
export function isOverflowError(error: unknown): boolean {
  return /prompt is too long|context_length_exceeded|maximum context length|exceeds? the context window|input is too long|too many (input )?tokens/i.test(
    wordsOfError(error),
  );
}

/** "prompt is too long: 210000 tokens > 200000 maximum", "maximum context length is 128000 tokens ... 130000 tokens" */
function readCounts(error: unknown): { readonly sent: number; readonly most: number } | null {
  const text = wordsOfError(error).replaceAll(",", "");
  const greater = /(\d+) tokens > (\d+)/.exec(text);
  if (greater !== null) return { sent: Number(greater[1]), most: Number(greater[2]) };
  const resulted = /maximum context length is (\d+) tokens.*?(\d+) tokens/is.exec(text);
  return resulted === null ? null : { sent: Number(resulted[2]), most: Number(resulted[1]) };
}

/** All texts in an error, a few levels deep, because clients put the reason in different places. */
function wordsOfError(error: unknown, depth = 0): string {
  if (typeof error === "string") return error;
  if (typeof error !== "object" || error === null || depth > 3) return "";
  const own = Object.values(error).map((value) => wordsOfError(value, depth + 1));
  return [error instanceof Error ? error.message : "", ...own].join(" ");
}
