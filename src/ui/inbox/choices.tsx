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
    if (choice.isFinal || choice.text?.isNeeded === true) open.value = open.value === choice ? null : choice;
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
      <ChoiceKeys item={item} onChoose={choose} onNote={(choice) => (open.value = choice)} />
      <Buttons item={item} open={open} isBusy={isBusy.value} onChoose={choose} />
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
  readonly isBusy: boolean;
  readonly onChoose: (choice: Choice) => void;
}

function Buttons({ item, open, isBusy, onChoose }: ButtonsProps) {
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
          aria-expanded={choice.isFinal || choice.text?.isNeeded === true ? open.value === choice : undefined}
          aria-keyshortcuts={choice.key}
          onClick={() => onChoose(choice)}
        >
          {choice.label}
          <Key name={choice.key} />
        </button>
      ))}
      {item.choices
        .filter(({ text, isFinal }) => text?.isNeeded === false && !isFinal)
        .map((choice) => (
          <button
            key={`${choice.key} note`}
            type="button"
            class="button button-quiet"
            disabled={isBusy}
            aria-expanded={open.value === choice}
            aria-keyshortcuts={choice.key.toUpperCase()}
            onClick={() => (open.value = open.value === choice ? null : choice)}
          >
            {choice.label} with a note
            <Key name={choice.key.toUpperCase()} />
          </button>
        ))}
    </div>
  );
}

/** The first choice is the usual one; what cannot be undone is quiet until it is chosen. */
function lookOf(choice: Choice, index: number): string {
  if (choice.isFinal) return "button-final";
  return index === 0 ? "button-main" : "";
}

interface KeysProps {
  readonly item: InboxItem;
  readonly onChoose: (choice: Choice) => void;
  readonly onNote: (choice: Choice) => void;
}

function ChoiceKeys({ item, onChoose, onNote }: KeysProps) {
  useKeys("This item", [
    ...item.choices.map((choice) => ({ keys: choice.key, label: choice.label, run: () => onChoose(choice) })),
    ...item.choices
      .filter(({ text, isFinal }) => text?.isNeeded === false && !isFinal)
      .map((choice) => ({
        keys: choice.key.toUpperCase(),
        label: `${choice.label} with a note`,
        run: () => onNote(choice),
      })),
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
