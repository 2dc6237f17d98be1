"""Execute the notebooks of examples/notebooks and write their pages: `python docs/gallery.py`.

`python docs/gallery.py course returns` executes only these two. A notebook is a Python file in
percent format, which Jupytext, VS Code and others open as a notebook: `# %%` begins a cell and
`# %% [markdown]` one of text. Its page in docs/gallery has the text, the code and what the code
showed; pictures are files beside it, and interactive maps are left out. Text that refers to
`result.png` means the picture of the cell `# %% result`, with which each notebook opens.

A setting that ends with `# fast: VALUE` has this value in the tests, and no such comment elsewhere.

MkDocs calls the functions `on_…`: the notebooks to download are made when the site is built.
"""

from __future__ import annotations

import base64
import io
import re
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SOURCES = ROOT / "examples" / "notebooks"
PAGES = ROOT / "docs" / "gallery"
RESULT = "result.png"
LINK = "<!-- the link to the notebook -->"
LOOK = """
import matplotlib
matplotlib.rcParams.update({"figure.dpi": 130, "figure.constrained_layout.use": True,
    "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
    "axes.titlelocation": "left", "axes.titleweight": "bold", "axes.titlesize": 11})
"""
_WARNING = re.compile(r"^.*?:\d+: (\w+Warning): (.*)\n  .*$", re.MULTILINE)
# The styles of pandas, and line breaks within HTML, which may end a block of it for Markdown.
_STYLE = re.compile(r'<style.*?</style>| border="1" class="dataframe"|\n\s*', re.DOTALL)
_PAGE = re.compile(r"\[([^]]+)\]\(\.\./[^)]+\)")  # a link to another page
_SETTING = re.compile(r"^(\w+) = (.+?)  #(?: (.+);)? fast: (.+)$", re.MULTILINE)


@dataclass
class Cell:
    """One cell: its title (`result`, `[markdown]` or nothing), text, and outputs if executed."""

    title: str
    text: str
    outputs: list[Any] = field(default_factory=list)

    @property
    def is_text(self) -> bool:
        """Whether it is Markdown instead of code."""
        return self.title == "[markdown]"


def notebooks() -> list[str]:
    """The names of the notebooks."""
    return sorted(path.stem for path in SOURCES.glob("*.py"))


def read(name: str, *, fast: bool = False) -> list[Cell]:
    """The cells of a notebook, with settings for readers or for tests."""
    source = (SOURCES / f"{name}.py").read_text()
    cells = []
    for part in re.split(r"^# %%", source, flags=re.MULTILINE)[1:]:
        title, _, text = part.partition("\n")
        cell = Cell(title.strip(), _SETTING.sub(_fast if fast else _real, text).strip())
        if cell.is_text:
            cell.text = re.sub(r"^# ?", "", cell.text, flags=re.MULTILINE)
        cells.append(cell)
    return cells


def _real(setting: re.Match[str]) -> str:
    said = f"  # {setting[3]}" if setting[3] else ""
    return f"{setting[1]} = {setting[2]}{said}"


def _fast(setting: re.Match[str]) -> str:
    return f"{setting[1]} = {setting[4]}"


def execute(cells: list[Cell], folder: str) -> None:
    """Run the code in a kernel of Jupyter that works in this folder, and keep what it shows."""
    import nbclient
    from nbformat.v4 import new_code_cell, new_notebook

    code = [cell for cell in cells if not cell.is_text]
    book = new_notebook(cells=[new_code_cell(text) for text in (LOOK, *(c.text for c in code))])
    place = {"metadata": {"path": folder}}
    nbclient.NotebookClient(book, timeout=1800, kernel_name="python3", resources=place).execute()
    for cell, executed in zip(code, book.cells[1:], strict=True):
        cell.outputs = executed.outputs


# -- pages -----------------------------------------------------------------------------------------


def write_page(name: str, cells: list[Cell]) -> None:
    """Write the page of an executed notebook and its pictures."""
    for old in (*PAGES.glob(f"{name}.png"), *PAGES.glob(f"{name}-?.png")):
        old.unlink()
    parts, pictures = [], 0
    for number, cell in enumerate(cells):
        if cell.is_text:
            parts += [cell.text.replace(RESULT, f"{name}.png"), *([LINK] * (number == 0))]
            continue
        parts.append(f"```py\n{cell.text}\n```")  # the tests run blocks of ```python as they are
        for kind, content in _shown(cell):
            if kind == "picture" and cell.title == "result":
                (PAGES / f"{name}.png").write_bytes(smaller(content))
                parts.append("*(This draws the picture at the top.)*")
            elif kind == "picture":
                pictures += 1
                (PAGES / f"{name}-{pictures}.png").write_bytes(smaller(content))
                parts.append(f"![What this cell draws]({name}-{pictures}.png)")
            else:
                parts.append(content)
    (PAGES / f"{name}.md").write_text("\n\n".join(parts) + "\n")


def _shown(cell: Cell) -> Iterator[tuple[str, Any]]:
    """What a cell shows: pictures as bytes, text and tables as Markdown."""
    for output in cell.outputs:
        data = output.get("data", {})
        if "image/png" in data:
            yield "picture", base64.b64decode(data["image/png"])
        elif "<iframe" in data.get("text/html", ""):
            yield "text", "*(An interactive map; execute the notebook to see it.)*"
        elif "<progress" in data.get("text/html", ""):
            continue  # a bar that is full
        elif "text/html" in data:
            yield "text", f'<div class="output">{_STYLE.sub("", data["text/html"])}</div>'
        else:
            text = output.get("text", data.get("text/plain", "")).rstrip()
            if cell.title != "result":  # there, it is only what the last call returned
                yield "text", f"```text\n{wrapped(_WARNING.sub(_said, text))}\n```"


def wrapped(text: str) -> str:
    """The text with lines that fit the page."""
    return "\n".join(
        textwrap.fill(line, 100) if len(line) > 100 else line for line in text.splitlines()
    )


def _said(warning: re.Match[str]) -> str:
    """A warning without the place in a file of this machine."""
    return f"{warning[1]}: {warning[2]}"


def smaller(picture: bytes) -> bytes:
    """The picture with at most 256 colours, which diagrams do not exceed visibly."""
    from PIL import Image

    written = io.BytesIO()
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    image.quantize(256, dither=Image.Dither.NONE).save(written, "png", optimize=True)
    return written.getvalue()


# -- hooks of MkDocs -------------------------------------------------------------------------------


def on_files(files: Any, config: Any) -> Any:
    """Add the notebooks to download, without outputs but for the picture at the top."""
    from mkdocs.structure.files import File

    for name in notebooks():
        files.append(File.generated(config, f"gallery/{name}.ipynb", content=notebook(name)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Link to the notebook, and mark pictures, whose colours follow those of the page."""
    if not page.file.src_uri.startswith("gallery/"):
        return markdown
    name = Path(page.file.src_uri).stem
    markdown = re.sub(r"(!\[[^]]*\]\([\w-]+\.png\))", r"\1{ .notebook }", markdown)
    link = f"[Download this notebook]({name}.ipynb){{ .md-button download='{name}.ipynb' }}"
    return markdown.replace(LINK, link)


def notebook(name: str) -> str:
    """The notebook as Jupyter stores it."""
    import nbformat
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

    made = []
    for number, cell in enumerate(read(name)):
        text = _PAGE.sub(r"\1", cell.text) if cell.is_text else cell.text
        made.append((new_markdown_cell if cell.is_text else new_code_cell)(text))
        made[-1].id = f"cell-{number}"  # instead of a random one
    picture = base64.b64encode((PAGES / f"{name}.png").read_bytes()).decode()
    made[0].source = made[0].source.replace(RESULT, f"attachment:{RESULT}")
    made[0].attachments = {RESULT: {"image/png": picture}}
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return str(nbformat.writes(new_notebook(cells=made, metadata=kernel)))


def main(names: list[str]) -> None:
    """Execute the notebooks and write their pages."""
    unknown = sorted(set(names) - set(notebooks()))
    if unknown:
        sys.exit(f"notebooks must be of {', '.join(notebooks())}, got {', '.join(unknown)}")
    PAGES.mkdir(exist_ok=True)
    for name in names or notebooks():
        start, cells = time.perf_counter(), read(name)
        with tempfile.TemporaryDirectory() as folder:
            execute(cells, folder)
        write_page(name, cells)
        print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
