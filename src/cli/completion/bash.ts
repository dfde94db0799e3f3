import { type Choice, type CompletedCommand, families, firstWords } from "./completed-command.ts";

/** A completion script for bash 3.2 or later. It needs no other package. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const family = [...families(commands)].map(([first, members]) => {
    const seconds = members.map(({ name }) => name.split(" ")[1]).join(" ");
    return `    ${first})
      if [ "$COMP_CWORD" -eq 2 ]; then _holdfast_words "${seconds}"; return; fi
      cmd="$cmd \${COMP_WORDS[2]}"; at=3 ;;
`;
  });
  return `# Completion for holdfast in bash.
_holdfast_words() {
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
}

_holdfast_names() {
  # Not the program that is being typed: it may belong to a project that is not trusted.
  _holdfast_words "$(command holdfast completion "$1" 2>/dev/null)"
}

_holdfast_files() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -f -- "$cur"))
  compopt -o filenames 2>/dev/null
}

_holdfast() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" cmd="\${COMP_WORDS[1]}" at=2 options="" valued="" index=0 i
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then _holdfast_words "${[...firstWords(commands), "help"].join(" ")} --help --version"; return; fi
  case "$cmd" in
${family.join("")}  esac
  case "$cmd" in
${commands.map(optionCase).join("")}  esac
  case "$cmd $prev" in
${commands.flatMap(valueCases).join("")}  esac
  case "$cur" in
    -*) _holdfast_words "$options"; return ;;
  esac
  for ((i = at; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in
      -*) case " $valued " in *" \${COMP_WORDS[i]} "*) i=$((i + 1)) ;; esac ;;
      *) index=$((index + 1)) ;;
    esac
  done
  case "$cmd:$index" in
${commands.flatMap(positionalCases).join("")}  esac
}

complete -F _holdfast holdfast
`;
}

function optionCase({ name, options }: CompletedCommand): string {
  const all = options.flatMap(({ flags }) => flags).join(" ");
  const valued = options.flatMap(({ flags, choice }) => (choice === null ? [] : flags)).join(" ");
  return `    "${name}") options="${all}"; valued="${valued}" ;;\n`;
}

/** After an option that takes a value, nothing but that value can follow. */
function valueCases({ name, options }: CompletedCommand): string[] {
  return options.flatMap(({ flags, choice }) => {
    if (choice === null) return [];
    const patterns = flags.map((flag) => `"${name} ${flag}"`).join(" | ");
    return [`    ${patterns}) ${callOf(choice)}return ;;\n`];
  });
}

function positionalCases({ name, positionals, repeats }: CompletedCommand): string[] {
  return positionals.flatMap((choice, index) => {
    const call = callOf(choice);
    const pattern = repeats && index === positionals.length - 1 ? `"${name}":*` : `"${name}:${index}"`;
    return call === "" ? [] : [`    ${pattern}) ${call}return ;;\n`];
  });
}

function callOf(choice: Choice): string {
  switch (choice.type) {
    case "values":
      return `_holdfast_words "${choice.values.join(" ")}"; `;
    case "names":
      return `_holdfast_names ${choice.names}; `;
    case "files":
      return "_holdfast_files; ";
    case "text":
      return "";
  }
}
