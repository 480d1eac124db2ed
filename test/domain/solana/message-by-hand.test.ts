// Messages written byte by byte: every missing or impossible part is refused by name.
import { expect, test } from 'vitest';
import { base58 } from '../../../src/domain/solana/base58.ts';
import { listAccounts, readMessage, readTransaction, listSigners } from '../../../src/domain/solana/message.ts';

/** One part of a message: its name, its bytes, and whether it is a single byte or a range. */
type Part = readonly [name: string, bytes: readonly number[], kind: 'byte' | 'stretch'];

interface ByHand {
  readonly version?: number;
  readonly header?: readonly [number, number, number];
  readonly keys?: readonly number[];
  readonly instructions?: readonly (readonly [program: number, accounts: readonly number[], data: readonly number[]])[];
  readonly lookups?: readonly (readonly [table: number, writable: readonly number[], readonly: readonly number[]])[];
}

const key = (fill: number): number[] => Array.from({ length: 32 }, () => fill);
const nameOf = (fill: number): string => base58(Uint8Array.from(key(fill)));
/** Encodes a count as the chain does. */
const count = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, value >> 7]);

function parts({ version, header = [1, 0, 1], keys = [1, 2, 3], instructions = [[2, [0, 1], [7, 8]]], lookups = [] }: ByHand): Part[] {
  const list = (name: string, values: readonly number[]): Part[] => [
    [`the count of ${name}`, count(values.length), 'byte'],
    [name, values, 'stretch'],
  ];
  return [
    ...(version === undefined ? [] : [['the header', [128 | version], 'byte'] as Part]),
    ...header.map((byte): Part => ['the header', [byte], 'byte']),
    ['the count of keys', count(keys.length), 'byte'],
    ...keys.map((fill, index): Part => [`key ${index}`, key(fill), 'stretch']),
    ['the blockhash', key(99), 'stretch'],
    ['the count of instructions', count(instructions.length), 'byte'],
    ...instructions.flatMap(([program, accounts, data], index): Part[] => [
      [`the program of instruction ${index}`, [program], 'byte'],
      ...list(`the accounts of instruction ${index}`, accounts),
      [`the length of the data of instruction ${index}`, count(data.length), 'byte'],
      [`the data of instruction ${index}`, data, 'stretch'],
    ]),
    ...(version === undefined
      ? []
      : [
          ['the count of lookups', count(lookups.length), 'byte'] as Part,
          ...lookups.flatMap(([table, writable, readonly], index): Part[] => [
            [`the table of lookup ${index}`, key(table), 'stretch'],
            ...list(`the writable places of lookup ${index}`, writable),
            ...list(`the readonly places of lookup ${index}`, readonly),
          ]),
        ]),
  ];
}

const bytesOf = (message: ByHand): number[] => parts(message).flatMap(([, bytes]) => bytes);
const said = (bytes: readonly number[]) => {
  const outcome = readMessage(Uint8Array.from(bytes));
  return outcome.ok ? 'read' : `${outcome.refusal.code}: ${outcome.refusal.detail.replace('the transaction cannot be read: ', '')}`;
};
const refused = (words: string): string => `malformed_transaction: ${words}`;
const LOOKED_UP: ByHand = { version: 0, lookups: [[50, [4], [5, 6]]], instructions: [[2, [0, 5], [7]]] };

test.each([
  ['legacy', {}],
  ['version 0', LOOKED_UP],
] as const)('a %s message that ends early says within what', (_, message) => {
  const bytes = bytesOf(message);
  expect(said(bytes)).toBe('read');
  let at = 0;
  for (const [name, part, kind] of parts(message)) {
    for (let place = 0; place < part.length; place++, at++) {
      const words = kind === 'byte' ? `it ends at byte ${at}, before ${name}` : `it ends at byte ${at}, within ${name}`;
      expect(said(bytes.slice(0, at))).toBe(refused(words));
    }
  }
  expect(at).toBe(bytes.length);
  expect(said([...bytes, 1, 2])).toBe(refused('2 bytes follow its end'));
});

test.each<[string, ByHand]>([
  ['it is of message version 1, which is not supported: legacy or 0', { version: 1 }],
  ['its header asks for no signature', { header: [0, 0, 1] }],
  ['its header leaves nobody who pays', { header: [1, 1, 0] }],
  ['its header leaves nobody who pays', { header: [2, 3, 0] }],
  ['its header counts more keys than the 3 there are', { header: [1, 0, 3] }],
  ['its header counts more keys than the 3 there are', { header: [4, 0, 0] }],
  ['it names a key twice', { keys: [1, 2, 1] }],
  [
    'instruction 1 names no program of its static keys',
    {
      instructions: [
        [2, [], []],
        [0, [], []],
      ],
    },
  ],
  ['instruction 0 names no program of its static keys', { instructions: [[3, [], []]] }],
  ['instruction 0 names an account that it lacks', { instructions: [[2, [0, 3], []]] }],
  ['instruction 0 names an account that it lacks', { ...LOOKED_UP, instructions: [[2, [6], []]] }],
  [
    'lookup 1 looks nothing up',
    {
      version: 0,
      lookups: [
        [50, [1], []],
        [51, [], []],
      ],
    },
  ],
])('%s', (words, message) => {
  expect(said(bytesOf(message))).toBe(refused(words));
});

test('a message may use what it names to the last place, and names 256 accounts at most', () => {
  expect(said(bytesOf({ header: [1, 0, 2] }))).toBe('read');
  expect(said(bytesOf({ header: [2, 1, 1] }))).toBe('read');
  expect(said(bytesOf({ instructions: [[2, [2], []]] }))).toBe('read');
  const places = (length: number): number[] => Array.from({ length }, (_, place) => place);
  const naming = (accounts: number): ByHand => ({ version: 0, lookups: [[50, places(127), places(accounts - 3 - 127)]] });
  expect(said(bytesOf(naming(256)))).toBe('read');
  expect(said(bytesOf(naming(257)))).toBe(refused('it names 257 accounts; at most 256 can be told apart'));
});

test('a count has one spelling, and ends at 65535', () => {
  const counted = (...spelled: number[]) => said([1, 0, 1, ...spelled]);
  expect(counted(0x83, 0)).toBe(refused('the count of keys at byte 3 is not in its shortest form'));
  expect(counted(0x83, 0x80, 0)).toBe(refused('the count of keys at byte 3 is not in its shortest form'));
  expect(counted(0xff, 0xff, 0x04)).toBe(refused('the count of keys at byte 3 is more than 65535'));
  expect(counted(0xff, 0xff, 0xff, 0x01)).toBe(refused('the count of keys at byte 3 is more than 65535'));
  // 65535 and 16384 keys are announced, but missing.
  expect(counted(0xff, 0xff, 0x03)).toBe(refused('it ends at byte 6, within key 0'));
  expect(counted(0x80, 0x80, 0x01)).toBe(refused('it ends at byte 6, within key 0'));
});

test('a transaction is at most 1232 bytes, and carries the signatures that its message asks for', () => {
  const signed = (signatures: number, message: readonly number[]) =>
    readTransaction(Uint8Array.from([...count(signatures), ...Array.from({ length: 64 * signatures }, () => 1), ...message]));
  const around = bytesOf({ instructions: [[2, [], Array.from({ length: 200 }, () => 5)]] }).length - 200;
  const filled = (length: number) => bytesOf({ instructions: [[2, [], Array.from({ length: length - 65 - around }, () => 5)]] });
  expect(signed(1, filled(1_232))).toMatchObject({ ok: true, value: { signatures: [Uint8Array.from({ length: 64 }, () => 1)] } });
  expect(signed(1, filled(1_233))).toMatchObject({ refusal: { detail: expect.stringContaining('it has 1233 bytes') } });
  expect(signed(2, bytesOf({}))).toMatchObject({
    refusal: { detail: expect.stringContaining('it carries 2 signatures, and its message asks for 1') },
  });
  expect(readTransaction(Uint8Array.of(1, 9))).toMatchObject({
    refusal: { detail: expect.stringContaining('it ends at byte 2, within signature 0') },
  });
});

test('accounts stand in the order of the indexes: static keys, what is looked up to write, what to read', () => {
  const outcome = readMessage(
    Uint8Array.from(
      bytesOf({
        version: 0,
        lookups: [
          [50, [1], [0, 9]],
          [51, [2], []],
        ],
      }),
    ),
  );
  if (!outcome.ok) throw new Error(outcome.refusal.detail);
  const [table, other] = [nameOf(50), nameOf(51)];
  const keys = [1, 2, 3].map(nameOf);
  expect(listSigners(outcome.value)).toEqual([keys[0]]);
  expect(listAccounts(outcome.value)).toEqual([...keys, `${table}[1]`, `${other}[2]`, `${table}[0]`, `${table}[9]`]);
  expect(listAccounts(outcome.value, new Map([[table, ['zero', 'one']]]))).toEqual([...keys, 'one', `${other}[2]`, 'zero', `${table}[9]`]);
});
