/** Instructions of native programs, as the modelled programs call them. */

import { joined, keyBytes, lengthAndText, writeUint } from '../../../domain/launch/byte-struct.ts';
import type { ProgramInstruction } from '../../../domain/launch/curve/program.ts';
import { SYSTEM_PROGRAM, TOKEN_2022, TOKEN_PROGRAM } from '../../../domain/solana/programs.ts';

function number(value: bigint, bytes: number): Uint8Array {
  const data = new Uint8Array(bytes);
  writeUint(value, data, 0, bytes);
  return data;
}

interface NewAccount {
  readonly payer: string;
  readonly at: string;
  readonly lamports: bigint;
  readonly bytes: number;
  readonly owner: string;
}

export function createAccount({ payer, at, lamports, bytes, owner }: NewAccount): ProgramInstruction {
  return {
    program: SYSTEM_PROGRAM,
    accounts: [
      { address: payer, signer: true, writable: true },
      { address: at, signer: true, writable: true },
    ],
    data: joined(number(0n, 4), number(lamports, 8), number(BigInt(bytes), 8), keyBytes(owner)),
  };
}

export function transferLamports(from: string, to: string, lamports: bigint): ProgramInstruction {
  return {
    program: SYSTEM_PROGRAM,
    accounts: [
      { address: from, signer: true, writable: true },
      { address: to, writable: true },
    ],
    data: joined(number(2n, 4), number(lamports, 8)),
  };
}

export function initializeMint(
  program: string,
  mint: string,
  decimals: number,
  authority: string,
  freeze: string | null,
): ProgramInstruction {
  return {
    program,
    accounts: [{ address: mint, writable: true }],
    data: joined(
      Uint8Array.of(20, decimals),
      keyBytes(authority),
      freeze === null ? Uint8Array.of(0) : joined(Uint8Array.of(1), keyBytes(freeze)),
    ),
  };
}

export function initializeTokenAccount(program: string, account: string, mint: string, owner: string): ProgramInstruction {
  return {
    program,
    accounts: [{ address: account, writable: true }, { address: mint }],
    data: joined(Uint8Array.of(18), keyBytes(owner)),
  };
}

export function mintTokens(program: string, mint: string, to: string, authority: string, amount: bigint): ProgramInstruction {
  return {
    program,
    accounts: [
      { address: mint, writable: true },
      { address: to, writable: true },
      { address: authority, signer: true },
    ],
    data: joined(Uint8Array.of(7), number(amount, 8)),
  };
}

/** Builds the instruction that transfers an authority. Kind 0 is the mint authority, 2 the owner of an account. */
export function setAuthority(program: string, of: string, current: string, kind: 0 | 2, next: string | null): ProgramInstruction {
  return {
    program,
    accounts: [
      { address: of, writable: true },
      { address: current, signer: true },
    ],
    data: joined(Uint8Array.of(6, kind), next === null ? Uint8Array.of(0) : joined(Uint8Array.of(1), keyBytes(next))),
  };
}

interface TokenMove {
  readonly program: string;
  readonly mint: string;
  readonly decimals: number;
  readonly from: string;
  readonly to: string;
  readonly authority: string;
  readonly amount: bigint;
}

export function transferTokens({ program, mint, decimals, from, to, authority, amount }: TokenMove): ProgramInstruction {
  return {
    program,
    accounts: [{ address: from, writable: true }, { address: mint }, { address: to, writable: true }, { address: authority, signer: true }],
    data: joined(Uint8Array.of(12), number(amount, 8), Uint8Array.of(decimals)),
  };
}

/** Builds the first token program's older transfer, which does not name the mint. */
export function plainTransfer({
  from,
  to,
  authority,
  amount,
}: Pick<TokenMove, 'from' | 'to' | 'authority' | 'amount'>): ProgramInstruction {
  return {
    program: TOKEN_PROGRAM,
    accounts: [
      { address: from, writable: true },
      { address: to, writable: true },
      { address: authority, signer: true },
    ],
    data: joined(Uint8Array.of(3), number(amount, 8)),
  };
}

/** Builds the instructions that create a closable Token-2022 mint with its own metadata. */
export function namedMintInstructions(
  mint: string,
  authority: string,
  freeze: string,
  names: { readonly name: string; readonly symbol: string; readonly uri: string },
): { readonly before: readonly ProgramInstruction[]; readonly named: ProgramInstruction } {
  const accounts = [{ address: mint, writable: true }];
  const metadataInitialize = Uint8Array.from(Buffer.from('d2e11ea258b84d8d', 'hex'));
  return {
    before: [
      { program: TOKEN_2022, accounts, data: joined(Uint8Array.of(39, 0), keyBytes(authority), keyBytes(mint)) },
      { program: TOKEN_2022, accounts, data: joined(Uint8Array.of(25, 1), keyBytes(authority)) },
      initializeMint(TOKEN_2022, mint, 0, authority, freeze),
    ],
    named: {
      program: TOKEN_2022,
      accounts: [{ address: mint, writable: true }, { address: authority }, { address: mint }, { address: authority, signer: true }],
      data: joined(metadataInitialize, lengthAndText(names.name), lengthAndText(names.symbol), lengthAndText(names.uri)),
    },
  };
}
