/** The names of the organization's agents by their id, so that no page shows an id where a name belongs. */
import { pagesOf } from './http.js';

const PER_PAGE = 200;
/** Agents are made now and then: what is older is read again. */
const KEPT_MS = 30_000;
/** @type {{ readonly at: number, readonly names: Promise<Map<string, string>> } | null} */
let kept = null;

/**
 * @param {AbortSignal} [signal] Gives up waiting; the reading itself goes on for others.
 * @param {readonly string[]} [ids] Where one of these has no name yet, as its agent was made since, they are read again.
 * @returns {Promise<ReadonlyMap<string, string>>}
 */
export async function agentNames(signal, ids = []) {
  const before = kept;
  const known = await before?.names.catch(() => null);
  const isOld = before === null || !known || Date.now() - before.at > KEPT_MS || ids.some((id) => !known.has(id));
  // Where somebody else reads them anew meanwhile, one reading does for both.
  if (kept === null || (kept === before && isOld)) {
    const names = readNames();
    kept = { at: Date.now(), names };
    names.catch(() => {
      if (kept?.names === names) kept = null;
    });
  }
  const names = await kept.names;
  signal?.throwIfAborted();
  return names;
}

/**
 * Returns the owner of a book in words: `Crypto trend, paper v1` for `agent:<id>:paper:1`; any other place unchanged.
 * @param {string} place
 * @param {ReadonlyMap<string, string>} names
 */
export function placeWords(place, names) {
  const [kind, id = '', mode = '', version] = place.split(':');
  if (kind === 'manual') return 'people';
  if (kind !== 'agent') return place;
  return `${names.get(id) ?? 'another agent'}, ${mode}${version === undefined ? '' : ` v${version}`}`;
}

/** Forgets the names, as somebody else signs in. */
export function forgetAgentNames() {
  kept = null;
}

async function readNames() {
  /** @type {Map<string, string>} */
  const names = new Map();
  /** @type {AsyncGenerator<import('./wire.ts').Page<import('./wire.ts').Agent>>} */
  const pages = pagesOf(`/v1/agents?limit=${PER_PAGE}`);
  for await (const { items } of pages) for (const { id, name } of items) names.set(id, name);
  return names;
}
