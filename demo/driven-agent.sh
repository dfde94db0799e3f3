#!/bin/sh
# An agent in a few lines: it reads a prompt, does what it asks for, and prints its answer.
prompt=$(cat)
case "$prompt" in
  *"fresh eyes"*)
    echo "It holds."
    echo '{"outcome": "good"}' ;;
  *"only 2 lines"*)
    echo "harbour lights go out" >> haiku.txt
    echo "Added the third line." ;;
  *)
    printf 'fog over the bay\nthe anchor does not let go\n' > haiku.txt
    echo "Wrote it." ;;
esac
