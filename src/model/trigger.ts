export const fixedTriggers = ["session_start", "compaction", "phase_transition", "manual"] as const;

/** `phase_start:Build`, `step_start:plan`, `phase_transition:Design->Build`, or one of the fixed words. */
export type Trigger =
  | { readonly type: (typeof fixedTriggers)[number] }
  | { readonly type: "phase-start"; readonly phase: string }
  | { readonly type: "phase-change"; readonly from: string; readonly to: string }
  | { readonly type: "step-start"; readonly step: string };

export function parseTrigger(text: string): Trigger | null {
  const fixed = fixedTriggers.find((word) => word === text);
  if (fixed !== undefined) return { type: fixed };
  const named = /^(phase_start|step_start|phase_transition):(.+)$/s.exec(text);
  const name = named?.[2]?.trim() ?? "";
  if (named === null || name === "") return null;
  if (named[1] === "phase_start") return { type: "phase-start", phase: name };
  if (named[1] === "step_start") return { type: "step-start", step: name };
  const [from = "", to = "", ...rest] = name.split("->").map((side) => side.trim());
  return from === "" || to === "" || rest.length > 0 ? null : { type: "phase-change", from, to };
}
