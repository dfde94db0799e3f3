import { tokenPrefix } from "../../app/access/token-files.ts";
import type { Level } from "../contract/contract.ts";
import { HttpProblem } from "../http/problem.ts";
import type { Cookies } from "./cookies.ts";

/** Whoever sends a request, as far as they have proved it. */
export interface Visitor {
  readonly level: Level;
  readonly name: string;
  /** A browser sends cookies by itself, so a change needs a proof that our own page asks for it. */
  readonly by: "token" | "cookie";
}

export interface Access {
  readonly cookies: Cookies;
  /** The user whose server this is. */
  readonly userName: string;
  /** How a person gets another link. */
  readonly newLink: string;
  /** Who has this token; null if nobody has. */
  findToken(token: string): { readonly name: string; readonly level: "read" | "agent" } | null;
}

/** The header in which our own page sends the key that it got with its cookies. */
const keyHeader = "x-holdfast-key";

/** Throws if the request does not prove enough. Files of the page are asked for by the browser, which knows no key. */
export function visitorOf(request: Request, access: Access, wanted: "page" | "data"): Visitor {
  const { cookies, userName, newLink, findToken } = access;
  refuseTokenInUrl(request);
  const authorization = request.headers.get("authorization");
  if (authorization !== null) {
    const [, token] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
    const found = token === undefined ? null : findToken(token);
    if (found === null) {
      const next = "create one with: holdfast token create --name <name> --level read|agent";
      throw new HttpProblem(401, "token-wrong", "unknown or revoked token", next);
    }
    return { ...found, by: "token" };
  }
  const sent = request.headers.get("cookie");
  const hasEntered = cookies.hasEntered(sent);
  const level =
    cookies.levelOf(sent, request.headers.get(keyHeader)) ?? (hasEntered && wanted === "page" ? "read" : null);
  if (level !== null) return { level, name: userName, by: "cookie" };
  if (hasEntered) {
    const message = "the dashboard's cookie counts only together with the page's key";
    throw new HttpProblem(401, "page-key-needed", message, newLink);
  }
  const next = `${newLink}; or send Authorization: Bearer <token>`;
  throw new HttpProblem(401, "token-needed", "a token or the dashboard's cookie is needed", next);
}

/** Whether whoever sent this request could still send it. */
export function isKnown(request: Request, access: Access): boolean {
  try {
    visitorOf(request, access, "data");
    return true;
  } catch (error) {
    if (error instanceof HttpProblem) return false;
    throw error;
  }
}

/** Addresses end up in histories and in the logs of proxies. */
function refuseTokenInUrl(request: Request): void {
  const { searchParams, pathname } = new URL(request.url);
  // An operation may ask for a visit by its token, which is another thing and no secret.
  const names = ["access_token", "api_key", "authorization", "key", ...(isOperation.test(pathname) ? [] : ["token"])];
  const isNamed = [...searchParams.keys()].some((name) => names.includes(name.toLowerCase()));
  const isToken = [...searchParams.values(), ...pathname.replaceAll(/%5f/gi, "_").split("/")].some((part) =>
    part.startsWith(tokenPrefix),
  );
  if (!isToken && !isNamed) return;
  const next = "revoke it (holdfast token revoke <name>), and send a new one as Authorization: Bearer <token>";
  throw new HttpProblem(400, "token-in-url", "a token must not be part of an address", next);
}

const isOperation = /^\/api\/projects\/[^/]+\/[^/]+$/;

const order: readonly Level[] = ["read", "agent", "person"];

/** Throws if the visitor may not do what needs this level. */
export function requireLevel({ level }: Visitor, needed: Level): void {
  if (order.indexOf(level) >= order.indexOf(needed)) return;
  const next =
    needed === "person"
      ? "run `holdfast serve` in your own terminal, and open the link that it prints there"
      : "use a token of level agent: holdfast token create --name <name> --level agent";
  throw new HttpProblem(403, "level-too-low", `this needs the level ${needed}, and you have ${level}`, next);
}
