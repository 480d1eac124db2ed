/** Reads YAML manifests as strictly as JSON bodies, in time linear in their length. */
import { EVENT_ID, type Event, getScalarValue, parseEvents, SCALAR_STYLE, YAMLException } from 'js-yaml';
import { exactNumber } from './exact-number.ts';
import { InputError } from '../problem.ts';
import { type BodyValue, checkFields, checkKey, checkLength, checkText, MAX_DEPTH, malformed, tooDeep } from './strict-json.ts';

/** Maximum document length in characters: ten times the longest manifest, and parsed within milliseconds for any content. */
const MAX_CHARACTERS = 32 * 1024;
/** Maximum uses of aliases in a document. */
const MAX_ALIASES = 20;
/**
 * Maximum characters at which the parser stops: line breaks, commas, colons, opening brackets, quotes, backslashes and the signs of YAML. A
 * long manifest has a few hundred.
 */
const MAX_MARKS = 2_500;
const STOPS = new Uint8Array(0x1_0000);
for (const character of '\n\r,:[{\'"\\?%&!*|>#') STOPS[character.charCodeAt(0)] = 1;
/** Maximum values in a document. Those of aliases count each time. */
const MAX_VALUES = 2_500;

const NULL = /^(?:null|Null|NULL|~|)$/;
const TRUE = /^(?:true|True|TRUE)$/;
const FALSE = /^(?:false|False|FALSE)$/;
/** Numbers of the core schema of YAML 1.2. */
const NUMBER =
  /^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const PLAIN_NUMBER = /^[+-]?\d+(\.\d*)?([eE][+-]?\d+)?$/;

/**
 * Parses a YAML 1.2 document (core schema), which must be a map. @throws InputError `malformed`, `body_too_large` or `body_too_deep` with
 * the place.
 */
export function parseStrictYaml(text: string): { [key: string]: BodyValue } {
  if (text.length > MAX_CHARACTERS) throw new InputError('body_too_large', `the YAML document is longer than ${MAX_CHARACTERS} characters`);
  refuseCrowded(text);
  const value = new EventReader(text, readEvents(text)).document();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed('$', 'the document is not a map', 'a YAML map');
  return value;
}

/** Refuses a text, before parsing, that would produce far more values than a manifest has. */
function refuseCrowded(text: string): void {
  let marks = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (STOPS[code] === 1 && ++marks > MAX_MARKS)
      throw malformed(
        '$',
        'the document has too many lines or values',
        `at most ${MAX_MARKS} line breaks, commas, colons, brackets, quotes and signs of YAML`,
      );
  }
}

function readEvents(text: string): readonly Event[] {
  try {
    // One more than allowed, so that the reader reports where it is too deep.
    return parseEvents(text, { maxDepth: MAX_DEPTH + 1 });
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    if (error.reason.includes('maxDepth')) throw tooDeep('$');
    const line = error.mark === undefined ? '' : ` in line ${error.mark.line + 1}`;
    throw malformed('$', `this is not YAML: ${error.reason}${line}`, 'one YAML 1.2 document with each key once');
  }
}

/** A value, and its size if an alias repeats it. */
interface Built {
  readonly value: BodyValue;
  readonly values: number;
  readonly height: number;
}

type ScalarEvent = Extract<Event, { type: typeof EVENT_ID.SCALAR }>;
type CollectionEvent = Extract<Event, { type: typeof EVENT_ID.SEQUENCE | typeof EVENT_ID.MAPPING }>;

/** Builds the value from the parser's events. Recursion is bounded by the parser's depth limit. */
class EventReader {
  readonly #text: string;
  readonly #events: readonly Event[];
  readonly #anchors = new Map<string, Built | null>();
  #at = 0;
  #values = 0;
  #aliases = 0;

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
  }

  /** Reads the document. @throws InputError unless there is exactly one. */
  document(): BodyValue {
    const documents = this.#events.filter(({ type }) => type === EVENT_ID.DOCUMENT).length;
    if (documents !== 1)
      throw malformed('$', `the body holds ${documents === 0 ? 'no document' : 'several documents'}`, 'one YAML document');
    this.#at = 1;
    return this.#next().type === EVENT_ID.POP ? null : this.#value('$', 0).value;
  }

  #next(): Event {
    return this.#events[this.#at] as Event;
  }

  #value(path: string, depth: number): Built {
    const event = this.#next();
    this.#at++;
    if (event.type === EVENT_ID.ALIAS) return this.#alias(this.#text.slice(event.anchorStart, event.anchorEnd), path, depth);
    if (event.type === EVENT_ID.SCALAR) {
      this.#count(1, path);
      this.#refuseTag(event, path);
      return this.#anchored(event, { value: this.#scalar(event, path), values: 1, height: 0 });
    }
    if (event.type !== EVENT_ID.SEQUENCE && event.type !== EVENT_ID.MAPPING)
      throw malformed(path, 'a value is missing', 'maps, lists, texts, numbers, true, false and null');
    if (depth + 1 > MAX_DEPTH) throw tooDeep(path);
    this.#count(1, path);
    this.#refuseTag(event, path);
    // Until it is complete, an alias to it would nest a value in itself.
    if (event.anchorStart >= 0) this.#anchors.set(this.#text.slice(event.anchorStart, event.anchorEnd), null);
    return this.#anchored(event, event.type === EVENT_ID.SEQUENCE ? this.#list(path, depth + 1) : this.#map(path, depth + 1));
  }

  #anchored(event: ScalarEvent | CollectionEvent, built: Built): Built {
    if (event.anchorStart >= 0) this.#anchors.set(this.#text.slice(event.anchorStart, event.anchorEnd), built);
    return built;
  }

  #alias(name: string, path: string, depth: number): Built {
    const known = this.#anchors.get(name);
    if (known === undefined) throw malformed(path, `there is no anchor ${name.slice(0, 60)} before it`, 'an alias of an anchor above');
    if (known === null) throw malformed(path, `the alias ${name.slice(0, 60)} is inside its own anchor`, 'an alias of a complete value');
    if (++this.#aliases > MAX_ALIASES) throw malformed(path, 'too many aliases', `at most ${MAX_ALIASES} aliases`);
    if (depth + known.height > MAX_DEPTH) throw tooDeep(path);
    this.#count(known.values, path);
    return known;
  }

  #list(path: string, depth: number): Built {
    const value: BodyValue[] = [];
    let [values, height] = [1, 1];
    while (this.#next().type !== EVENT_ID.POP) {
      checkLength(value.length, path);
      const item = this.#value(`${path}[${value.length}]`, depth);
      value.push(item.value);
      values += item.values;
      height = Math.max(height, item.height + 1);
    }
    this.#at++;
    return { value, values, height };
  }

  #map(path: string, depth: number): Built {
    const value: { [key: string]: BodyValue } = {};
    let [values, height] = [1, 1];
    for (let fields = 0; this.#next().type !== EVENT_ID.POP; fields++) {
      checkFields(fields, path);
      const key = this.#key(path, depth);
      if (Object.hasOwn(value, key))
        throw malformed(path, `the field ${JSON.stringify(key.slice(0, 80))} occurs twice`, 'every field once');
      const item = this.#value(`${path}.${key.slice(0, 80)}`, depth);
      value[key] = item.value;
      values += item.values;
      height = Math.max(height, item.height + 1);
    }
    this.#at++;
    return { value, values, height };
  }

  #key(path: string, depth: number): string {
    const { value } = this.#value(path, depth);
    if (typeof value !== 'string') throw malformed(path, 'a key is not plain text', 'field names as text');
    return checkKey(value, path);
  }

  #count(values: number, path: string): void {
    this.#values += values;
    if (this.#values > MAX_VALUES) throw malformed(path, 'too many values', `at most ${MAX_VALUES} values`);
  }

  #refuseTag({ tagStart, tagEnd }: ScalarEvent | CollectionEvent, path: string): void {
    if (tagStart < 0) return;
    throw malformed(
      path,
      `the tag ${this.#text.slice(tagStart, Math.min(tagEnd, tagStart + 60))} is not supported`,
      'values without tags; a text in quotes',
    );
  }

  #scalar(event: ScalarEvent, path: string): BodyValue {
    const source = getScalarValue(this.#text, event);
    if (event.style !== SCALAR_STYLE.PLAIN) return checkText(source, path);
    if (NULL.test(source)) return null;
    if (TRUE.test(source)) return true;
    if (FALSE.test(source)) return false;
    if (!NUMBER.test(source)) return checkText(source, path);
    const exact = PLAIN_NUMBER.test(source) ? exactNumber(source.replace(/^\+/, '').replace(/\.(?=$|[eE])/, '')) : null;
    if (exact === null)
      throw malformed(
        path,
        `the number ${source.slice(0, 60)} would lose digits or is not plain`,
        'a plain decimal number of at most 15 significant digits',
      );
    return exact;
  }
}
