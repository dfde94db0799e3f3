import type { Condition, ConditionRoot } from "./condition.ts";
import { includesText } from "./includes-text.ts";
import { memberAt } from "./member-path.ts";

/** The values that a condition can read. */
export type ConditionScope = Readonly<Partial<Record<ConditionRoot, unknown>>>;

/** Whether a condition is true. Missing values are null, and any two values can be compared, so this never throws. */
export function conditionHolds(condition: Condition, scope: ConditionScope): boolean {
  return isTrue(valueIn(condition, scope));
}

function valueIn(condition: Condition, scope: ConditionScope): unknown {
  switch (condition.type) {
    case "value":
      return condition.value;
    case "member":
      return memberAt(scope[condition.root], condition.path);
    case "list":
      return condition.of;
    case "size":
      return sizeOf(valueIn(condition.of, scope));
    case "not":
      return !conditionHolds(condition.of, scope);
    case "every":
      return condition.of.every((part) => conditionHolds(part, scope));
    case "some":
      return condition.of.some((part) => conditionHolds(part, scope));
    case "comparison":
      return compares(condition.sign, valueIn(condition.left, scope), valueIn(condition.right, scope));
  }
}

/** As in JavaScript: null, false, 0 and empty text are false, everything else is true. */
function isTrue(value: unknown): boolean {
  return Boolean(value);
}

function compares(sign: Extract<Condition, { type: "comparison" }>["sign"], left: unknown, right: unknown): boolean {
  switch (sign) {
    case "==":
    case "===":
      return left === right;
    case "!=":
    case "!==":
      return left !== right;
    case "<":
      return order(left, right) === -1;
    case "<=":
      return order(left, right) <= 0;
    case ">":
      return order(left, right) === 1;
    case ">=":
      return order(left, right) >= 0;
    case "in":
      return includes(right, left);
    case "contains":
      return includes(left, right);
  }
}

/** A list includes a value, a text includes a text; everything else includes nothing. */
function includes(whole: unknown, part: unknown): boolean {
  if (Array.isArray(whole)) return whole.includes(part);
  return typeof whole === "string" && typeof part === "string" && includesText(whole, part);
}

/** The characters of a text, the entries of a list or the keys of a map; null for anything else. */
function sizeOf(value: unknown): number | null {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  return typeof value === "object" && value !== null ? Object.keys(value).length : null;
}

/** Numbers compare with numbers and texts with texts; NaN for anything else, so that every comparison is false. */
function order(left: unknown, right: unknown): number {
  if (typeof left === "number" && typeof right === "number") return Math.sign(left - right);
  if (typeof left !== "string" || typeof right !== "string") return Number.NaN;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
