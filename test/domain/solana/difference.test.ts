// Wallet changes to hand-written messages: the changed instructions, their descriptions, and what is no change.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareMessages, differenceWords } from '../../../src/domain/solana/difference.ts';
import type { WireInstruction, WireMessage } from '../../../src/domain/solana/message.ts';
import { COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM, namedProgram, TOKEN_PROGRAM } from '../../../src/domain/solana/programs.ts';

const LIGHTHOUSE = 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95';
const STRANGER = 'Stranger1111111111111111111111111111111111';

const KEYS = ['payer', 'maker', 'pool', 'vault', TOKEN_PROGRAM, MEMO_PROGRAM, COMPUTE_BUDGET_PROGRAM, LIGHTHOUSE, STRANGER];

function message(instructions: readonly WireInstruction[], parts: Partial<WireMessage> = {}): WireMessage {
  const header = { requiredSignatures: 2, readonlySigned: 0, readonlyUnsigned: 5 };
  return { version: 0, header, staticKeys: KEYS, blockhash: 'recent', instructions, lookups: [], ...parts };
}
const of = (program: string, accounts: readonly number[] = [], ...data: readonly number[]): WireInstruction => ({
  program,
  accounts,
  data: Uint8Array.from(data),
});
const budget = (units: number) => of(COMPUTE_BUDGET_PROGRAM, [], 2, units);
const transfer = (amount: number, to = 2) => of(TOKEN_PROGRAM, [0, to], 3, amount);
const memo = (text: number) => of(MEMO_PROGRAM, [], text);
const guard = of(LIGHTHOUSE, [0], 7);

/** Returns the differences, with programs by their names. */
function told(before: readonly WireInstruction[], after: readonly WireInstruction[]) {
  const { inserted, removed, altered, reordered, parts } = compareMessages(message(before), message(after));
  const names = (list: readonly { readonly name: string | null; readonly program: string }[]) =>
    list.map(({ name, program }) => name ?? program);
  return { inserted: names(inserted), removed: names(removed), altered: names(altered), reordered, parts };
}
const NOTHING = { inserted: [], removed: [], altered: [], reordered: false, parts: [] };

describe('instructions', () => {
  const prepared = [budget(1), transfer(5), memo(9)];

  test('identical ones are no difference', () => {
    expect(told(prepared, prepared)).toEqual(NOTHING);
    expect(told([], [])).toEqual(NOTHING);
  });

  test.each([
    ['at the front', [guard, ...prepared], ['Lighthouse']],
    ['in the middle', [budget(1), guard, transfer(5), memo(9)], ['Lighthouse']],
    ['at the end', [...prepared, guard], ['Lighthouse']],
    ['twice', [guard, ...prepared, guard], ['Lighthouse', 'Lighthouse']],
    ['of a program that nobody knows', [...prepared, of(STRANGER)], [STRANGER]],
    ['that was there once already', [budget(1), transfer(5), transfer(5), memo(9)], ['Token']],
  ] as const)('one that was inserted %s is named', (_, after, inserted) => {
    expect(told(prepared, after)).toEqual({ ...NOTHING, inserted });
    // The reverse: it was removed.
    expect(told(after, prepared)).toEqual({ ...NOTHING, removed: inserted });
  });

  test('other data or another account at the same place is an alteration', () => {
    expect(told(prepared, [budget(2), transfer(5), memo(9)])).toEqual({ ...NOTHING, altered: ['Compute Budget'] });
    expect(told(prepared, [budget(1), transfer(5, 3), memo(9)])).toEqual({ ...NOTHING, altered: ['Token'] });
    expect(told(prepared, [budget(2), transfer(6), memo(8)])).toEqual({ ...NOTHING, altered: ['Compute Budget', 'Token', 'Memo'] });
  });

  test('data is compared byte by byte, so that no two byte strings read alike', () => {
    expect(told([of(MEMO_PROGRAM, [], 1, 23)], [of(MEMO_PROGRAM, [], 0x12, 3)])).toEqual({ ...NOTHING, altered: ['Memo'] });
    expect(told([of(MEMO_PROGRAM, [0])], [of(MEMO_PROGRAM, [0, 0])])).toEqual({ ...NOTHING, altered: ['Memo'] });
  });

  test('another program at the same place is a removal and an insertion', () => {
    expect(told(prepared, [budget(1), guard, memo(9)])).toEqual({ ...NOTHING, inserted: ['Lighthouse'], removed: ['Token'] });
  });

  test('the same program elsewhere is no alteration', () => {
    expect(told(prepared, [budget(1), memo(9), transfer(6)])).toEqual({ ...NOTHING, inserted: ['Token'], removed: ['Token'] });
  });

  test('an alteration and an insertion are both reported', () => {
    expect(told(prepared, [budget(2), guard, transfer(5), memo(9)])).toEqual({
      ...NOTHING,
      inserted: ['Lighthouse'],
      altered: ['Compute Budget'],
    });
  });

  test('the same ones in another order are reported as only that', () => {
    expect(told(prepared, [memo(9), transfer(5), budget(1)])).toEqual({ ...NOTHING, reordered: true });
    expect(told(prepared, [transfer(5), budget(1), memo(9)])).toEqual({ ...NOTHING, reordered: true });
  });

  test('the longest common subsequence stays: the report is minimal', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 7 }),
        fc.array(fc.integer({ min: 0, max: 7 }), { maxLength: 4 }),
        (kept, places) => {
          const before = kept.map((text) => memo(text));
          const after = [...before];
          for (const place of places) after.splice(Math.min(place, after.length), 0, guard);
          const { inserted, removed, altered, reordered } = told(before, after);
          expect({ inserted, removed, altered, reordered }).toEqual({
            inserted: places.map(() => 'Lighthouse'),
            removed: [],
            altered: [],
            reordered: false,
          });
        },
      ),
      { seed: 20_261_121, numRuns: 300 },
    );
  });
});

describe('accounts', () => {
  test('a table account equals a static one', () => {
    const tables = new Map([['table', ['far', 'pool']]]);
    const named = message([transfer(5)]);
    const looked = message([of(TOKEN_PROGRAM, [0, KEYS.length - 1], 3, 5)], {
      staticKeys: KEYS.filter((key) => key !== 'pool'),
      lookups: [{ table: 'table', writable: [1], readonly: [] }],
    });
    const known = compareMessages(named, looked, tables);
    expect(known).toEqual({ ...NOTHING, parts: ['keys', 'lookups'] });
    expect(compareMessages(named, looked).altered).toEqual([{ program: TOKEN_PROGRAM, name: 'Token' }]);
  });
});

test.each([
  ['version', { version: 'legacy' as const }, ['version']],
  ['fee_payer', { staticKeys: ['maker', 'payer', ...KEYS.slice(2)] }, ['fee_payer', 'signers', 'keys']],
  ['signers', { header: { requiredSignatures: 1, readonlySigned: 0, readonlyUnsigned: 5 } }, ['signers', 'header']],
  ['blockhash', { blockhash: 'another' }, ['blockhash']],
  ['keys', { staticKeys: [...KEYS, 'more'] }, ['keys']],
  ['lookups', { lookups: [{ table: 'table', writable: [1], readonly: [] }] }, ['lookups']],
  ['header', { header: { requiredSignatures: 2, readonlySigned: 0, readonlyUnsigned: 4 } }, ['header']],
])('another %s is named', (_, parts, differing) => {
  expect(compareMessages(message([memo(1)]), message([memo(1)], parts)).parts).toEqual(differing);
});

test('the text has all of it in one sentence', () => {
  const memoProgram = { program: MEMO_PROGRAM, name: 'Memo' };
  const stranger = { program: STRANGER, name: null };
  expect(
    differenceWords({
      inserted: [memoProgram, stranger],
      removed: [stranger],
      altered: [memoProgram],
      reordered: true,
      parts: ['version', 'keys'],
    }),
  ).toBe(
    `instructions were inserted of Memo (${MEMO_PROGRAM}), ${STRANGER}; instructions were removed of ${STRANGER}; ` +
      `instructions were altered of Memo (${MEMO_PROGRAM}); instructions were put into another order; version, keys differ`,
  );
  expect(differenceWords({ ...NOTHING, parts: ['blockhash'] })).toBe('blockhash differs');
  expect(differenceWords({ ...NOTHING, reordered: true })).toBe('instructions were put into another order');
  expect(differenceWords(NOTHING)).toBe('the bytes differ');
});

test.each([
  ['11111111111111111111111111111111', 'System'],
  ['TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb', 'Token-2022'],
  ['ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL', 'Associated Token Account'],
  ['JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4', 'Jupiter v6'],
  ['Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo', 'Memo v1'],
  ['L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95', 'Lighthouse'],
])('%s is known as %s', (program, name) => {
  expect(namedProgram(program)).toEqual({ program, name });
});
