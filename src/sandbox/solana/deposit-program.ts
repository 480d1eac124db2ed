/** Model of Relay's depository program, whose binary is not available: its deposit of tokens. */

import { createHash } from 'node:crypto';
import { type Address, address } from '@solana/kit';
import { programAddress } from '../../domain/launch/program-address.ts';
import { STABLE_DECIMALS } from './burn-program.ts';
import { associatedAccount, createAssociatedAccount, transferChecked } from './instructions.ts';
import { type ModelContext, ProgramFailure, type ProgramModel } from './launch-programs/modelled-machine.ts';
import type { ReadTransaction } from './decode-transaction.ts';

export const DEPOSIT_PROGRAM: Address = address('99vQwtBwYtrqqD9YSXbdum3KBdxPAVxYTaQ3cfnJSrN2');
/** Account of the program's deposits. */
export const DEPOSITORY: Address = address(programAddress(DEPOSIT_PROGRAM, ['relay_depository']).address);
/** Owner of the deposits. */
export const DEPOSIT_VAULT: Address = address(programAddress(DEPOSIT_PROGRAM, ['vault']).address);
export const DEPOSIT_TOKEN = createHash('sha256').update('global:deposit_token').digest().subarray(0, 8);

/** Errors of the Anchor framework: unknown instruction, and an account that does not match its seeds. */
const UNKNOWN_INSTRUCTION = 101;
const OTHER_SEEDS = 2_006;
/** Error of the program: the vault's token account is wrong. */
const OTHER_VAULT_ACCOUNT = 6_009;

/** Returns the order id of a deposit, or null if the transaction has none. */
export function depositIn({ staticKeys, instructions }: Pick<ReadTransaction, 'staticKeys' | 'instructions'>): { order: string } | null {
  const found = instructions.find(({ programIndex, data }) => staticKeys[programIndex] === DEPOSIT_PROGRAM && isDeposit(data));
  return found === undefined ? null : { order: `0x${Buffer.from(found.data).subarray(16, 48).toString('hex')}` };
}

function isDeposit(data: Uint8Array): boolean {
  return data.length === 48 && DEPOSIT_TOKEN.every((byte, at) => data[at] === byte);
}

/** Creates the vault's token account if missing, and transfers the amount to it. */
export const depositModel: ProgramModel = ({ accounts, data, invoke, log }: ModelContext) => {
  if (!isDeposit(data)) throw new ProgramFailure(UNKNOWN_INSTRUCTION);
  const at = (place: number): Address => address(accounts[place]?.address as string);
  const [depository, sender, , vault, mint, from, to, program] = Array.from({ length: 10 }, (_, place) => at(place)) as Address[] &
    [Address, Address, Address, Address, Address, Address, Address, Address];
  if (accounts[1]?.signer !== true) throw new ProgramFailure('MissingRequiredSignature');
  if (depository !== DEPOSITORY || vault !== DEPOSIT_VAULT) throw new ProgramFailure(OTHER_SEEDS);
  if (to !== associatedAccount(vault, mint, program)) throw new ProgramFailure(OTHER_VAULT_ACCOUNT);
  const amount = Buffer.from(data).readBigUInt64LE(8);
  log('Instruction: DepositToken');
  for (const one of [
    createAssociatedAccount(sender, vault, mint, program),
    transferChecked({ program, mint, decimals: STABLE_DECIMALS, from, to, authority: sender, amount }),
  ])
    invoke({
      program: one.programAddress,
      accounts: (one.accounts ?? []).map(({ address: named, role }) => ({ address: named, signer: role >= 2, writable: role % 2 === 1 })),
      data: (one.data ?? new Uint8Array()) as Uint8Array,
    });
};
