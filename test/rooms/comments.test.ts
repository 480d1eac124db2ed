// A doc comment begins with its subject or its verb.
import { expect, test } from 'vitest';
import { files } from './source.ts';

const ROOMS = /^(src|streams|actors|api|web|clients|test|bench)\//;
const OTHERS = /^(web\/vendor|test\/fixtures)\//;
const ours = files.filter(({ path }) => ROOMS.test(path) && /\.(ts|mjs|js)$/.test(path) && !OTHERS.test(path));

/** Openings that hide the subject of the sentence. */
const RIDDLES = /^(What|How|Why|Who|Whom|Whose|Whoever|Whatever|Whether|Where|Wherever|Which|Whichever|Of|So|Those|Nothing|Only)\b/;

/** Returns the doc comments of a file with such an opening, by line. */
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
