import type { TokenRow } from "../../app/access/token-files.ts";
import type { CreatedToken } from "../../app/access/tokens.ts";
import { facts } from "../terminal/layout.ts";
import type { Paint } from "../terminal/paint.ts";

export function printCreatedToken({ name, level, token }: CreatedToken, paint: Paint): string {
  const rows = [
    ["Token", token],
    ["Level", level],
    ["Next", "keep it now: it is not shown again. Send it as: Authorization: Bearer <token>"],
  ] as const;
  return `${paint.good("created")} the token ${paint.strong(name)}\n${facts(rows, paint.edge)}`;
}

export function printTokens({ tokens }: { readonly tokens: readonly TokenRow[] }, paint: Paint): string {
  if (tokens.length === 0) return "no tokens; create one: holdfast token create --name <name> --level read\n";
  const width = Math.max(...tokens.map(({ name }) => name.length));
  return tokens
    .map(({ name, level, createdAt }) => `${name.padEnd(width)}  ${level.padEnd(5)}  ${paint.dim(createdAt)}\n`)
    .join("");
}

export function printRevokedToken({ revoked }: { readonly revoked: string }, paint: Paint): string {
  return `${paint.good("revoked")} the token ${paint.strong(revoked)}\n`;
}
