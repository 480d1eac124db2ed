/** Finds the known names that a mistyped name was probably meant to be. */

/** Single-character edits (insert, delete, replace) between two texts, ignoring case. */
function editDistance(a: string, b: string): number {
  const left = a.toLowerCase();
  const right = b.toLowerCase();
  let row = Array.from({ length: right.length + 1 }, (_, j) => j);
  for (let i = 1; i <= left.length; i++) {
    const next = [i];
    for (let j = 1; j <= right.length; j++) {
      const replace = (row[j - 1] as number) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(replace, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[right.length] as number;
}

/** Up to `limit` of the known names, nearest first, that differ from the text in at most a third of their letters (at least two). */
export function nearestNames(text: string, known: Iterable<string>, limit = 3): string[] {
  const asked = text.slice(0, 80);
  const near: { name: string; distance: number }[] = [];
  for (const name of known) {
    const distance = editDistance(asked, name);
    if (distance <= Math.max(2, Math.floor(name.length / 3))) near.push({ name, distance });
  }
  near.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return near.slice(0, limit).map((candidate) => candidate.name);
}

/** `did you mean a or b?`, or an empty text where nothing known is near. */
export function didYouMean(text: string, known: Iterable<string>): string {
  const near = nearestNames(text, known);
  return near.length === 0 ? '' : `did you mean ${near.join(' or ')}?`;
}
