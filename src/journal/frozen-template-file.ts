/** The file beside a run's journal that holds the template of this hash. */
export function templateFile(hash: string): string {
  return `template-${hash.replace(/^.*:/, "").slice(0, 16)}.json`;
}
