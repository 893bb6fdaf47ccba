"""How objects appear in notebooks: as HTML, with plain text for everything that shows no HTML."""

from __future__ import annotations

from collections.abc import Collection


class Displayed:
    """Something that notebooks show as HTML: JupyterLab, VS Code, Colab, marimo, nbconvert."""

    def _repr_html_(self) -> str | None:
        raise NotImplementedError

    def _repr_mimebundle_(
        self,
        include: Collection[str] | None = None,
        exclude: Collection[str] | None = None,
    ) -> dict[str, str]:
        """All forms by MIME type, limited to those in `include` and without those in `exclude`."""
        bundle = {"text/plain": repr(self)}
        html = self._repr_html_()
        if html is not None:
            bundle["text/html"] = html
        return {
            kind: shown
            for kind, shown in bundle.items()
            if (not include or kind in include) and kind not in (exclude or ())
        }
