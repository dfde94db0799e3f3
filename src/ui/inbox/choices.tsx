import { type Signal, useSignal } from "@preact/signals";
import type { Choice, InboxItem } from "../../serve/contract/contract.ts";
import { perform } from "../api/calls.ts";
import { canAct, refreshInbox } from "../api/known.ts";
import { asProblem, type Problem } from "../api/request.ts";
import { Icon } from "../parts/icon.tsx";
import { Key } from "../parts/key.tsx";
import { useKeys } from "../parts/keys.ts";
import { ProblemNote } from "../parts/notes.tsx";
import { ChoiceForm } from "./choice-form.tsx";
import { leave } from "./selection.ts";

interface Props {
  readonly item: InboxItem;
  /** Says what was done, for those who do not see the item leave. */
  readonly onDone: (words: string) => void;
}

/** The buttons of an item. A choice that needs a text, or that cannot be undone, opens a form below them. */
export function Choices({ item, onDone }: Props) {
  const open = useSignal<Choice | null>(null);
  const withNote = useSignal(false);
  const isBusy = useSignal(false);
  const problem = useSignal<Problem | null>(null);
  const send = async (choice: Choice, text: string) => {
    if (isBusy.value) return;
    isBusy.value = true;
    problem.value = null;
    try {
      const typed = choice.text === null || text === "" ? {} : { [choice.text.name]: text };
      await perform(item.project, choice.operation, { ...choice.input, ...typed });
      onDone(`${choice.label}: ${item.summary ?? item.title}`);
      leave(item);
      void refreshInbox();
    } catch (error) {
      problem.value = asProblem(error);
      void refreshInbox();
    } finally {
      isBusy.value = false;
    }
  };
  const choose = (choice: Choice) => {
    problem.value = null;
    const isAsked = choice.isFinal || choice.text?.isNeeded === true || (withNote.value && choice.text !== null);
    if (isAsked) open.value = open.value === choice ? null : choice;
    else void send(choice, "");
  };
  /** A form that is left gives the focus back to its button. */
  const close = () => {
    const button = document.querySelector<HTMLElement>(`[data-choice="${CSS.escape(open.value?.key ?? "")}"]`);
    open.value = null;
    button?.focus();
  };
  if (!canAct.value) return <CannotAct />;
  return (
    <div class="choices">
      <ChoiceKeys item={item} withNote={withNote} onChoose={choose} />
      <Buttons item={item} open={open} withNote={withNote} isBusy={isBusy.value} onChoose={choose} />
      {open.value !== null && (
        <ChoiceForm
          key={`${item.id} ${open.value.key}`}
          choice={open.value}
          isBusy={isBusy.value}
          onSend={(text) => open.value !== null && void send(open.value, text)}
          onClose={close}
        />
      )}
      {problem.value !== null && <ProblemNote problem={problem.value} />}
    </div>
  );
}

interface ButtonsProps {
  readonly item: InboxItem;
  readonly open: Signal<Choice | null>;
  readonly withNote: Signal<boolean>;
  readonly isBusy: boolean;
  readonly onChoose: (choice: Choice) => void;
}

function Buttons({ item, open, withNote, isBusy, onChoose }: ButtonsProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend that everybody sees.
    <div class="choice-buttons" role="group" aria-label="What to do">
      {item.choices.map((choice, index) => (
        <button
          key={choice.key}
          type="button"
          class={`button ${lookOf(choice, index)}`}
          disabled={isBusy}
          data-choice={choice.key}
          aria-expanded={open.value === choice ? true : undefined}
          aria-keyshortcuts={choice.key}
          onClick={() => onChoose(choice)}
        >
          {choice.label}
          <Key name={choice.key} />
        </button>
      ))}
      {takesNote(item) && (
        <button
          type="button"
          class="button button-quiet"
          aria-pressed={withNote.value}
          aria-keyshortcuts={noteKey}
          onClick={() => (withNote.value = !withNote.value)}
        >
          <Icon name={withNote.value ? "check" : "file"} />
          With a note
          <Key name={noteKey} />
        </button>
      )}
    </div>
  );
}

const noteKey = "n";

/** Whether something can be said that need not be said: then one key still answers, unless a note is asked for. */
function takesNote({ choices }: InboxItem): boolean {
  return choices.some(({ text, isFinal }) => text?.isNeeded === false && !isFinal);
}

/** The first choice is the usual one; what cannot be undone is quiet until it is chosen. */
function lookOf(choice: Choice, index: number): string {
  if (choice.isFinal) return "button-final";
  return index === 0 ? "button-main" : "";
}

interface KeysProps {
  readonly item: InboxItem;
  readonly withNote: Signal<boolean>;
  readonly onChoose: (choice: Choice) => void;
}

function ChoiceKeys({ item, withNote, onChoose }: KeysProps) {
  const note = { keys: noteKey, label: "With a note", run: () => (withNote.value = !withNote.value) };
  useKeys("This item", [
    ...(takesNote(item) ? [note] : []),
    ...item.choices.map((choice) => ({ keys: choice.key, label: choice.label, run: () => onChoose(choice) })),
  ]);
  return null;
}

function CannotAct() {
  return (
    <p class="note">
      <Icon name="lock" />
      <span>
        You can look, but not decide: this page was not opened by a person at the terminal. Run{" "}
        <code>holdfast serve</code> in a terminal of your own and open its link.
      </span>
    </p>
  );
}
