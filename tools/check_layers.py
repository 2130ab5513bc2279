"""Check that imports in python/digram point downward only, as docs/architecture.md draws them.

Prints each import that breaks a rule as `file:line: what is wrong`; exits with 1 if any does.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "python" / "digram"

# From the ground up: a module imports what stands below it, and no neighbour.
LAYERS = (
    ("errors",),
    ("_extras", "_kinds"),
    (
        "_around",
        "_atomic",
        "_bad_records",
        "_bounds",
        "_choosing",
        "_frames",
        "_json",
        "_keywords",
        "_once",
        "_places",
        "_ragged",
        "_template_text",
    ),
    ("_word_escapes",),
    ("_declared", "_filter"),
    ("_shared",),
    ("_lengths", "_limits", "_normalizers", "_records", "_tables"),
    (
        "_columns",
        "_decoders",
        "_files",
        "_json_records",
        "_post_processors",
        "_pre_tokenizers",
        "_streams",
    ),
    ("components",),
    ("_parts",),
    ("_visible_spaces",),
    ("patterns",),
    ("_arguments", "_directory", "_model", "_openai"),
    ("_beside", "_ends", "_fields", "_folder"),
    ("_foreseen",),
    ("_hub",),
    ("_corpus", "_report", "_word_files"),
    ("_core", "reference"),
    (
        "_charsmap",
        "_checkpoint",
        "_engine",
        "_explain",
        "_feeding",
        "_forbidden",
        "_joined",
        "_opening",
        "_probes",
        "_required",
        "_template",
        "_training_record",
    ),
    ("_edit", "_fingerprint", "_save", "_smaller", "_stream", "_tokens"),
    ("_coding", "_cutting", "_shapes"),
    ("_inputs",),
    ("_calling",),
    ("_splitting",),
    ("_counts", "_tokenizer"),
    ("_extending", "_load_directory"),
    ("_from_merges", "_load", "_prune", "_train"),
    ("_encodings", "_from_ranks", "_pretrained"),
    ("_check", "_convert", "_diff"),
    ("digram",),
    ("cli",),
    ("__main__",),
)
LEVELS = {module: level for level, modules in enumerate(LAYERS) for module in modules}

# Who may import a library, and whether only where it is used.
LIBRARIES = {
    "fsspec": ("_streams",),
    "huggingface_hub": ("_hub",),
    "numpy": ("_coding", "_ragged"),
    "pyarrow": ("_columns", "_ragged", "_tables", "_word_files"),
    "regex": ("reference",),
    "rich": ("cli",),
    "typer": ("cli",),
    "zstandard": ("_streams",),
}
LAZY = frozenset({"fsspec", "huggingface_hub", "numpy", "pyarrow", "zstandard"})
# The table of what digram/__init__.py imports when it is first used.
HOMES = "_HOMES"
# What imports a module that only running the code would tell, and who may do so: by that table, and
# the command line, which is above all others, a command of its own when it is asked for.
BY_NAME = ("import_module", "__import__")
NAMING = ("digram", "cli")


@dataclass(frozen=True)
class Import:
    """One imported name and where it stands; `lazy`: in a function, or for type checkers only."""

    line: int
    name: str
    lazy: bool


def main() -> int:
    """Print the broken rules of the package."""
    problems = list(check_package(PACKAGE))
    for problem in problems:
        print(problem)
    return 1 if problems else 0


def check_package(package: Path) -> Iterator[str]:
    """Find each import that breaks a rule, in every module of the package."""
    for path in sorted(package.rglob("*.py")):
        module = module_of(path.relative_to(package))
        if module not in LEVELS:
            yield f"{path}:1: {module} has no layer; name it in LAYERS of tools/check_layers.py"
            continue
        for found in imports(ast.parse(path.read_text(encoding="utf-8"))):
            problem = problem_of(module, found)
            if problem:
                yield f"{path}:{found.line}: {problem}"


def module_of(path: Path) -> str:
    """Name the room of the house that a file is in.

    >>> module_of(Path("reference/learn.py")), module_of(Path("errors.py"))
    ('reference', 'errors')
    >>> module_of(Path("__init__.py"))
    'digram'
    """
    name = path.parts[0].removesuffix(".py")
    return "digram" if name == "__init__" else name


def imports(tree: ast.AST, *, lazy: bool = False) -> Iterator[Import]:
    """List what a module imports, from top to bottom.

    A table of homes, as digram/__init__.py has it, imports each of its modules when asked to.

    >>> tree = ast.parse("import re; _HOMES = {'_train': ('train',)}")
    >>> [found.name for found in imports(tree)]
    ['re', 'digram._train']
    """
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (Import(node.lineno, alias.name, lazy) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            yield from (Import(node.lineno, f"{module}.{a.name}", lazy) for a in node.names)
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == HOMES:
            homes = ast.literal_eval(node.value)
            yield from (Import(node.lineno, f"digram.{home}", lazy=True) for home in homes)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith(BY_NAME):
            yield Import(node.lineno, BY_NAME[0], lazy)
            yield from imports(node, lazy=lazy)
        else:
            yield from imports(node, lazy=lazy or is_lazy(node))


def is_lazy(node: ast.AST) -> bool:
    """Tell whether what is below a node is not run when the module is imported."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test).endswith("TYPE_CHECKING")
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)


def problem_of(module: str, found: Import) -> str | None:
    """Say which rule an import of `module` breaks.

    >>> problem_of("_model", Import(1, "digram._core.train", lazy=False))
    '_model imports _core, which is not below it'
    >>> problem_of("_model", Import(1, "digram.errors.FormatError", lazy=False))
    """
    root, *rest = found.name.split(".")
    if root == "":
        return "relative import; write it from digram"
    if root == "digram":
        return house_problem(module, rest[0] if rest and rest[0] in LEVELS else "digram")
    if root in sys.stdlib_module_names or (root in BY_NAME and module in NAMING):
        return None
    if root in BY_NAME:
        return f"{module} imports by a name that is made when it runs; write the import out"
    return library_problem(module, root, found)


def library_problem(module: str, root: str, found: Import) -> str | None:
    """Say which rule an import of a library breaks."""
    if module not in LIBRARIES.get(root, ()):
        return f"{module} may not import {root}; see LIBRARIES in tools/check_layers.py"
    if root in LAZY and not found.lazy:
        return f"{root} is imported with the module; import it in the function that needs it"
    return None


def house_problem(module: str, target: str) -> str | None:
    """Say which rule an import of one room by another breaks."""
    here, there = LEVELS[module], LEVELS[target]
    if here > LEVELS["digram"] and target.startswith("_"):
        return f"{module} imports {target}, which is private; it may use what digram makes public"
    if module != target and there >= here:
        return f"{module} imports {target}, which is not below it"
    return None


if __name__ == "__main__":
    sys.exit(main())
