/** Reads manifests as YAML with the place of each value, and reports problems by line and column. */
import { dump, EVENT_ID, type Event, getScalarValue, parseEvents, SCALAR_STYLE, YAMLException } from 'js-yaml';

export interface Place {
  readonly line: number;
  readonly column: number;
}

export type ReadYaml =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>>; readonly placeOf: (path: string) => Place | null }
  | { readonly ok: false; readonly problem: string; readonly place: Place };

const MAX_DEPTH = 20;
const START: Place = { line: 1, column: 1 };

export const writeYaml = (value: unknown): string => dump(value, { lineWidth: 100, noRefs: true });

/** @param text One document with a map at its top level. */
export function readYaml(text: string): ReadYaml {
  try {
    const reader = new Reader(text, parseEvents(text, { maxDepth: MAX_DEPTH }));
    const value = reader.document();
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { ok: false, problem: 'A manifest is a map of fields.', place: START };
    return { ok: true, value: value as Record<string, unknown>, placeOf: (path) => reader.placeOf(path) };
  } catch (error) {
    if (error instanceof Misplaced) return { ok: false, problem: error.message, place: placeAt(text, error.offset) };
    if (!(error instanceof YAMLException)) throw error;
    const place = error.mark === undefined ? START : { line: error.mark.line + 1, column: error.mark.column + 1 };
    return { ok: false, problem: `${error.reason.slice(0, 1).toUpperCase()}${error.reason.slice(1)}.`, place };
  }
}

class Misplaced extends Error {
  readonly offset: number;
  constructor(offset: number, problem: string) {
    super(problem);
    this.offset = offset;
  }
}

function placeAt(text: string, offset: number): Place {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

type Scalar = Extract<Event, { type: typeof EVENT_ID.SCALAR }>;

/** Builds the value from the parser's events and records where each part begins. */
class Reader {
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #offsets = new Map<string, number>();
  #at = 0;

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
  }

  document(): unknown {
    const documents = this.#events.filter(({ type }) => type === EVENT_ID.DOCUMENT).length;
    if (documents !== 1)
      throw new Misplaced(0, documents === 0 ? 'There is nothing here yet.' : 'There are several documents; a manifest is one.');
    this.#at = 1;
    return this.#next().type === EVENT_ID.POP ? null : this.#value('$');
  }

  /** Returns the place of a value, or of the nearest one that contains it. */
  placeOf(path: string): Place | null {
    for (let within = path; within !== ''; within = within.replace(/(\.[^.[\]]+|\[\d+\]|\$)$/, '')) {
      const offset = this.#offsets.get(within);
      if (offset !== undefined) return placeAt(this.#text, offset);
      if (!/(\.[^.[\]]+|\[\d+\]|\$)$/.test(within)) return null;
    }
    return null;
  }

  #next(): Event {
    return this.#events[this.#at] as Event;
  }

  #value(path: string): unknown {
    const event = this.#next();
    this.#at++;
    if (event.type === EVENT_ID.SCALAR) {
      if (!this.#offsets.has(path)) this.#offsets.set(path, event.valueStart);
      return this.#scalar(event);
    }
    if (event.type === EVENT_ID.SEQUENCE || event.type === EVENT_ID.MAPPING) {
      if (!this.#offsets.has(path)) this.#offsets.set(path, event.start);
      return event.type === EVENT_ID.SEQUENCE ? this.#list(path) : this.#map(path);
    }
    throw new Misplaced(event.type === EVENT_ID.ALIAS ? event.anchorStart : 0, 'Write the value out: an alias is not shown as rows.');
  }

  #list(path: string): unknown[] {
    const items: unknown[] = [];
    while (this.#next().type !== EVENT_ID.POP) items.push(this.#value(`${path}[${items.length}]`));
    this.#at++;
    return items;
  }

  #map(path: string): Record<string, unknown> {
    const members: Record<string, unknown> = {};
    while (this.#next().type !== EVENT_ID.POP) {
      const event = this.#next();
      const offset = event.type === EVENT_ID.SCALAR ? event.valueStart : 0;
      if (event.type !== EVENT_ID.SCALAR) throw new Misplaced(offset, 'A field name is a plain text.');
      this.#at++;
      const name = getScalarValue(this.#text, event);
      if (Object.hasOwn(members, name)) throw new Misplaced(offset, `The field ${name.slice(0, 60)} occurs twice.`);
      this.#offsets.set(`${path}.${name}`, offset);
      Object.defineProperty(members, name, { value: this.#value(`${path}.${name}`), enumerable: true, configurable: true, writable: true });
    }
    this.#at++;
    return members;
  }

  /** Reads a scalar by the core schema of YAML 1.2. A number that would lose digits stays a text. */
  #scalar(event: Scalar): unknown {
    const source = getScalarValue(this.#text, event);
    if (event.style !== SCALAR_STYLE.PLAIN) return source;
    if (/^(?:null|Null|NULL|~|)$/.test(source)) return null;
    if (/^(?:true|True|TRUE)$/.test(source)) return true;
    if (/^(?:false|False|FALSE)$/.test(source)) return false;
    return /^-?\d+(\.\d+)?$/.test(source) && source.replace(/\D/g, '').length <= 15 ? Number(source) : source;
  }
}
