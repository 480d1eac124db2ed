/**
 * Model of the stablecoin's burn program, whose binary is not available. Its one instruction runs as the standard instructions that it
 * would call: a burn, and the creation of the message account.
 */
import { createHash } from 'node:crypto';
import {
  type Address,
  address,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  type Transaction,
} from '@solana/kit';
import { SYSTEM, TOKEN } from './instructions.ts';
import type { ReadTransaction } from './decode-transaction.ts';

export const BURN_PROGRAM: Address = address('CCTPV2vPZJS2u2BBsUoscuikbYjnpFmbFsvVuJdUMQe');
const DISCRIMINATOR = createHash('sha256').update('global:deposit_for_burn_with_hook').digest().subarray(0, 8);

/** Indices of the instruction's accounts. */
const AT = { owner: 0, payer: 1, tokenAccount: 3, mint: 10, event: 11, token: 14, system: 15 } as const;
const EVENT_BYTES = 480n;
const EVENT_LAMPORTS = 4_231_680n;
/** Decimals of the stablecoin, the only token that can be burned for another chain. */
export const STABLE_DECIMALS = 6;
const BURN_CHECKED = 15;
const CREATE_ACCOUNT = 0;

interface Burn {
  readonly amount: bigint;
  readonly domain: number;
  /** Recipient on the other chain: 32 bytes. */
  readonly recipient: Uint8Array;
  readonly maxFee: bigint;
  readonly finality: number;
  readonly hook: Uint8Array;
  readonly owner: Address;
}

type Instruction = ReadTransaction['instructions'][number];

function isBurn(keys: readonly Address[], { programIndex, data, accounts }: Instruction): boolean {
  return keys[programIndex] === BURN_PROGRAM && accounts.length === 18 && DISCRIMINATOR.every((byte, at) => data[at] === byte);
}

/** Returns the burn of a transaction, or null if it has none. */
export function findBurn({ staticKeys, instructions }: Pick<ReadTransaction, 'staticKeys' | 'instructions'>): Burn | null {
  const found = instructions.find((one) => isBurn(staticKeys, one));
  if (found === undefined) return null;
  const data = Buffer.from(found.data);
  const length = data.length >= 100 ? data.readUInt32LE(96) : -1;
  if (length !== data.length - 100) return null;
  return {
    amount: data.readBigUInt64LE(8),
    domain: data.readUInt32LE(16),
    recipient: data.subarray(20, 52),
    maxFee: data.readBigUInt64LE(84),
    finality: data.readUInt32LE(92),
    hook: data.subarray(100),
    owner: staticKeys[found.accounts[AT.owner] as number] as Address,
  };
}

/** Returns the transaction that the virtual machine runs instead. The signatures belong to the original. */
export function asStandardPrograms(read: ReadTransaction, decimals: number): Transaction {
  const burn = findBurn(read);
  if (burn === null || burn.maxFee >= burn.amount) return read.transaction;
  const message = getCompiledTransactionMessageDecoder().decode(read.message);
  if (message.version === 1) return read.transaction;
  const instructions = message.instructions.flatMap((one) => {
    const accounts = one.accountIndices ?? [];
    if (!isBurn(read.staticKeys, { programIndex: one.programAddressIndex, data: (one.data ?? new Uint8Array()) as Uint8Array, accounts }))
      return [one];
    const place = (which: keyof typeof AT): number => accounts[AT[which]] as number;
    if (read.staticKeys[place('token')] !== TOKEN || read.staticKeys[place('system')] !== SYSTEM) return [one];
    return [
      { programAddressIndex: place('system'), accountIndices: [place('payer'), place('event')], data: createdEvent() },
      {
        programAddressIndex: place('token'),
        accountIndices: [place('tokenAccount'), place('mint'), place('owner')],
        data: burned(burn.amount, decimals),
      },
    ];
  });
  const messageBytes = getCompiledTransactionMessageEncoder().encode({ ...message, instructions });
  return { ...read.transaction, messageBytes } as unknown as Transaction;
}

function createdEvent(): Uint8Array {
  const data = Buffer.alloc(52);
  data.writeUInt32LE(CREATE_ACCOUNT, 0);
  data.writeBigUInt64LE(EVENT_LAMPORTS, 4);
  data.writeBigUInt64LE(EVENT_BYTES, 12);
  return data;
}

function burned(amount: bigint, decimals: number): Uint8Array {
  const data = Buffer.alloc(10);
  data[0] = BURN_CHECKED;
  data.writeBigUInt64LE(amount, 1);
  data[9] = decimals;
  return data;
}
