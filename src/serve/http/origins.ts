import { isIPv6 } from "node:net";
import { HttpProblem } from "./problem.ts";

/** Under which names the server may be asked. */
export interface Origins {
  readonly port: number;
  /** The IP address that it listens on. */
  readonly host: string;
  /** The address that a proxy with TLS in front of the server has; null without one. */
  readonly proxy: string | null;
}

const loopbackNames = ["127.0.0.1", "localhost", "[::1]"];

/** Where the server is reached: by the name of its proxy, or by its own address. */
export function addressOf({ port, host, proxy }: Origins): string {
  return proxy ?? `http://${nameOf(host)}:${port}`;
}

/** An IP address as it is written in an address. */
function nameOf(host: string): string {
  return isIPv6(host) ? `[${host}]` : host;
}

/**
 * Refuses what a page of another site can send. A name of theirs that leads here has the wrong Host (DNS rebinding), and
 * their requests have the wrong Origin, or none and another site in Sec-Fetch-Site.
 */
export function refuseForeign(request: Request, origins: Origins, isData: boolean): void {
  const host = request.headers.get("host") ?? "";
  const own = ownOrigin(host, origins);
  if (own === null) {
    throw new HttpProblem(403, "host-foreign", "this server does not answer to that Host", `use ${addressOf(origins)}`);
  }
  const origin = request.headers.get("origin");
  const isForeign = origin !== null && origin !== own && origin !== origins.proxy;
  if (isForeign || isFromElsewhere(request, isData)) throw foreign();
}

/** Whether the request comes from the server's own page, as far as a browser tells. Other programs can say anything. */
export function comesFromPage(request: Request, origins: Origins): boolean {
  const own = ownOrigin(request.headers.get("host") ?? "", origins);
  const origin = request.headers.get("origin");
  const isOwn = origin !== null && (origin === own || origin === origins.proxy);
  return isOwn && request.headers.get("x-holdfast") === "page";
}

/** The origin of our own pages under this Host; null if it is none of ours. */
function ownOrigin(host: string, origins: Origins): string | null {
  const { port, proxy } = origins;
  if (proxy !== null && host === new URL(proxy).host) return proxy;
  // Behind a proxy the own address may be one of a network, where nobody but the proxy should ask.
  const names = proxy === null ? [...loopbackNames, nameOf(origins.host)] : loopbackNames;
  const isOwn = names.some((name) => host === `${name}:${port}` || (port === 80 && host === name));
  return isOwn ? `http://${host}` : null;
}

/** A link may lead to a page from anywhere; a browser sends none of our cookies along then. */
function isFromElsewhere(request: Request, isData: boolean): boolean {
  const site = request.headers.get("sec-fetch-site") ?? "none";
  if (site === "none" || site === "same-origin") return false;
  const isLink = request.method === "GET" && request.headers.get("sec-fetch-mode") === "navigate";
  const isDocument = request.headers.get("sec-fetch-dest") === "document";
  return !(isLink && isDocument) || isData;
}

function foreign(): HttpProblem {
  return new HttpProblem(403, "origin-foreign", "the request comes from another site", "open the dashboard itself");
}
