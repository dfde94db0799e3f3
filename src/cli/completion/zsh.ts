import { type Choice, type CompletedCommand, type CompletedOption, families } from "./completed-command.ts";

/** A completion script for zsh, to be sourced or to be put into a folder of `fpath` as `_holdfast`. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  const single = commands.filter(({ name }) => !name.includes(" "));
  const groups = [...families(commands)];
  const first = [
    ...single.map(({ name, about }) => described(name, about)),
    ...groups.map(([name, members]) => described(name, members.map((each) => each.name.split(" ")[1]).join(", "))),
  ];
  return `#compdef holdfast
# Completion for holdfast in zsh.
_holdfast_names() {
  local -a names
  # Not the program that is being typed: it may belong to a project that is not trusted.
  names=(\${(f)"$(command holdfast completion $1 2>/dev/null)"})
  compadd -a names
}

_holdfast_first() {
  local -a words
  words=(
${first.map((each) => `    ${each}\n`).join("")}  )
  _describe -t commands command words
}

${groups.map(([name, members]) => familyFunction(name, members)).join("\n")}
_holdfast() {
  local cmd
  if (( CURRENT == 2 )); then _holdfast_first; return; fi
  cmd=$words[2]
  shift words; (( CURRENT-- ))
  case $cmd in
${groups.map(([name]) => `    ${name}) _holdfast_${name} ;;\n`).join("")}${single.map((command) => argumentsCase(command)).join("")}  esac
}

if [ "$funcstack[1]" = "_holdfast" ]; then
  _holdfast "$@"
else
  compdef _holdfast holdfast
fi
`;
}

function familyFunction(family: string, members: readonly CompletedCommand[]): string {
  const second = (name: string) => name.split(" ")[1] ?? "";
  return `_holdfast_${family}() {
  local cmd
  local -a seconds
  seconds=(
${members.map(({ name, about }) => `    ${described(second(name), about)}\n`).join("")}  )
  if (( CURRENT == 2 )); then _describe -t commands command seconds; return; fi
  cmd=$words[2]
  shift words; (( CURRENT-- ))
  case $cmd in
${members.map((command) => argumentsCase({ ...command, name: second(command.name) })).join("")}  esac
}
`;
}

function argumentsCase({ name, options, positionals, repeats }: CompletedCommand): string {
  const places = positionals.map((choice, index) => {
    const number = repeats && index === positionals.length - 1 ? "*" : String(index + 1);
    return quoted(`${number}: :${actionOf(choice)}`);
  });
  return `    ${name}) _arguments -s ${[...options.flatMap(optionSpecs), ...places].join(" ")} ;;\n`;
}

function optionSpecs({ flags, about, choice }: CompletedOption): string[] {
  const text = about.replace(/[[\]:\\]/g, "\\$&");
  return flags.map((flag) => quoted(`*${flag}[${text}]${choice === null ? "" : `: :${actionOf(choice)}`}`));
}

function actionOf(choice: Choice): string {
  switch (choice.type) {
    case "values":
      return `(${choice.values.join(" ")})`;
    case "names":
      return `{_holdfast_names ${choice.names}}`;
    case "files":
      return "_files";
    case "text":
      return " ";
  }
}

function described(word: string, about: string): string {
  return quoted(`${word}:${about.replace(/[:\\]/g, "\\$&")}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
