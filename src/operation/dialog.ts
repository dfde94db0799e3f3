/** The dialog in which an agent program asks its user while a call of the agent waits. */
export interface Dialog {
  /** The form that this call brings the user's answer to; null if it brings none. */
  readonly answered: { readonly form: string; readonly answer: FormAnswer } | null;
  /** The forms that were shown and not filled in. They are not shown again until the agent asks for it anew. */
  readonly declined: Set<string>;
  /** Whether an answer would count as a person's. Looked at when a form is shown, and again when it is answered. */
  counts(): boolean;
}

export interface Form {
  /** Tells what is asked from everything else that may be asked. */
  readonly name: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, FormField>>;
}

export interface FormField {
  readonly title: string;
  readonly description?: string;
  /** Absent for free text. */
  readonly choices?: readonly string[];
  readonly isOptional?: true;
}

/** Values are unchecked text from the client; `closed` means that the user filled in nothing. */
export type FormAnswer =
  | { readonly type: "answered"; readonly values: Readonly<Record<string, string | undefined>> }
  | { readonly type: "closed" };
