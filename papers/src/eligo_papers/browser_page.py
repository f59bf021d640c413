"""All chapters as one page for a browser: plain HTML with the pictures beside it, and no script."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["browser_page"]

_TEMPLATE = """\
<!DOCTYPE html>
{{ mark | safe }}
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Eligo: the papers, computed here</title>
<style>
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: 1rem }
table { border-collapse: collapse; font-size: .9rem; display: block; overflow-x: auto; margin: .5rem 0 1.5rem }
th, td { padding: .2rem .6rem; border-bottom: 1px solid #8886; text-align: left; vertical-align: top }
img { background: white; max-width: 100%; height: auto }
figure { margin: 1rem 0 2rem } figcaption, .made { font-size: .9rem; opacity: .8 }
.erratum, .differs, .open { font-weight: 600 } .unexplained { font-weight: 600; color: #d55e00 }
</style>
</head>
<body>
<h1>The papers, computed here</h1>
<table>
<tr><th>chapter</th>{% for told in verdicts.values() %}<th>{{ told }}</th>{% endfor %}</tr>
{% for chapter in chapters %}
<tr><td><a href="#c{{ chapter.name }}">{% if chapter.paper %}{{ chapter.name }}: {% endif %}{{ chapter.title }}</a></td>
{% for verdict in verdicts %}<td>{{ chapter.checks | selectattr("verdict", "equalto", verdict) | list | length }}</td>
{% endfor %}</tr>
{% endfor %}
</table>
<p>An <em>erratum</em> is a printed statement that is false, and the chapter shows it; what <em>differs</em> otherwise
has a sentence that says why; where that was not found out, it is <em>open</em>, and the sentence says what was tried.
Where a paper states something of all dags of a kind, <em>all 300</em> means the 300 that were tried here.</p>
{% for chapter in chapters %}
<h2 id="c{{ chapter.name }}">{% if chapter.paper %}{{ chapter.name }}: {% endif %}{{ chapter.title }}</h2>
{% if chapter.paper %}<p><em>{{ chapter.paper }}</em></p>{% endif %}
<p>{{ chapter.about | marked }}</p>
<p class="made">{{ chapter.how | marked }}; eligo {{ chapter.origin.version -}}
{% if chapter.origin.commit %}, commit {{ chapter.origin.commit }}{% endif %}; {{ chapter.origin.machine }};
{{ chapter.origin.software }}; {{ chapter.origin.date }}</p>
{% if chapter.checks %}
<h3>{{ 'Printed' if chapter.paper else 'Claimed' }}, and here</h3>
<table>
<tr><th>where</th><th>what</th><th>{{ 'printed' if chapter.paper else 'claimed' }}</th>
<th>here</th><th>verdict</th><th>why</th></tr>
{% for one in chapter.checks %}
<tr><td>{{ one.where }}</td><td>{{ one.what }}</td><td>{{ one.printed }}</td><td>{{ one.here }}</td>
<td class="{{ one.verdict }}">{{ one.verdict }}</td><td>{{ one.why }}</td></tr>{% endfor %}
</table>
{% endif %}
{% for section in chapter.sections %}
<h3>{{ section.title }}</h3>
{% for part in section.parts %}
{% if part is string %}{{ part | paragraphs }}
{% elif part.picture %}
<figure><img src="{{ folder }}/{{ chapter.name }}-{{ part.picture }}.svg" alt="{{ part.caption }}" loading="lazy">
<figcaption>{{ part.caption }}</figcaption></figure>
{% else %}
<p><strong>{{ part.title }}</strong> (<a href="{{ folder }}/{{ chapter.name }}-{{ part.table }}.csv">CSV</a>)</p>
{% if part.rows | length > 40 %}<details><summary>{{ part.rows | length }} rows</summary>{% endif %}
<table>
<tr>{% for cell in part.header %}<th>{{ cell }}</th>{% endfor %}</tr>
{% for row in part.rows %}<tr>{% for cell in row %}<td>{{ cell }}</td>{% endfor %}</tr>
{% endfor %}</table>
{% if part.rows | length > 40 %}</details>{% endif %}
{% if part.note %}<p>{{ part.note | marked }}</p>{% endif %}
{% endif %}
{% endfor %}
{% endfor %}
{% endfor %}
</body>
</html>
"""


def browser_page(chapters: Sequence[Mapping[str, Any]], folder: str, mark: str, verdicts: Mapping[str, str]) -> str:
    """Return the page of these chapters, whose pictures and tables are in a folder beside it.

    Parameters
    ----------
    mark
        A comment to begin with.
    verdicts
        What a check can come to, and how that is called of several.
    """
    from jinja2 import Environment

    environment = Environment(autoescape=True, trim_blocks=True)
    environment.filters["marked"] = _marked
    environment.filters["paragraphs"] = _paragraphs
    return environment.from_string(_TEMPLATE).render(chapters=chapters, folder=folder, mark=mark, verdicts=verdicts)


def _marked(text: str) -> Any:
    """Return text as HTML, with the marks for code and emphasis that chapters use.

    Examples
    --------
    >>> str(_marked("`a<b` and **more**"))
    '<code>a&lt;b</code> and <strong>more</strong>'
    """
    from markupsafe import Markup, escape

    safe = str(escape(text))
    for mark, tag in ((r"`([^`]+)`", "code"), (r"\*\*([^*]+)\*\*", "strong"), (r"\*([^*\s][^*]*)\*", "em")):
        safe = re.sub(mark, rf"<{tag}>\1</{tag}>", safe)
    return Markup(safe)


def _paragraphs(text: str) -> Any:
    r"""Return paragraphs, and lines with a star before them as a list.

    Examples
    --------
    >>> str(_paragraphs("One.\n\n* a\n* b"))
    '<p>One.</p><ul><li>a</li><li>b</li></ul>'
    """
    from markupsafe import Markup

    html = []
    for block in re.split(r"\n\s*\n", text.strip()):
        if block.startswith("* "):
            items = re.split(r"(?m)^\* ", block)[1:]
            html.append(f"<ul>{''.join(f'<li>{_marked(item.strip())}</li>' for item in items)}</ul>")
        else:
            html.append(f"<p>{_marked(block)}</p>")
    return Markup("".join(html))
