import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { asProblem, type Problem } from "../api/request.ts";
import { Icon } from "./icon.tsx";
import { ProblemNote } from "./notes.tsx";

interface SheetProps {
  readonly title: string;
  readonly children: ComponentChildren;
  readonly onClose: () => void;
}

/** A dialog over the screen. Escape and a click beside it close it, and the focus returns to where it was. */
export function Sheet({ title, children, onClose }: SheetProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog, too.
    <dialog
      ref={dialog}
      class="sheet"
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <div class="sheet-inside">
        <header class="sheet-head">
          <h2 id={id}>{title}</h2>
          <button type="button" class="icon-button" aria-label="Close" onClick={() => dialog.current?.close()}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly isDangerous?: boolean;
  /** Asks for a text as well, if this is set. */
  readonly reason?: { readonly label: string; readonly isNeeded: boolean };
  readonly onConfirm: (reason: string) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Asks once before something is done, and shows why if it could not be done. */
export function Confirm({ title, text, action, isDangerous = false, reason, onConfirm, onClose }: ConfirmProps) {
  const words = useSignal("");
  const isBusy = useSignal(false);
  const problem = useSignal<Problem | null>(null);
  const submit = async () => {
    isBusy.value = true;
    problem.value = null;
    try {
      await onConfirm(words.value.trim());
      onClose();
    } catch (error) {
      problem.value = asProblem(error);
    } finally {
      isBusy.value = false;
    }
  };
  const isReady = !isBusy.value && (reason?.isNeeded !== true || words.value.trim() !== "");
  return (
    <Sheet title={title} onClose={onClose}>
      <form
        class="confirm"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) void submit();
        }}
      >
        <p>{text}</p>
        {reason !== undefined && (
          <label class="field">
            <span>{reason.label}</span>
            <textarea
              rows={3}
              value={words.value}
              onInput={(event) => {
                words.value = event.currentTarget.value;
              }}
            />
          </label>
        )}
        {problem.value !== null && <ProblemNote problem={problem.value} />}
        <div class="confirm-buttons">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class={`button ${isDangerous ? "button-danger" : "button-main"}`} disabled={!isReady}>
            {action}
          </button>
        </div>
      </form>
    </Sheet>
  );
}
