/** Characters, in a name that a database, a terminal and a person must all be able to tell apart. */
const longest = 200;

export const projectNameRule = `a project has a name of 1 to ${longest} characters, without control characters`;

/** Whether a shared store accepts this as the name of a project. */
export function isProjectName(text: string): boolean {
  return text.trim() !== "" && text.length <= longest && !/\p{Cc}|\p{Cs}/u.test(text);
}
