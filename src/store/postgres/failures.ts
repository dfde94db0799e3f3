import { HoldfastError, isHoldfastError } from "../../errors.ts";
import { isRecord } from "../../model/json.ts";
import { contradiction } from "../head-differences.ts";
import { type Address, badAddress } from "./address.ts";
import { tlsFailure } from "./tls.ts";

/** What the server says when it cannot serve now but may soon: it starts, stops, or has too many connections. */
const passing = /^(08...|53300|57P0[123])$/;
/** Encryption or authentication failed before the server could answer. */
const handshake = /^SASL|SSL connections| routines:|certificate|password/i;

/** The server's own code of an error, such as 28P01; null if it did not come from the server. */
export function sqlState(error: unknown): string | null {
  // Errors of the system have codes of five letters, too, such as EPIPE, but no severity.
  const code = error instanceof Error && "severity" in error && "code" in error ? error.code : null;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : null;
}

/**
 * Whether the server itself rejected the statement, so that it has changed nothing. Servers say the severity in their own
 * language, and the driver passes on no other. Then the code tells, unless it may have ended the connection, too.
 */
export function isRejected(error: unknown): boolean {
  const severity = error instanceof Error && "severity" in error ? error.severity : null;
  const state = sqlState(error);
  if (state === null || severity === "ERROR") return state !== null;
  return severity !== "FATAL" && severity !== "PANIC" && !mayEnd.test(state);
}

const mayEnd = /^(08|28|3D|53|57P|58|F0|XX)/;

/** Whether the statement stood in the way of another one, and will find its place if it is sent again. */
export function isCollision(error: unknown): boolean {
  return isRejected(error) && ["40001", "40P01", "55P03"].includes(sqlState(error) ?? "");
}

/** The server was not waited for any longer. */
export class GivenUp extends Error {
  readonly after: "timeout" | "interruption";

  constructor(after: GivenUp["after"], wait: number) {
    super(after === "timeout" ? `no answer within ${wait / 1_000} seconds` : "no answer before the interruption");
    this.after = after;
  }
}

/**
 * Turns any failure into an error of ours. It has no cause: errors of the driver can carry the connection, and with it the
 * password.
 */
export function storeFailure(address: Address, error: unknown, committed: "no" | "unknown"): HoldfastError {
  if (isHoldfastError(error)) return error;
  // The driver could not read what `readAddress` could: a code in a password is no text.
  if (error instanceof URIError) return badAddress();
  const state = sqlState(error);
  const { where } = address;
  const problem = address.scrub(problemOf(error));
  const refused = state === null ? isEarly(error) : !passing.test(state);
  if (refused && (committed === "no" || isRejected(error))) return refusal(address, problem, error);
  const { after } = error instanceof GivenUp ? error : {};
  return new HoldfastError("store-unreachable", { where, problem, committed, ...(after && { after }) });
}

function refusal(address: Address, problem: string, error: unknown): HoldfastError {
  const { where } = address;
  const state = sqlState(error);
  const tls = state === null || state === "28000" ? tlsFailure(address, problem) : null;
  if (tls !== null) return tls;
  // Only tables that contradict each other can have what is to be inserted. Jobs are sent to tables of others, which a database
  // user named holdfast creates in our schema unless told otherwise.
  const isOurs = isRecord(error) && error.schema === "holdfast" && ["runs", "commits"].includes(String(error.table));
  if (state === "23505" && isOurs) return contradiction(where, `a run: ${problem}`);
  const fix = fixes[state ?? ""];
  return new HoldfastError("store-refused", { where, problem, ...(fix !== undefined && { fix, isAsked: true }) });
}

/** What to do about refusals that have nothing to do with the user's rights. */
const fixes: Readonly<Record<string, string>> = {
  "25006": "name the primary server in the address of your database: this one is a standby, or was made read-only",
  "53100": "free some space on the disk of the database server, then repeat the command",
};

/** Whether it failed before the server could answer: with a file for encryption, which may be a folder, or in the handshake. */
function isEarly(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isOpening = ("syscall" in error && error.syscall === "open") || ("code" in error && error.code === "EISDIR");
  return isOpening || handshake.test(error.message);
}

/** A refused connection to a name with several addresses has no message of its own. */
function problemOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") return problemOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  // The messages of OpenSSL name places in its own code, too, and the list of names in a certificate can be empty.
  return "reason" in error && typeof error.reason === "string" ? error.reason.replace(/[:\s]+$/, "") : error.message;
}

type Unreachable = HoldfastError<"store-unreachable">;

/** The connection broke after the statement was sent. */
export function isUnanswered(error: unknown): error is Unreachable {
  return isUnreachable(error) && error.data.committed === "unknown";
}

export function isUnreachable(error: unknown): error is Unreachable {
  return error instanceof HoldfastError && error.code === "store-unreachable";
}

export function unchanged({ data }: Unreachable): HoldfastError {
  return new HoldfastError("store-unreachable", { ...data, committed: "no" });
}
