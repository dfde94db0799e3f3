import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Choice, InboxItem } from "../../serve/contract/contract.ts";
import { perform } from "../api/calls.ts";
import { canAct, refreshInbox, refreshMe } from "../api/known.ts";
import { asProblem } from "../api/request.ts";
import { Icon } from "../parts/icon.tsx";
import { Key } from "../parts/key.tsx";
import { useKeys } from "../parts/keys.ts";
import { ChoiceForm } from "./choice-form.tsx";
import { failure, forgetFailure, isReplaced, leaveWith } from "./selection.ts";

interface Props {
  readonly item: InboxItem;
  /** Says what was done, for those who do not see the item leave. */
  readonly onDone: (words: string) => void;
}

/** The buttons of an item. A choice that needs a text, or that must be confirmed, opens a form below them. */
export function Choices({ item, onDone }: Props) {
  const openKey = useSignal<string | null>(null);
  const withNote = useSignal(false);
  const isBusy = useSignal(false);
  const send = async (choice: Choice, text: string) => {
    if (isBusy.value) return;
    isBusy.value = true;
    forgetFailure(item);
    const about = `${choice.label}: ${item.summary ?? item.title}`;
    try {
      const typed = choice.text === null || text === "" ? {} : { [choice.text.name]: text };
      await leaveWith(item, () => perform(item.project, choice.operation, { ...choice.input, ...typed }));
      onDone(about);
      void refreshInbox();
    } catch (error) {
      failure.value = { id: item.id, about, problem: asProblem(error) };
      void refreshInbox();
    } finally {
      isBusy.value = false;
    }
  };
  const choose = (choice: Choice) => {
    if (isReplaced.value) return;
    forgetFailure(item);
    const isAsked =
      choice.warning !== null || choice.text?.isNeeded === true || (withNote.value && choice.text !== null);
    if (isAsked) openKey.value = openKey.value === choice.key ? null : choice.key;
    else void send(choice, "");
  };
  /** A form that is left gives the focus back to its button. */
  const close = () => {
    const button = document.querySelector<HTMLElement>(`[data-choice="${CSS.escape(openKey.value ?? "")}"]`);
    openKey.value = null;
    button?.focus();
  };
  const open = item.choices.find(({ key }) => key === openKey.value);
  return (
    <div class="choices">
      {canAct.value ? (
        <>
          <ChoiceKeys item={item} withNote={withNote} onChoose={choose} />
          <Buttons
            item={item}
            openKey={openKey.value}
            withNote={withNote}
            isBusy={isBusy.value || isReplaced.value}
            onChoose={choose}
          />
        </>
      ) : (
        <CannotAct />
      )}
      {open !== undefined && (
        <ChoiceForm
          key={open.key}
          choice={open}
          // What was typed is kept for when the person can decide again.
          isBusy={isBusy.value || !canAct.value}
          onSend={(text) => void send(open, text)}
          onClose={close}
        />
      )}
    </div>
  );
}

interface ButtonsProps {
  readonly item: InboxItem;
  readonly openKey: string | null;
  readonly withNote: Signal<boolean>;
  readonly isBusy: boolean;
  readonly onChoose: (choice: Choice) => void;
}

function Buttons({ item, openKey, withNote, isBusy, onChoose }: ButtonsProps) {
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
          aria-expanded={openKey === choice.key ? true : undefined}
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
  return choices.some(({ text, warning }) => text?.isNeeded === false && warning === null);
}

/** The first choice is the usual one; what must be confirmed is quiet until it is chosen. */
function lookOf(choice: Choice, index: number): string {
  if (choice.warning !== null) return "button-final";
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
  // The new link may have been opened in another tab.
  useEffect(() => {
    const look = () => void refreshMe();
    document.addEventListener("visibilitychange", look);
    addEventListener("focus", look);
    return () => {
      document.removeEventListener("visibilitychange", look);
      removeEventListener("focus", look);
    };
  }, []);
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
