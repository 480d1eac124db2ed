/** Finds the known names that a mistyped name probably meant. */

/** Maximum length of a text that can be a typing mistake. */
const MAX_ASKED = 80;

/** Returns the single-character edits (insert, delete, replace) between two texts, or null if there are more than `most`. */
function editDistance(left: string, right: string, most: number): number | null {
  if (Math.abs(left.length - right.length) > most) return null;
  let row = Array.from({ length: right.length + 1 }, (_, j) => j);
  for (let i = 1; i <= left.length; i++) {
    // Cells further from the diagonal than `most` have more than `most` edits.
    const next = Array.from({ length: right.length + 1 }, () => most + 1);
    if (i <= most) next[0] = i;
    let least = most + 1;
    for (let j = Math.max(1, i - most); j <= Math.min(right.length, i + most); j++) {
      const replace = (row[j - 1] as number) + (left[i - 1] === right[j - 1] ? 0 : 1);
      const edits = Math.min(replace, (row[j] as number) + 1, (next[j - 1] as number) + 1);
      next[j] = edits;
      least = Math.min(least, edits);
    }
    if (least > most && i > most) return null;
    row = next;
  }
  const edits = row[right.length] as number;
  return edits > most ? null : edits;
}

/** Returns up to `limit` known names, nearest first, that differ from the text in at most a third of their letters (at least two). */
export function nearestNames(text: string, known: Iterable<string>, limit = 3): string[] {
  const asked = text.slice(0, MAX_ASKED).toLowerCase();
  const near: { name: string; distance: number }[] = [];
  for (const name of known) {
    const distance = editDistance(asked, name.toLowerCase(), Math.max(2, Math.floor(name.length / 3)));
    if (distance !== null) near.push({ name, distance });
  }
  near.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return near.slice(0, limit).map((candidate) => candidate.name);
}

/** Returns `did you mean a or b?`, or an empty text if no known name is near. */
export function didYouMean(text: string, known: Iterable<string>): string {
  const near = nearestNames(text, known);
  return near.length === 0 ? '' : `did you mean ${near.join(' or ')}?`;
}
