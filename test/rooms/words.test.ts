// One meaning per word: names that the glossary has replaced do not come back, in identifiers, file names and comments.
import { expect, test } from 'vitest';
import { files } from './source.ts';

interface Replaced {
  /** In lower case, as one part of a name: `heard` is a part of `isHeard` and of `first-heard`. */
  readonly words: readonly string[];
  readonly use: string;
  /** Places where it stays, with the reason: a name of the wire, of the database or of a hash, or another meaning that the field knows. */
  readonly stays?: readonly (readonly [where: RegExp, why: string])[];
}

const REPLACED: readonly Replaced[] = [
  {
    words: ['hear', 'hears', 'heard', 'unheard'],
    use: 'receive, sync, apply',
    stays: [
      [
        /^src\/(trading\/(delegated-orders|signing-validation)|adapters\/store\/delegations\/delegation-store)\.ts$/,
        'a column of delegated_orders',
      ],
      [/heardAt/, 'a field of market states, which tapes hold'],
      [/set heard = /, 'the same column, in tests'],
      [/'heard'\)$|guarded-tables\.ts$/, 'a value in the database, and reasons that a migration states'],
      [/events_unheard/, 'a reason in answers'],
      [/hears-|heard-steps/, 'a class of the style sheet'],
    ],
  },
  { words: ['hearing'], use: 'receiving', stays: [[/\bhearing\b|Hearing\b|HEARINGS|hearingOf/, 'a field of GET /v1/venues and of tapes']] },
  { words: ['heed', 'heeds', 'heeded', 'welcome', 'welcomed'], use: 'sync, apply' },
  {
    words: ['standing', 'standings'],
    use: 'state, status, progress, check',
    stays: [
      [/launch|^clients\/typescript\/src\/feed-messages/, 'a column of launches and a field of their steps and announcements'],
      [/leaderboard_standings/, 'a table'],
      [/data-standing/, 'an attribute of the page'],
      [/standing (order|orders|open|still)/, 'an order that rests at a venue'],
    ],
  },
  {
    words: ['ground', 'grounds'],
    use: 'facts, context, exposure version',
    stays: [[/^web\/|proposal-ground/, 'the ground of a chart, and of a proposal card']],
  },
  {
    words: ['lane', 'lanes'],
    use: 'instrument state',
    stays: [
      [/^web\/(time-lanes|actor-view)\.js|lane-words/, 'the lanes of a drawing'],
      [/asset, lane/, 'a column of exposures'],
    ],
  },
  { words: ['birth', 'born', 'conception'], use: 'create, initial, draft' },
  { words: ['twin', 'twins'], use: 'duplicate' },
  { words: ['door', 'doors'], use: 'client, port, route' },
  {
    words: ['errand', 'errands', 'carrier', 'carriers'],
    use: 'activity, activity worker',
    stays: [
      [/carrier_dies/, 'a fault of seeded simulations, whose trace is hashed'],
      [/actor-history\.ts$/, 'what steps of before are read as'],
      [/errands(\||_)/, 'names in databases from before the baseline of migrations'],
    ],
  },
  { words: ['overtaken'], use: 'superseded', stays: [[/actor-history\.ts$/, 'what steps of before are read as']] },
  {
    words: ['licence', 'licences'],
    use: 'execution permit; a licence is of a listing',
    stays: [
      [/checkout|marketplace|tag-texts/i, 'of a listing'],
      [/writeLicences|listLicences|licence_missing/, 'its record, its list and its code'],
      [/table-writers\.ts$/, 'the table of that name'],
      [/^clients\/typescript\/src\/(api|feed-messages)\.ts$/, 'bodies of the API'],
      [/as the package ships it/, 'of a package'],
    ],
  },
  {
    words: ['desk', 'desks'],
    use: 'command handler',
    stays: [
      [/^test\//, 'names of organizations, people and files'],
      [/(Example|second) desk|night_desk|desk@example|desk\.example/, 'an example of a name'],
      [/thesis-words\.ts$/, 'whom the author of a thesis greets'],
    ],
  },
  {
    words: ['spelling', 'spellings'],
    use: 'encoding, canonical form',
    stays: [
      [/^test\/|^bench\//, 'the several ways in which tests write one value'],
      [/question\.ts$|entities\.ts$|catalog|manifest|sweep|TSLA/, 'several names of one thing'],
      [
        /^src\/sandbox|read-candles|simulation|channel|feeds\/subscription|database\.ts$|fields\.ts$|quote\.ts$/,
        'how others write a value',
      ],
    ],
  },
  {
    words: ['judge', 'judges', 'judged'],
    use: 'validate, assess',
    stays: [[/judged_(cuts|observations|vault_marks)/, 'a view of the database']],
  },
];

const ROOMS = /^(src|streams|actors|api|web|clients|test|bench)\//;
// What was recorded speaks its source's words, and this file names the words that it refuses.
const OTHERS = /^(web\/vendor|test\/fixtures)\/|^test\/rooms\/words\.test\.ts$/;
const ours = files.filter(({ path }) => ROOMS.test(path) && /\.(ts|mjs|js)$/.test(path) && !OTHERS.test(path));

/** The parts of the names and words of a line, in lower case: `isHeard at-once` has `is`, `heard`, `at` and `once`. */
function partsOf(line: string): readonly string[] {
  return line
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);
}

/** The lines, and the path as a line of its own, in which one of the words is a part of a name. */
function found({ words, stays = [] }: Replaced, among: readonly { readonly path: string; readonly text: string }[]): readonly string[] {
  const any = new RegExp(words.join('|'), 'i');
  return among.flatMap(({ path, text }) =>
    [path, ...text.split('\n')].flatMap((line, at) => {
      if (!any.test(line) || !partsOf(line).some((part) => words.includes(part))) return [];
      return stays.some(([where]) => where.test(path) || where.test(line)) ? [] : [`${path}:${at} ${line.trim()}`];
    }),
  );
}

test.each(REPLACED)('$words.0 stays replaced by: $use', (replaced) => {
  expect(found(replaced, ours)).toEqual([]);
});

test('the scanner finds a word in a name, in a comment and in the name of a file, and no word within another', () => {
  const sample = [
    { path: 'src/domain/twin-rows.ts', text: 'const firstTwin = 1;\n// Its twin.\nconst outdoors = 2;' },
    { path: 'src/domain/plain.ts', text: 'const twine = 1;' },
  ];
  expect(found({ words: ['twin'], use: 'duplicate' }, sample)).toHaveLength(3);
});

/** Beginnings that make a reader wait for the subject of the sentence. */
const RIDDLES = /^(What|How|Why|Who|Whom|Whose|Whoever|Whatever|Whether|Where|Wherever|Which|Whichever|Of|So|Those|Nothing|Only)\b/;

/** The doc comments of a file that begin with one of them, by their line. */
function riddlesIn({ path, text }: { readonly path: string; readonly text: string }): readonly string[] {
  return [...text.matchAll(/\/\*\*([\s*]*)([\s\S]*?)\*\//g)].flatMap(({ index, 2: comment = '' }) =>
    RIDDLES.test(comment) ? [`${path}:${text.slice(0, index).split('\n').length} ${comment.trim().split('\n', 1)[0]}`] : [],
  );
}

test('a doc comment begins with a noun or a verb', () => {
  expect(ours.flatMap(riddlesIn)).toEqual([]);
  expect(riddlesIn({ path: 'a.ts', text: 'x;\n/**\n * Whether it is open.\n */\n/** True if open. What it is. */' })).toEqual([
    'a.ts:2 Whether it is open.',
  ]);
});
