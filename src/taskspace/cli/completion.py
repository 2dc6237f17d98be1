"""Completion of commands, options and choices in the shell.

`taskspace completion SHELL` prints a script, which `taskspace --install-completion` installs.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NoReturn

from taskspace.cli.arguments import add_command

_SHELLS = {"bash": ".bashrc", "zsh": ".zshrc"}  # with the file that they read when they start
_EXAMPLES = """The script is for bash or zsh. `taskspace --install-completion` adds one of these
lines to ~/.bashrc or to ~/.zshrc:
  eval "$(taskspace completion bash)"
  eval "$(taskspace completion zsh)"

examples:
  taskspace completion bash
  taskspace completion zsh > ~/.taskspace-completion
"""
# In zsh, bashcompinit makes the function for bash work.
_ZSH = """autoload -U +X compinit && compinit
autoload -U +X bashcompinit && bashcompinit
"""
# The words before the cursor decide: the commands among them, and the option just before it.
_SCRIPT = """_taskspace() {{
  local word before command known index
  word="${{COMP_WORDS[COMP_CWORD]}}"
  before="${{COMP_WORDS[COMP_CWORD-1]}}"
  command=""
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "${{COMP_WORDS[index]}}" in
      -*) ;;
      *)
        known="$command ${{COMP_WORDS[index]}}"
        case "${{known# }}" in
          {commands}) command="${{known# }}" ;;
        esac
        ;;
    esac
  done
  case "$command $before" in
{choices}
  esac
  case "$word" in
    -*)
      case "$command" in
{options}
      esac
      ;;
    *)
      case "$command" in
{words}
      esac
      ;;
  esac
}}
complete -o default -F _taskspace taskspace
"""


def add(commands: Any) -> None:
    """Add `completion` to the commands of a parser."""
    parser = add_command(
        commands, "completion", _run, "print a script that completes commands", _EXAMPLES
    )
    parser.add_argument("shell", choices=list(_SHELLS), help="the shell, bash or zsh")


def _run(options: argparse.Namespace) -> None:
    """Print a script for the shell that completes commands, options and their choices.

    File names are completed as usual.
    """
    from taskspace.cli.parser import build_parser
    from taskspace.envs.registry import names

    environments = [name.lower() for name in names()]
    parsers = dict(_parsers(build_parser()))
    print((_ZSH if options.shell == "zsh" else "") + script(parsers, {"run": environments}), end="")


class InstallCompletion(argparse.Action):
    """The option `--install-completion`: the shell of the user loads the script when it starts."""

    def __call__(self, *_: Any) -> NoReturn:
        """Add the line that loads the script, and end."""
        print(_install(os.environ.get("SHELL", "")))
        raise SystemExit(0)


def _install(shell: str) -> str:
    """Add the line to the file that a shell reads, unless it has it; what was done."""
    name = Path(shell).name
    if name not in _SHELLS:
        raise ValueError(
            f"the shell ($SHELL) must be bash or zsh, got {shell!r}. `taskspace completion --help`"
            " shows how to load the script by hand"
        )
    folder = os.environ.get("ZDOTDIR", "") if name == "zsh" else ""
    file = (Path(folder) if folder else Path.home()) / _SHELLS[name]
    # Where the command is not found, e.g. outside a virtual environment, the shell starts as usual.
    line = f'command -v taskspace > /dev/null && eval "$(taskspace completion {name})"'
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    if line in before.splitlines():
        return f"{file} loads the completion already."
    apart = "\n" if before and not before.endswith("\n") else ""
    with file.open("a", encoding="utf-8") as end:
        end.write(f"{apart}{line}\n")
    return f"Added to {file}:\n  {line}\nNew shells complete commands and options."


def script(parsers: dict[str, argparse.ArgumentParser], more: dict[str, list[str]]) -> str:
    """The script for parsers by their commands; some commands complete more words."""
    choices = [
        _case(f"{command} {option}", map(str, action.choices))
        for command, parser in parsers.items()
        for action in parser._actions
        for option in action.option_strings
        if action.choices
    ]
    options = [_case(command, _options(parser)) for command, parser in parsers.items()]
    words = [
        _case(command, found)
        for command, parser in parsers.items()
        if (found := [*more.get(command, []), *_words(parser)])
    ]
    known = "|".join(shlex.quote(command) for command in parsers if command)
    return _SCRIPT.format(
        commands=known, choices="\n".join(choices), options="\n".join(options),
        words="\n".join(words),
    )  # fmt: skip


def _case(pattern: str, words: Iterable[str]) -> str:
    """A case of the script: these words complete what is typed."""
    listed = shlex.quote(" ".join(words))
    reply = f'COMPREPLY=($(compgen -W {listed} -- "$word")); return'
    return f"    {shlex.quote(pattern)}) {reply} ;;"


def _options(parser: argparse.ArgumentParser) -> list[str]:
    return [option for action in parser._actions for option in action.option_strings]


def _words(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The choices of positional arguments, e.g. the commands."""
    for action in parser._actions:
        if action.choices and not action.option_strings:
            yield from (str(choice) for choice in action.choices)


def _parsers(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """The parser and those of its commands, e.g. under `karel show`."""
    yield re.sub(r"^taskspace ?", "", parser.prog), parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _parsers(command)
