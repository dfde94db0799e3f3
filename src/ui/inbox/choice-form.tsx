import { useSignal } from "@preact/signals";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import type { Choice } from "../../serve/contract/contract.ts";
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
  const { text, label, isFinal } = choice;
  const words = useSignal(text?.options?.[0] ?? "");
  const form = useRef<HTMLFormElement>(null);
  // Before anything else is typed: the first letter of an answer must not be lost.
  useLayoutEffect(() => {
    form.current?.querySelector<HTMLElement>("textarea, select, button[type=submit]")?.focus();
  }, []);
  const isReady = !isBusy && (text?.isNeeded !== true || words.value.trim() !== "");
  const send = () => {
    if (isReady) onSend(words.value.trim());
  };
  return (
    <form
      ref={form}
      class={`choice-form ${isFinal ? "choice-form-final" : ""}`}
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
      {isFinal && <p class="choice-warning">This cannot be undone.</p>}
      {text !== null && <Field text={text} words={words.value} onWords={(value) => (words.value = value)} />}
      <div class="choice-send">
        <button type="submit" class={`button ${isFinal ? "button-danger" : "button-main"}`} disabled={!isReady}>
          {label}
          <Key name={text === null || text.options !== undefined ? "Enter" : "Ctrl Enter"} />
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
  return (
    <div class="field">
      <label for={id}>
        {text.label}
        {!text.isNeeded && <span class="muted"> (optional)</span>}
      </label>
      {text.options === undefined ? (
        <textarea
          id={id}
          rows={3}
          value={words}
          maxLength={4_000}
          onInput={(event) => onWords(event.currentTarget.value)}
        />
      ) : (
        <select id={id} value={words} onChange={(event) => onWords(event.currentTarget.value)}>
          {text.options.map((option) => (
            <option key={option} value={option}>
              {visibleText(option)}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}
