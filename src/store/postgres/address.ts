import { HoldfastError } from "../../errors.ts";

/** A database as messages may name it: without a user, and never with a password. */
export interface Address {
  readonly url: string;
  readonly where: string;
  /** Replaces every password that could be in a text. */
  scrub(text: string): string;
}

export function readAddress(url: string): Address {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !/^postgres(ql)?:$/.test(parsed.protocol)) {
    const problem = "its address is not a URL such as postgres://user@host:5432/database";
    throw new HoldfastError("store-refused", { where: "an unknown place", problem });
  }
  const secrets = [...passwordsIn(parsed), process.env.PGPASSWORD ?? ""].filter((secret) => secret !== "");
  return {
    url,
    where: placeOf(parsed),
    scrub: (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, "***"), text),
  };
}

function placeOf({ hostname, port, pathname, searchParams }: URL): string {
  const host = searchParams.get("host") ?? (hostname === "" ? "localhost" : hostname);
  return `${host}:${port === "" ? "5432" : port}${pathname}`;
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
