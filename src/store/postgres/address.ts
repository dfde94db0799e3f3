import { HoldfastError } from "../../errors.ts";

/** A database as messages may name it: without a user, and never with a password. */
export interface Address {
  /** For the driver. */
  readonly url: string;
  readonly where: string;
  /** The files that the driver reads for encryption, by the names of their parameters. */
  readonly files: readonly (readonly [name: string, path: string])[];
  /** Replaces every password that could be in a text. */
  scrub(text: string): string;
}

export function readAddress(url: string): Address {
  if (severalHosts.test(url)) throw manyHosts();
  const parsed = parse(url);
  if (parsed === null || !/^postgres(ql)?:$/.test(parsed.protocol) || isCut(parsed)) throw badAddress();
  const secrets = [...passwordsIn(parsed), process.env.PGPASSWORD ?? ""].filter((secret) => secret !== "");
  return {
    url: verifying(url, parsed),
    where: placeOf(parsed),
    files: ["sslrootcert", "sslcert", "sslkey"].flatMap((name) => {
      const path = parsed.searchParams.get(name) ?? "";
      return path === "" ? [] : [[name, path] as const];
    }),
    scrub: (text) => secrets.reduce(masked, text),
  };
}

/**
 * The driver verifies the server in these modes as in verify-full. It warns on stderr that its next version will not; this
 * keeps it as it is.
 */
function verifying(url: string, { searchParams }: URL): string {
  // The last one counts, as for the driver.
  const given = new Map(searchParams);
  const isAlias = /^(prefer|require|verify-ca)$/.test(given.get("sslmode") ?? "");
  return isAlias && given.get("uselibpqcompat") !== "true" ? `${url}&sslmode=verify-full` : url;
}

/** Without a host, as other programs write the folder of a socket: ada:password@/shop?host=/folder. The driver knows it, too. */
function parse(url: string): URL | null {
  if (URL.canParse(url)) return new URL(url);
  const some = url.replace("@/", `@${noHost}/`);
  return URL.canParse(some) ? new URL(some) : null;
}

const noHost = "no-host.invalid";

/** A short one is masked only where it stands alone: within words, the rest of them would tell it. */
function masked(text: string, secret: string): string {
  if (secret.length > 3) return text.replaceAll(secret, "***");
  const literal = secret.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return text.replace(new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, "gu"), "***");
}

/** Nothing of it is shown: any part may be one of the password. */
export function badAddress(): HoldfastError {
  const problem = "is not a URL such as postgres://user:password@host:5432/database";
  const fix =
    "write special characters of the user name and the password in it as codes: # as %23, / as %2F, ? as %3F, @ as %40, % as %25";
  return new HoldfastError("store-refused", { where: null, problem, fix });
}

/** Without an @ behind the comma: else it is in the password. */
const severalHosts = /^postgres(ql)?:\/\/([^/?#]*@)?[^/?#@]*,[^@]*$/;

/** Other programs try them one after the other. The driver would look for one host of that name. */
function manyHosts(): HoldfastError {
  const fix = "name the one that accepts changes, or a name that always leads to it";
  return new HoldfastError("store-refused", { where: null, problem: "names several hosts", fix });
}

/** The parameters in which an @ has a meaning. */
const texts = /^(user|password|host|options|application_name|ssl(cert|key|rootcert))$/;

/** Whether a URL has ended its host within a password: at a #, a / or a ?, so that the @ is in a part behind it. */
function isCut({ pathname, hash, searchParams }: URL): boolean {
  const isOdd = ([name, value]: readonly [string, string]) =>
    name.includes("@") || (value.includes("@") && !texts.test(name));
  return hash !== "" || pathname.includes("@") || [...searchParams].some(isOdd);
}

/** As the driver finds it: parameters come first, and variables fill in what the URL leaves out. */
function placeOf({ hostname, port, pathname, searchParams }: URL): string {
  const { PGHOST, PGPORT, PGDATABASE = "" } = process.env;
  const host = searchParams.get("host") || (hostname === noHost ? "" : hostname) || PGHOST || "localhost";
  const database = pathname.length > 1 ? pathname : PGDATABASE && `/${PGDATABASE}`;
  return `${host}:${searchParams.get("port") || port || PGPORT || "5432"}${database}`;
}

function passwordsIn({ password, searchParams }: URL): string[] {
  const given = searchParams.get("password") ?? "";
  return [decoded(password), password, given, encodeURIComponent(given)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone percent sign is a part of the password.
    return text;
  }
}
