/** Instructions shared by transactions of several purposes: compute budget, token accounts, transfers and memos. */
import { writeUint } from '../launch/byte-struct.ts';
import { associatedAccount, type ProgramInstruction } from '../launch/curve/program.ts';
import { ASSOCIATED_TOKEN_PROGRAM, COMPUTE_BUDGET_PROGRAM, MEMO_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAM } from './programs.ts';

/** Returns the instructions of a compute budget: maximum units, and micro-lamports per unit. Wallets add none if they are present. */
export function computeBudget(units: number, unitPrice: bigint): readonly ProgramInstruction[] {
  const limit = new Uint8Array(5);
  limit[0] = 2;
  writeUint(BigInt(units), limit, 1, 4);
  const price = new Uint8Array(9);
  price[0] = 3;
  writeUint(unitPrice, price, 1, 8);
  return [limit, price].map((data) => ({ program: COMPUTE_BUDGET_PROGRAM, accounts: [], data }));
}

/** Returns the instruction that creates the owner's account of a mint if it does not exist. The payer pays its rent. */
export function ownAccount(payer: string, owner: string, mint: string, program: string): ProgramInstruction {
  return {
    program: ASSOCIATED_TOKEN_PROGRAM,
    accounts: [
      { address: payer, signer: true, writable: true },
      { address: associatedAccount(owner, mint, program), writable: true },
      { address: owner },
      { address: mint },
      { address: SYSTEM_PROGRAM },
      { address: program },
    ],
    data: Uint8Array.of(1),
  };
}

/** Returns the instruction that moves raw units between two token accounts. The program checks mint and decimals. */
export function transferChecked(terms: {
  readonly from: string;
  readonly to: string;
  readonly mint: string;
  readonly owner: string;
  readonly amount: bigint;
  readonly decimals: number;
}): ProgramInstruction {
  const data = new Uint8Array(10);
  data[0] = 12;
  writeUint(terms.amount, data, 1, 8);
  data[9] = terms.decimals;
  return {
    program: TOKEN_PROGRAM,
    accounts: [
      { address: terms.from, writable: true },
      { address: terms.mint },
      { address: terms.to, writable: true },
      { address: terms.owner, signer: true },
    ],
    data,
  };
}

/** Returns the instruction of a memo, which the chain stores with the transaction. */
export function memo(text: string, signer: string): ProgramInstruction {
  return { program: MEMO_PROGRAM, accounts: [{ address: signer, signer: true }], data: new TextEncoder().encode(text) };
}
