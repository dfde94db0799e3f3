import { createPrivateKey, X509Certificate } from "node:crypto";
import { HoldfastError, isHoldfastError } from "../../errors.ts";
import { readTextIfExists } from "../../platform/files.ts";
import { sizeLimits } from "../../platform/size-limits.ts";
import type { Address } from "./address.ts";

type Advice = readonly (readonly [problem: RegExp, fix: string])[];

/** The server refuses us. */
const refused: Advice = [
  [/not support SSL/, "turn TLS on at the server, or do without it: sslmode=disable in the address of your database"],
  [
    /no encryption|SSL connection is required|is insecure/,
    "if the server wants TLS, add sslmode=verify-full to the address of your database; else check the user and the name of the database",
  ],
  [
    /client certificate|certificate authentication|alert .*(certificate|unknown ca)|key values/,
    "check your client certificate and its key, which the address of your database names: sslcert=/path/client.pem&sslkey=/path/client.key",
  ],
];

/** We refuse the server. */
const unverified: Advice = [
  [/ cert's /, "name the server in the address of your database as its certificate does"],
  [/has expired|not yet valid/, "have the certificate of the server renewed, or correct the clock of this machine"],
  [
    /certificate/,
    "if it is the right server, name the file with the certificate of its CA in the address of your database: sslmode=verify-full&sslrootcert=/path/ca.pem",
  ],
];

/** What to do about a connection that TLS has prevented; null if it was something else. */
export function tlsFailure(address: Address, problem: string): HoldfastError | null {
  return unusableFile(address) ?? adviceOn(address, problem);
}

function adviceOn({ where }: Address, problem: string): HoldfastError | null {
  const asked = fixFor(refused, problem);
  if (asked !== undefined) return new HoldfastError("store-refused", { where, problem, fix: asked, isAsked: true });
  const fix = fixFor(unverified, problem);
  if (fix === undefined) return null;
  return new HoldfastError("store-refused", {
    where,
    problem: `its certificate cannot be verified: ${problem}`,
    fix,
  });
}

function fixFor(advice: Advice, problem: string): string | undefined {
  return advice.find(([pattern]) => pattern.test(problem))?.[1];
}

/** The first file for TLS that cannot be used. Its path is no secret, and nothing else of it is shown. */
function unusableFile({ where, files, scrub }: Address): HoldfastError | null {
  for (const [name, path] of files) {
    const why = whyUnusable(name, path);
    if (why === null) continue;
    const problem = scrub(`the file ${path} for ${name} ${why}`);
    const fix = `correct ${name} in the address of your database, or that file`;
    return new HoldfastError("store-refused", { where, problem, fix });
  }
  return null;
}

function whyUnusable(name: string, path: string): string | null {
  let text: string | null;
  try {
    text = readTextIfExists(path, sizeLimits.input, "ENOTDIR");
  } catch (error) {
    if (isHoldfastError(error, "file-unreadable")) return `cannot be read: ${error.data.problem}`;
    throw error;
  }
  if (text === null) return "cannot be read: there is no such file";
  const isKey = name === "sslkey";
  try {
    // The driver ignores some files that have neither.
    if (isKey) createPrivateKey(text);
    else new X509Certificate(text);
    return null;
  } catch {
    return isKey ? "has no private key, or one with a passphrase" : "has no certificate";
  }
}
