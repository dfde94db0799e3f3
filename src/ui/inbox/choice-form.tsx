import { useSignal } from "@preact/signals";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import type { Choice } from "../../serve/contract/contract.ts";
import { whole } from "../parts/format.ts";
import { Key } from "../parts/key.tsx";
import { visibleText } from "../parts/visible.ts";

interface Props {
  readonly choice: Choice;
  readonly isBusy: boolean;
  readonly onSend: (text: string) => void;
  readonly onClose: () => void;
}

/** What a choice asks for before it is made: a text, one of several options, or only whether it is meant. */
export function ChoiceForm({ choice, isBusy, onSend, onClose }: Props) {
  const { text, label, warning } = choice;
  const words = useSignal(text?.options?.[0] ?? "");
  const form = useRef<HTMLFormElement>(null);
  // Before anything else is typed: the first letter of an answer must not be lost.
  useLayoutEffect(() => {
    form.current?.querySelector<HTMLElement>("textarea, select, button[type=submit]")?.focus();
  }, []);
  const isTyped = text !== null && text.options === undefined;
  const { length } = words.value.trim();
  const isReady = !isBusy && length <= (text?.longest ?? 0) && (text?.isNeeded !== true || length > 0);
  const send = () => {
    if (isReady) onSend(words.value.trim());
  };
  return (
    <form
      ref={form}
      class={`choice-form ${warning !== null ? "choice-form-final" : ""}`}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") {
          event.preventDefault();
          onClose();
        } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          send();
        }
      }}
    >
      {warning !== null && <p class="choice-warning">{warning}</p>}
      {text !== null && <Field text={text} words={words.value} onWords={(value) => (words.value = value)} />}
      <div class="choice-send">
        <button
          type="submit"
          class={`button ${warning !== null ? "button-danger" : "button-main"}`}
          disabled={!isReady}
        >
          {label}
          <Key name={isTyped ? "Ctrl Enter" : "Enter"} />
        </button>
        <button type="button" class="button button-quiet" onClick={onClose}>
          Cancel
          <Key name="Esc" />
        </button>
      </div>
    </form>
  );
}

interface FieldProps {
  readonly text: NonNullable<Choice["text"]>;
  readonly words: string;
  readonly onWords: (words: string) => void;
}

function Field({ text, words, onWords }: FieldProps) {
  const id = useId();
  const { length } = words.trim();
  return (
    <div class="field">
      <label for={id}>
        {text.label}
        {!text.isNeeded && <span class="muted"> (optional)</span>}
      </label>
      {text.options === undefined ? (
        <textarea id={id} rows={3} value={words} onInput={(event) => onWords(event.currentTarget.value)} />
      ) : (
        <select id={id} value={words} onChange={(event) => onWords(event.currentTarget.value)}>
          {text.options.map((option) => (
            <option key={option} value={option}>
              {visibleText(option)}
            </option>
          ))}
        </select>
      )}
      {length > text.longest && (
        <p class="choice-warning" role="alert">
          {whole(length)} characters; at most {whole(text.longest)} can be sent.
        </p>
      )}
    </div>
  );
}
