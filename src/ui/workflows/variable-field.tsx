import { useId } from "preact/hooks";
import type { WorkflowVariable } from "../../serve/contract/contract.ts";
import { visibleText } from "../parts/visible.ts";
import { Words } from "../parts/words.tsx";

export type FieldValue = string | boolean;

interface Props {
  readonly variable: WorkflowVariable;
  readonly value: FieldValue;
  readonly onValue: (value: FieldValue) => void;
}

/** One variable of a workflow, as its type wants it. */
export function VariableField({ variable, value, onValue }: Props) {
  const id = useId();
  const hint = hintOf(variable);
  if (variable.type === "flag") {
    return (
      <div class="field field-flag">
        <input
          id={id}
          type="checkbox"
          checked={value === true}
          aria-describedby={`${id}-hint`}
          onChange={(event) => onValue(event.currentTarget.checked)}
        />
        <FieldLabel id={id} variable={variable} hint={hint} />
      </div>
    );
  }
  return (
    <div class="field">
      <FieldLabel id={id} variable={variable} hint={hint} />
      {variable.choices === null ? (
        <input
          id={id}
          type="text"
          inputMode={variable.type === "number" ? "decimal" : "text"}
          class={variable.type === "path" || variable.type === "command" ? "mono" : undefined}
          value={String(value)}
          required={variable.isRequired}
          spellcheck={false}
          aria-describedby={`${id}-hint`}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      ) : (
        <select
          id={id}
          value={String(value)}
          required={variable.isRequired}
          aria-describedby={`${id}-hint`}
          onChange={(event) => onValue(event.currentTarget.value)}
        >
          {variable.default === null && <option value="">Choose …</option>}
          {variable.choices.map((choice) => (
            <option key={choice} value={choice}>
              {visibleText(choice)}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

interface LabelProps {
  readonly id: string;
  readonly variable: WorkflowVariable;
  readonly hint: string;
}

function FieldLabel({ id, variable, hint }: LabelProps) {
  return (
    <span class="field-label">
      <label for={id}>
        <code>
          <Words text={variable.name} />
        </code>
        {variable.isRequired && <span class="field-needed"> needed</span>}
      </label>
      <span id={`${id}-hint`} class="muted field-hint">
        <Words text={hint} />
      </span>
    </span>
  );
}

function hintOf({ description, type, pattern }: WorkflowVariable): string {
  const kinds = { number: "a number", path: "a path inside the project", command: "a command, run as it is" } as const;
  const kind = type === "number" || type === "path" || type === "command" ? kinds[type] : null;
  const parts = [description, kind, pattern === null ? null : `must match ${pattern}`];
  return parts.filter((part) => part !== null).join(" · ");
}

/** What a field shows at first. */
export function firstValue({ type, default: value }: WorkflowVariable): FieldValue {
  if (type === "flag") return value === true;
  return value === null ? "" : String(value);
}

/** The values that differ from what the workflow would take by itself. */
export function givenValues(
  variables: readonly WorkflowVariable[],
  values: Readonly<Record<string, FieldValue>>,
): Readonly<Record<string, FieldValue>> {
  const given = variables.flatMap((variable) => {
    const value = values[variable.name] ?? firstValue(variable);
    const isDefault = value === firstValue(variable) && variable.default !== null;
    const isEmpty = value === "" || (value === false && variable.default === null);
    return isDefault || isEmpty ? [] : [[variable.name, value] as const];
  });
  return Object.fromEntries(given);
}
