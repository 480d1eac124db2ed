"""Lists of the API, read page by page on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Generic, Iterator, TypeVar

from ._model import Model, Page
from .errors import UnexpectedAnswer

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped, unused-ignore]

Item = TypeVar("Item")
P = TypeVar("P")


class Pages(Generic[Item, P]):
    """A list. Iterating requests page after page, and nothing before. Iterating again requests again."""

    def __init__(self, fetch: Callable[[str | None], P], cursor: str | None = None) -> None:
        self._fetch = fetch
        self._cursor = cursor

    def __iter__(self) -> Iterator[Item]:
        for page in self.pages():
            yield from page.items  # type: ignore[attr-defined]

    def pages(self) -> Iterator[P]:
        """Iterates page by page. A page also has fields beside its items."""
        cursor = self._cursor
        while True:
            page = self._fetch(cursor)
            yield page
            following = getattr(page, "next_cursor", None)
            if following is None:
                return
            if following == cursor:
                raise UnexpectedAnswer(f"a page names itself as the next one: {cursor!r}", 200)
            cursor = following

    def first(self) -> P:
        """Reads the first page only."""
        return next(self.pages())

    def to_pandas(self) -> pandas.DataFrame:
        """Reads the whole list into a DataFrame. Nested objects become columns such as `quote.bid`; Decimals stay exact."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas() needs pandas: pip install pandas") from error
        return pandas.DataFrame([_row(item) for item in self])


def _row(item: Any, prefix: str = "") -> dict[str, Any]:
    if not isinstance(item, Model):
        return {prefix[:-1] or "value": item}
    row: dict[str, Any] = {}
    for name, value in vars(item).items():
        if name == "_wire":
            continue
        row.update(_row(value, f"{prefix}{name}.") if isinstance(value, Model) else {f"{prefix}{name}": value})
    return row


__all__ = ["Page", "Pages"]
