/** Reads manifests written in YAML as strictly as JSON bodies: one document, plain values, bounded depth, size and aliases. */
import { type Document, isAlias, isMap, isScalar, isSeq, parseDocument, type Scalar } from 'yaml';
import { exactNumber } from './exact-number.ts';
import { type BodyValue, checkKey, checkText, MAX_DEPTH, malformed, tooDeep } from './strict-json.ts';

/** An anchor may be repeated so often in one document. */
const MAX_ALIASES = 20;
/** Brackets of either kind that may be open at once, those inside of texts included. */
const MAX_OPEN_BRACKETS = 512;
/** Values in one document, aliases followed: what 64 KiB of plain YAML could hold at most. */
const MAX_VALUES = 20_000;

/**
 * Parses a YAML 1.2 document (core schema), whose top must be a map.
 * @throws InputError `malformed` or `body_too_deep`, saying where.
 */
export function parseStrictYaml(text: string): { [key: string]: BodyValue } {
  refuseDeepFlow(text);
  let document: Document.Parsed;
  try {
    document = parseDocument(text, {
      version: '1.2',
      schema: 'core',
      strict: true,
      uniqueKeys: true,
      stringKeys: false,
      logLevel: 'error',
      prettyErrors: true,
    });
  } catch {
    // The reader of the library recurses; a document that exhausts it is deeper than any manifest.
    throw tooDeep('$');
  }
  const [error] = document.errors;
  if (error !== undefined)
    throw malformed('$', `this is not YAML: ${error.message.split('\n')[0]}`, 'one YAML 1.2 document with each key once');
  const value = new YamlReader(document).value(document.contents, '$', 0);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed('$', 'the document is not a map', 'a YAML map');
  return value;
}

/** Open brackets are what the library's reader recurses on; far more than any manifest has are refused unread. */
function refuseDeepFlow(text: string): void {
  let open = 0;
  for (const character of text) {
    if (character === '[' || character === '{') {
      if (++open > MAX_OPEN_BRACKETS) throw tooDeep('$');
    } else if (character === ']' || character === '}') open--;
  }
}

class YamlReader {
  readonly document: Document.Parsed;
  aliases = 0;
  values = 0;

  constructor(document: Document.Parsed) {
    this.document = document;
  }

  value(node: unknown, path: string, depth: number): BodyValue {
    if (++this.values > MAX_VALUES) throw malformed(path, 'too many values', `at most ${MAX_VALUES} values`);
    if (node === null || node === undefined) return null;
    if (isAlias(node)) {
      if (++this.aliases > MAX_ALIASES) throw malformed(path, 'too many aliases', `at most ${MAX_ALIASES} aliases`);
      return this.value(node.resolve(this.document), path, depth);
    }
    if (isScalar(node)) return this.scalar(node, path);
    if (isMap(node)) {
      if (depth + 1 > MAX_DEPTH) throw tooDeep(path);
      const object: { [key: string]: BodyValue } = {};
      for (const pair of node.items) {
        const name = isScalar(pair.key) ? pair.key.value : null;
        if (typeof name !== 'string') throw malformed(path, 'a key is no plain text', 'field names as text');
        const key = checkKey(name, path);
        if (Object.hasOwn(object, key))
          throw malformed(path, `the field ${JSON.stringify(key.slice(0, 80))} is there twice`, 'every field once');
        object[key] = this.value(pair.value, `${path}.${key.slice(0, 80)}`, depth + 1);
      }
      return object;
    }
    if (isSeq(node)) {
      if (depth + 1 > MAX_DEPTH) throw tooDeep(path);
      return node.items.map((item, index) => this.value(item, `${path}[${index}]`, depth + 1));
    }
    throw malformed(path, 'this value is of no known kind', 'maps, lists, texts, numbers, true, false and null');
  }

  private scalar(node: Scalar, path: string): BodyValue {
    const value = node.value;
    if (typeof value === 'string') return checkText(value, path);
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'number') {
      const source = node.source ?? '';
      const exact = /^[+-]?\d+(\.\d*)?([eE][+-]?\d+)?$/.test(source)
        ? exactNumber(source.replace(/^\+/, '').replace(/\.(?=$|[eE])/, ''))
        : null;
      if (exact === null || exact !== value + 0) {
        throw malformed(
          path,
          `the number ${source.slice(0, 60)} would lose digits or is not plain`,
          'a plain decimal number of at most 15 significant digits',
        );
      }
      return exact;
    }
    throw malformed(path, 'this value is of no known kind', 'texts, numbers, true, false and null');
  }
}
