/** Reads what is to be compiled: a thesis in words, or the fields of a Take. */

import { takeInvalid } from '../../../actors/take/command-handler.ts';
import type { TakeReading } from '../../../actors/take/commands.ts';
import type { Catalog } from '../../../src/domain/catalog.ts';
import type { Outcome } from '../../../src/domain/refusal.ts';
import { compileThesis } from '../../../src/domain/take/compile-thesis.ts';
import { readTakeFields } from '../../../src/domain/take/read-take.ts';
import type { Take } from '../../../src/domain/take/take.ts';
import { shownCondition } from '../../../src/domain/take/thesis-phrases.ts';
import type { EpochMs } from '../../../src/domain/time.ts';

export interface Compilation {
  readonly take: Take;
  readonly reading: TakeReading;
}

/** How the fields of a Take were understood: each condition under its own name. */
function understoodFields(take: Take) {
  return [
    { phrase: 'symbol', as: `asset ${take.asset.key}` },
    ...take.entry.map((condition, index) => ({ phrase: `entry[${index}]`, as: `entry: ${shownCondition(condition)}` })),
    ...take.exit.map((condition, index) => ({ phrase: `exit[${index}]`, as: `exit: ${shownCondition(condition)}` })),
    { phrase: 'allocationUsd', as: `allocation of ${take.allocationUsd} USD` },
    { phrase: 'maxSlippageBps', as: `slippage budget of ${take.maxSlippageBps} basis points` },
  ];
}

/** @param now the instant that relative times count from. */
export function readCompilation(body: Readonly<Record<string, unknown>>, catalog: Catalog, now: EpochMs): Outcome<Compilation> {
  const { thesis, ...fields } = body;
  if (thesis === undefined) {
    const read = readTakeFields(fields, { catalog, now });
    if (!read.ok) return takeInvalid(read.problems);
    return {
      ok: true,
      value: {
        take: read.take,
        reading: { thesis: null, understood: understoodFields(read.take), assumed: read.assumed, notUnderstood: [] },
      },
    };
  }
  const [stray] = Object.keys(fields);
  if (stray !== undefined) {
    return takeInvalid([{ path: `$.${stray.slice(0, 60)}`, problem: 'stands beside a thesis', allowed: 'a thesis, or fields' }]);
  }
  if (typeof thesis !== 'string') return takeInvalid([{ path: '$.thesis', problem: 'is no text', allowed: 'a thesis in words' }]);
  const compiled = compileThesis(thesis, { catalog, now });
  if (compiled.ok) {
    const { take, understood, assumed, notUnderstood } = compiled;
    return { ok: true, value: { take, reading: { thesis, understood, assumed, notUnderstood } } };
  }
  if (compiled.why === 'invalid') return takeInvalid(compiled.problems);
  const { questions } = compiled;
  return { ok: false, refusal: { code: 'thesis_ambiguous', detail: questions[0] ?? 'the thesis settles too little', questions } };
}
