/** Members of a message that an adapter knows, at any depth. A new member changes nothing and is counted. */
import type { NoteUnknownField } from '../../../streams/feed-counters.ts';

/** The names of one object's members, separated by blanks; with the members of those that are objects, or lists of them. */
export type Members = string | readonly [names: string, inside: Readonly<Record<string, Members>>];

/** One object of a message, as it is known. */
interface Known {
  /** Path of its members: `''`, `data.`, `parsed.price.`. */
  readonly path: string;
  /** Content of each member; null if it is not an object, or one that is not looked into. */
  readonly members: ReadonlyMap<string, Known | null>;
  /** Content of every other member, if names are keys (rows by mint); undefined if an unlisted name is unknown. */
  readonly others: Known | null | undefined;
  /**
   * The order in which the members came last, and what each holds: a venue's messages are all written alike, so that one
   * comparison of a name mostly does without a search for it.
   */
  readonly order: string[];
  readonly held: (Known | null)[];
}

/** The members that one shape of message is known to have. */
export interface KnownFields {
  readonly source: string;
  readonly known: Known;
}

/** Stands among names for every name there may be. */
const EVERY = '*';

/**
 * The shape of a source's messages. Members that nobody reads are known as well; lists are looked through, lists of lists
 * too. `knownFields('x', ['coin levels', { levels: 'px sz n' }])` knows `levels[0][1].px`.
 */
export function knownFields(source: string, members: Members): KnownFields {
  return { source, known: compiled(members, '') };
}

function compiled(members: Members, path: string): Known {
  const [names, inside] = typeof members === 'string' ? [members, {}] : members;
  const listed = names.split(' ').map((name): [string, Known | null] => {
    const below = inside[name];
    return [name, below === undefined ? null : compiled(below, `${path}${name}.`)];
  });
  for (const name of Object.keys(inside))
    if (!listed.some(([known]) => known === name)) throw new Error(`"${name}" is described in ${path || 'a shape'} and not named`);
  const map = new Map(listed);
  const others = map.get(EVERY);
  map.delete(EVERY);
  return { path, members: map, others, order: [...map.keys()], held: [...map.values()] };
}

/** Notes every member of `body`, and of what lies in it, that is not known, by its way (`levels.zz`); does nothing if nobody listens. */
export function noteUnknown(body: unknown, { source, known }: KnownFields, note: NoteUnknownField | undefined): void {
  if (note !== undefined) look(body, known, source, note);
}

function look(value: unknown, known: Known, source: string, note: NoteUnknownField): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) look(value[index], known, source, note);
    return;
  }
  const { members, others, order, held } = known;
  let index = 0;
  for (const name in value) {
    let inside: Known | null | undefined;
    if (order[index] === name) inside = held[index];
    else {
      inside = members.get(name);
      if (inside !== undefined && index < members.size) {
        order[index] = name;
        held[index] = inside;
      }
    }
    index++;
    // Most members hold no object: they are done with here.
    if (inside === null) continue;
    const below = inside ?? others;
    if (below === undefined) note(source, known.path + name);
    else if (below !== null) look((value as Readonly<Record<string, unknown>>)[name], below, source, note);
  }
}
