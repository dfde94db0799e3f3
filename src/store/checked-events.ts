import * as z from "zod";
import { RunEvent } from "../model/event.ts";

const Events = z.array(RunEvent);

/** Events of this version, every part of them checked. */
export function checkedEvents(value: unknown): readonly RunEvent[] | string {
  const parsed = Events.safeParse(value);
  return parsed.success ? parsed.data : (parsed.error.issues[0]?.message ?? "");
}
