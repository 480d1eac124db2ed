/** Instructions that the sandbox itself sends, and the building of signed transactions. */
import {
  type Address,
  type AddressesByLookupTableAddress,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  createTransactionMessage,
  getAddressEncoder,
  getTransactionEncoder,
  type Instruction,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import { programAddress as derived } from '../../domain/launch/program-address.ts';
import { NATIVE_MINT } from '../../domain/launch/quote-tokens.ts';
import * as programs from '../../domain/solana/programs.ts';
import type { SandboxKey } from './keys.ts';

export const SYSTEM = address(programs.SYSTEM_PROGRAM);
export const TOKEN = address(programs.TOKEN_PROGRAM);
export const TOKEN_2022 = address(programs.TOKEN_2022);
export const ASSOCIATED_TOKEN = address(programs.ASSOCIATED_TOKEN_PROGRAM);
export const COMPUTE_BUDGET = address(programs.COMPUTE_BUDGET_PROGRAM);
export const LOOKUP_TABLES = address('AddressLookupTab1e1111111111111111111111111');
export const WRAPPED_SOL = address(NATIVE_MINT);

/** Access flags of an account in an instruction. */
const READ = 0;
const WRITE = 1;
const SIGN = 2;
const PAY = 3;

/** Packs numbers in little-endian order: `[1, 2]` is the number 2 in one byte. */
function packed(...parts: readonly (readonly [bytes: 1 | 2 | 4 | 8, value: number | bigint])[]): Uint8Array {
  const data = Buffer.alloc(parts.reduce((sum, [bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [bytes, value] of parts) {
    if (bytes === 8) data.writeBigUInt64LE(BigInt(value), at);
    else data.writeUIntLE(Number(value), at, bytes);
    at += bytes;
  }
  return data;
}

function instruction(programAddress: Address, accounts: readonly (readonly [Address, number])[], data: Uint8Array): Instruction {
  return { programAddress, accounts: accounts.map(([account, role]) => ({ address: account, role })), data };
}

export function transferLamports(from: Address, to: Address, lamports: bigint): Instruction {
  return instruction(
    SYSTEM,
    [
      [from, PAY],
      [to, WRITE],
    ],
    packed([4, 2], [8, lamports]),
  );
}

export function computeLimit(units: number): Instruction {
  return instruction(COMPUTE_BUDGET, [], packed([1, 2], [4, units]));
}

/** Builds the instruction that sets the compute unit price, in micro-lamports. */
export function computePrice(microLamports: bigint): Instruction {
  return instruction(COMPUTE_BUDGET, [], packed([1, 3], [8, microLamports]));
}

/** Derives the associated token account of an owner and mint. */
export function associatedAccount(owner: Address, mint: Address, program: Address): Address {
  const bytes = (one: Address) => getAddressEncoder().encode(one) as Uint8Array;
  return address(derived(ASSOCIATED_TOKEN, [bytes(owner), bytes(program), bytes(mint)]).address);
}

/** Builds the instruction that creates the owner's token account if it is missing. */
export function createAssociatedAccount(payer: Address, owner: Address, mint: Address, program: Address): Instruction {
  return instruction(
    ASSOCIATED_TOKEN,
    [
      [payer, PAY],
      [associatedAccount(owner, mint, program), WRITE],
      [owner, READ],
      [mint, READ],
      [SYSTEM, READ],
      [program, READ],
    ],
    packed([1, 1]),
  );
}

export interface TokenTransfer {
  readonly program: Address;
  readonly mint: Address;
  readonly decimals: number;
  readonly from: Address;
  readonly to: Address;
  readonly authority: Address;
  readonly amount: bigint;
}

export function transferChecked({ program, mint, decimals, from, to, authority, amount }: TokenTransfer): Instruction {
  return instruction(
    program,
    [
      [from, WRITE],
      [mint, READ],
      [to, WRITE],
      [authority, SIGN],
    ],
    packed([1, 12], [8, amount], [1, decimals]),
  );
}

export function mintTo(program: Address, mint: Address, to: Address, authority: Address, amount: bigint): Instruction {
  return instruction(
    program,
    [
      [mint, WRITE],
      [to, WRITE],
      [authority, SIGN],
    ],
    packed([1, 7], [8, amount]),
  );
}

/** Builds the instruction that makes lamports sent to a wrapped SOL account count as its amount. */
export function syncNative(account: Address): Instruction {
  return instruction(TOKEN, [[account, WRITE]], packed([1, 17]));
}

interface TransactionPlan {
  readonly version: 'legacy' | 0;
  readonly feePayer: Address;
  readonly blockhash: string;
  readonly instructions: readonly Instruction[];
  /** Lookup tables of a version 0 message. */
  readonly tables?: AddressesByLookupTableAddress;
  /** Available signers. Signatures of all others stay zero. */
  readonly signers: readonly SandboxKey[];
}

/** Builds the wire bytes of a transaction with the available signatures. */
export function buildTransaction({ version, feePayer, blockhash, instructions, tables, signers }: TransactionPlan): Uint8Array {
  const lifetime = { blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n };
  const plain = appendTransactionMessageInstructions(
    instructions,
    setTransactionMessageLifetimeUsingBlockhash(lifetime, setTransactionMessageFeePayer(feePayer, createTransactionMessage({ version }))),
  );
  const message =
    version === 0 && tables !== undefined ? compressTransactionMessageUsingAddressLookupTables(plain as never, tables) : plain;
  const compiled = compileTransaction(message as typeof plain);
  const signatures: Record<string, Uint8Array | null> = { ...compiled.signatures };
  for (const signer of signers) signatures[signer.address] = signer.sign(compiled.messageBytes as unknown as Uint8Array);
  return getTransactionEncoder().encode({ ...compiled, signatures } as never) as Uint8Array;
}
