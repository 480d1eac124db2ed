/** Base of reports: page frame, escaping, tables and drawing paths. A page loads nothing from the network. */

/** Escapes a text for HTML. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Styles of every report: light and dark colors, and tables that scroll horizontally on a phone. */
const FRAME = `
:root{color-scheme:light dark;--page:#fff;--ink:#1b1f24;--soft:#57606a;--line:#d0d7de;--own:#0b57d0;--other:#8a6d00;--bad:#b3261e;--good:#146c2e;--severe:#b35900}
@media screen and (prefers-color-scheme:dark){:root{--page:#0c1014;--ink:#e7ecf1;--soft:#9aa7b4;--line:#2a343e;--own:#86b6ff;--other:#e8cf6a;--bad:#ff8a80;--good:#5fd38d;--severe:#ffb454}}
body{color:var(--ink);background:var(--page)}
@media screen and (max-width:720px){body{padding:12px!important;margin:0!important}table{display:block;max-width:100%;overflow-x:auto}}
`;

/** Returns a whole page. `title` is plain text; `style` and `body` are inserted unescaped. */
export function reportPage({ title, style, body }: { readonly title: string; readonly style: string; readonly body: string }): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escaped(title)}</title><style>${FRAME}${style}</style></head><body>
${body}
</body></html>
`;
}

/** Cell or column head: HTML inserted unescaped, optionally with a class. */
export type Cell = string | number | { readonly html: string | number; readonly as: string };

function cells(tag: 'td' | 'th', row: readonly Cell[]): string {
  return row
    .map((cell) => (typeof cell === 'object' ? `<${tag} class="${cell.as}">${cell.html}</${tag}>` : `<${tag}>${cell}</${tag}>`))
    .join('');
}

/** Returns a table with a head. `as` is its class. */
export function table(columns: readonly Cell[], rows: readonly (readonly Cell[])[], as?: string): string {
  const body = rows.map((row) => `<tr>${cells('td', row)}</tr>`).join('');
  return `<table${as === undefined ? '' : ` class="${as}"`}><thead><tr>${cells('th', columns)}</tr></thead><tbody>${body}</tbody></table>`;
}

/** Returns the `d` attribute of a path through points, to a tenth of a unit. */
export function pathThrough(points: readonly (readonly [x: number, y: number])[]): string {
  return points.map(([x, y], place) => `${place === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');
}
