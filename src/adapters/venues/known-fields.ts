/** Which members of a message are known, used or not: a new one changes nothing and is counted. */
import type { NoteUnknownField } from '../../../streams/feed-counters.ts';

/** The members that one shape of message is known to have. */
export interface KnownFields {
  readonly source: string;
  readonly names: ReadonlySet<string>;
}

/** `names` are separated by blanks; members that nobody reads are known as well. */
export function knownFields(source: string, names: string): KnownFields {
  return { source, names: new Set(names.split(' ')) };
}

/** Notes every member of `body` that is not known; does nothing where nobody listens. */
export function noteUnknown(body: object, known: KnownFields, note: NoteUnknownField | undefined): void {
  if (note === undefined) return;
  for (const name in body) if (!known.names.has(name)) note(known.source, name);
}
