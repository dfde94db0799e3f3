/** What each error carries. The one place a code is born; its wording sits beside it below. */
export interface ErrorData {
  "file-unreadable": { readonly file: string; readonly problem: string };
}

export type ErrorCode = keyof ErrorData;

const wording: { readonly [C in ErrorCode]: (data: ErrorData[C]) => string } = {
  "file-unreadable": (d) => `cannot read ${d.file}: ${d.problem}`,
};

/** The world failed: a file, a disk, another program. A no from the engine is a refusal, not this. */
export class HoldfastError<C extends ErrorCode = ErrorCode> extends Error {
  override readonly name = "HoldfastError";
  readonly code: C;
  readonly data: ErrorData[C];

  constructor(code: C, data: ErrorData[C], options?: ErrorOptions) {
    super(wording[code](data), options);
    this.code = code;
    this.data = data;
  }
}

/** Narrows by code, and works across duplicated copies of this package. */
export function isHoldfastError<C extends ErrorCode>(error: unknown, code: C): error is HoldfastError<C> {
  return error instanceof Error && error.name === "HoldfastError" && "code" in error && error.code === code;
}
