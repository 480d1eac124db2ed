/** Reads the input of a compilation: a thesis in words, or the fields of a Take. */

import { takeInvalid } from '../../../actors/take/command-handler.ts';
import type { TakeReading } from '../../../actors/take/resource.ts';
import type { Catalog } from '../../../src/domain/catalog/catalog.ts';
import type { Outcome } from '../../../src/domain/values/refusal.ts';
import { compileThesis } from '../../../src/domain/take/compile-thesis.ts';
import { readingOfFields, readTakeFields } from '../../../src/domain/take/read-take.ts';
import type { Take } from '../../../src/domain/take/take.ts';
import type { EpochMs } from '../../../src/domain/values/time.ts';

interface Compilation {
  readonly take: Take;
  readonly reading: TakeReading;
}

/** Reads the input. @param now Instant from which relative times count. */
export function readCompilation(body: Readonly<Record<string, unknown>>, catalog: Catalog, now: EpochMs): Outcome<Compilation> {
  const { thesis, ...fields } = body;
  if (thesis === undefined) {
    const read = readTakeFields(fields, { catalog, now });
    if (!read.ok) return takeInvalid(read.problems);
    return { ok: true, value: { take: read.take, reading: readingOfFields(read.take, read.assumed) } };
  }
  const [stray] = Object.keys(fields);
  if (stray !== undefined) {
    return takeInvalid([{ path: `$.${stray.slice(0, 60)}`, problem: 'cannot be combined with a thesis', allowed: 'a thesis, or fields' }]);
  }
  if (typeof thesis !== 'string') return takeInvalid([{ path: '$.thesis', problem: 'is no text', allowed: 'a thesis in words' }]);
  const compiled = compileThesis(thesis, { catalog, now });
  if (compiled.ok) {
    const { take, understood, assumed, notUnderstood, open } = compiled;
    return { ok: true, value: { take, reading: { thesis, understood, assumed, notUnderstood, open } } };
  }
  if (compiled.why === 'invalid') return takeInvalid(compiled.problems);
  const { questions } = compiled;
  return { ok: false, refusal: { code: 'thesis_ambiguous', detail: questions[0] ?? 'the thesis settles too little', questions } };
}
