import type { ToolSet } from "ai";
import type { Provider } from "./providers.ts";
import type { CoderSettings } from "./settings.ts";

interface LimitedCoder {
  readonly provider: Pick<Provider, "window">;
  readonly settings: Pick<CoderSettings, "window">;
}

/** The tokens of a request and its reply together. */
export function windowOf({ provider, settings }: LimitedCoder): number {
  return settings.window ?? provider.window;
}

/** The model as the context has to know it. */
export function modelOptions(coder: LimitedCoder, tools: ToolSet) {
  const window = windowOf(coder);
  const shown = Object.entries(tools).map(([name, { description, inputSchema }]) => ({
    name,
    description,
    inputSchema,
  }));
  return {
    countTokens: (text: string) => text.length / charactersPerToken,
    limits: { window, reserve: reserveOf(window) },
    tools: shown,
  };
}

/** A cautious estimate; the usage that the provider reports corrects it. */
export const charactersPerToken = 3.3;

/** What is kept free for the reply. */
export function reserveOf(window: number): number {
  return Math.min(16_000, Math.floor(window / 4));
}
