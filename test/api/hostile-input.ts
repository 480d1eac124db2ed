/** Input designed to be expensive: at most 64 KiB, shaped by a route's schema. */
import type { Route } from '../../api/route.ts';

export interface HostileInput {
  readonly name: string;
  readonly contentType: string;
  readonly text: string;
}

const BYTES = 64 * 1024;
/** Longer YAML is refused without parsing. */
const YAML_CHARACTERS = 32 * 1024;

/** Repeats a numbered piece until the text is almost as long as a body may be. */
function filled(piece: (index: number) => string, bytes = BYTES - 256): string {
  let text = '';
  for (let index = 0; ; index++) {
    const next = piece(index);
    if (text.length + next.length > bytes) return text;
    text += next;
  }
}

/** Texts that are slow for careless patterns and comparisons. */
const TEXTS: Readonly<Record<string, (length: number) => string>> = {
  letters: (length) => 'a'.repeat(length),
  zeros: (length) => `1.${'0'.repeat(length - 3)}1`,
  digits: (length) => '9'.repeat(length),
  spaces: (length) => `${' '.repeat(length - 1)}x`,
  colons: (length) => ':'.repeat(length),
  commas: (length) => ','.repeat(length),
  'key-like': (length) => `spotexchange:${'B'.repeat(length - 13)}`,
  symbols: (length) => filled((i) => `AAPL${i}x `, length),
};

const LITERALS: Readonly<Record<string, string>> = {
  'a number with zeros inside': `1.${'0'.repeat(60_000)}1`,
  'a number of sixty thousand digits': '7'.repeat(60_000),
  'a number with a long exponent': `1e${'0'.repeat(60_000)}1`,
};

interface Node {
  readonly type?: string | readonly string[];
  readonly properties?: { readonly [name: string]: Node };
  readonly anyOf?: readonly Node[];
  readonly items?: Node;
}

const json = (name: string, text: string): HostileInput => ({ name, contentType: 'application/json', text });
const yaml = (name: string, text: string): HostileInput => ({
  name,
  contentType: 'application/yaml',
  text: text.slice(0, YAML_CHARACTERS),
});

/** Returns bodies that every JSON reader, validator and error message must handle. */
function plainBodies(): HostileInput[] {
  return [
    json('six thousand names that nobody knows', `{${filled((i) => `"kez${i}":1,`)}"z":1}`),
    json('names that are nearly known', `{${filled((i) => `"maxCapitalUs${i}":1,`)}"z":1}`),
    json('one name of sixty thousand letters', `{"${'n'.repeat(60_000)}":1}`),
    json('a list of ones', `{"a":[${filled(() => '1,')}1]}`),
    json('a list of empty objects', `{"a":[${filled(() => '{},')}{}]}`),
    json('a list of lists', `{"a":[${filled(() => '[[[]]],')}1]}`),
    json('escapes', `{"a":"${filled(() => '\\u0041')}"}`),
    json('quotes that are escaped', `{"a":"${filled(() => '\\"')}"}`),
    json('a text without an end', `{"a":"${filled(() => 'x\\n')}`),
    json('brackets without an end', '['.repeat(BYTES - 1)),
    ...Object.entries(LITERALS).map(([name, literal]) => json(name, `{"a":${literal}}`)),
  ];
}

/** Returns each field of a schema with every kind of long text, and with a long list. */
function fieldBodies(schema: Node): HostileInput[] {
  const fields = Object.entries(schema.properties ?? {}).concat(
    (schema.anyOf ?? []).flatMap(({ properties = {} }) => Object.entries(properties)),
  );
  return fields.flatMap(([field, node]) => [
    ...Object.entries(TEXTS).map(([kind, text]) => json(`${field} of ${kind}`, JSON.stringify({ [field]: text(60_000) }))),
    ...Object.entries(LITERALS).map(([kind, literal]) => json(`${field}: ${kind}`, `{${JSON.stringify(field)}:${literal}}`)),
    json(`${field} as a list of texts`, `{${JSON.stringify(field)}:[${filled((i) => `"AAP${i}x",`)}"x"]}`),
    json(`${field} as a list of long texts`, JSON.stringify({ [field]: Array.from({ length: 50 }, (_, i) => `${i}${'N'.repeat(1_200)}`) })),
    json(`${field} as a list of objects`, `{${JSON.stringify(field)}:[${filled((i) => `{"typ":"premium_belo${i}"},`)}{}]}`),
    json(
      `${field} as twenty objects with many names`,
      `{${JSON.stringify(field)}:[${Array.from({ length: 20 }, () => `{${filled((i) => `"symbo${i}":"AAPL",`, 3_000)}"z":1}`).join(',')}]}`,
    ),
    ...(node.items?.properties === undefined ? [] : [json(`${field} of twenty long entries`, longEntries(field, node.items.properties))]),
  ]);
}

function longEntries(field: string, properties: { readonly [name: string]: Node }): string {
  const entry = Object.fromEntries(
    Object.keys(properties).map((name) => [name, 'Q'.repeat(Math.floor(2_800 / Object.keys(properties).length))]),
  );
  return JSON.stringify({ [field]: Array.from({ length: 20 }, () => entry) });
}

function yamlBodies(): HostileInput[] {
  const shapes: Readonly<Record<string, string>> = {
    keys: filled((i) => `k${i}: v\n`),
    tags: filled((i) => `k${i}: !t${i} v\n`),
    anchors: filled((i) => `k${i}: &a${i} v\n`),
    'anchors and aliases': `a: &a [1]\n${filled((i) => `k${i}: *a\n`)}`,
    'nested aliases': Array.from(
      { length: 12 },
      (_, i) =>
        `k${i}: &a${i} [${
          i === 0
            ? '1'
            : Array(9)
                .fill(`*a${i - 1}`)
                .join(',')
        }]\n`,
    ).join(''),
    'flow keys': `{${filled((i) => `k${i}: v, `)}}`,
    'explicit flow keys': `{${filled((i) => `? k${i} : v, `)}}`,
    'pairs in a list': `a: [${filled((i) => `b${i}: c, `)}]`,
    entries: filled((i) => `- v${i}\n`),
    'flow entries': `[${filled(() => '1,')}]`,
    colons: filled(() => ': : : \n'),
    'question marks': filled(() => '? '),
    dashes: filled(() => '- '),
    tabs: filled(() => '\t\n'),
    comments: filled(() => '#a\n'),
    documents: filled(() => '---\n'),
    directives: filled(() => '%TAG ! tag:x,2000:\n'),
    ampersands: filled(() => '&a '),
    'exclamation marks': filled(() => '!a '),
    'escapes in quotes': `a: "${filled(() => '\\n')}"`,
    'single quotes': `a: '${"''".repeat(32_000)}'`,
    'folded lines': `a: >\n${filled((i) => (i % 2 === 0 ? '  x\n' : '   y\n'))}`,
    'trailing blanks': filled((i) => `k${i}:${' '.repeat(50)}\n`),
    'a key of sixty thousand letters': `${'k'.repeat(60_000)}: v`,
    'blanks inside': `a: ${'x '.repeat(32_000)}`,
    'many small words with colons kept in bounds': `a:\n${Array.from({ length: 2_900 }, (_, i) => `  k${i}: v${'w'.repeat(10)}\n`).join('')}`,
    'flow lists kept in bounds': `a: [${Array.from({ length: 5_000 }, () => '1234567890').join(',')}]`,
    ...Object.fromEntries(Object.entries(LITERALS).map(([name, literal]) => [name, `a: ${literal}`])),
  };
  return Object.entries(shapes).map(([name, text]) => yaml(`YAML: ${name}`, text));
}

/** Returns expensive bodies for a route. */
export function hostileBodies(route: Route): HostileInput[] {
  return [...plainBodies(), ...fieldBodies(route.schema.body as unknown as Node), ...(route.yaml === true ? yamlBodies() : [])];
}

/** Returns expensive queries: every field with every kind of text that fits into a URL, and with characters that no database stores. */
export function hostileQueries(route: Route): { readonly name: string; readonly query: string }[] {
  const fields = Object.keys((route.schema.querystring as unknown as Node).properties ?? {});
  return fields.flatMap((field) => [
    ...Object.entries(TEXTS).map(([kind, text]) => ({ name: `${field} of ${kind}`, query: `${field}=${encodeURIComponent(text(4_000))}` })),
    { name: `${field} with a NUL`, query: `${field}=a%00b` },
    { name: `${field} of NULs`, query: `${field}=${'%00'.repeat(60)}` },
    { name: `${field} many times`, query: Array(500).fill(`${field}=x`).join('&') },
  ]);
}

/** Tokens that matter to a parser of YAML or JSON. */
const PIECES = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  ': ',
  '- ',
  '? ',
  '\n',
  '\n  ',
  '\n    ',
  '\t',
  ' ',
  '"',
  "'",
  '\\',
  '\\n',
  '|\n',
  '>\n',
  '|+\n',
  '&a ',
  '*a',
  '!t ',
  '!!str ',
  '#',
  '# ',
  '---\n',
  '...\n',
  '%TAG ! a:\n',
  '~',
  'null',
  'true',
  '1',
  '1e9',
  '0.1',
  '.5',
  '-',
  'a',
  'universe',
  'entryConditions',
  'type',
  'premium_below',
  'AAPLx',
  '<<: ',
  '@',
  '`',
  'é',
  '\u2028',
]; // prettier-ignore

/** Returns a text of up to 64 KiB from a few pieces, repeated or mixed. Deterministic for the given numbers. */
export function randomText(next: () => number): string {
  const pick = (): string => PIECES[Math.floor(next() * PIECES.length)] as string;
  const chosen = Array.from({ length: 1 + Math.floor(next() * 6) }, () =>
    next() < 0.7 ? pick() : pick().repeat(1 + Math.floor(next() * 40)),
  );
  const bytes = Math.floor(BYTES * (next() < 0.5 ? 1 : next()));
  const mixed = next() < 0.5;
  return filled(
    (index) => (mixed ? (chosen[Math.floor(next() * chosen.length)] as string) : (chosen[index % chosen.length] as string)),
    bytes,
  ).slice(0, BYTES);
}
