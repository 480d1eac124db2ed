/** Programs of the primary chain, with their common names. */

export const SYSTEM_PROGRAM = '11111111111111111111111111111111';
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
export const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';
export const AGGREGATOR_PROGRAM = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4';
/** Bonding curves of launched tokens. */
export const CURVE_PROGRAM = 'dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN';
/** Tokens that are locked until a time. */
export const LOCKER_PROGRAM = 'LocpQgucEQHbqNABEYvBvwoxCPsSbG91A1QaQhQQqjn';
export const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

const NAMES: Readonly<Record<string, string>> = {
  [SYSTEM_PROGRAM]: 'System',
  [TOKEN_PROGRAM]: 'Token',
  [TOKEN_2022]: 'Token-2022',
  [ASSOCIATED_TOKEN_PROGRAM]: 'Associated Token Account',
  [COMPUTE_BUDGET_PROGRAM]: 'Compute Budget',
  [AGGREGATOR_PROGRAM]: 'Jupiter v6',
  [CURVE_PROGRAM]: 'Dynamic Bonding Curve',
  [LOCKER_PROGRAM]: 'Locker',
  [MEMO_PROGRAM]: 'Memo',
  Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo: 'Memo v1',
  L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95: 'Lighthouse',
};

/** A program, with its name if it is known. */
export interface NamedProgram {
  readonly program: string;
  readonly name: string | null;
}

export function namedProgram(program: string): NamedProgram {
  return { program, name: NAMES[program] ?? null };
}

/** Returns `Lighthouse (L2TEx…)`, or the address alone. */
export function programWords({ program, name }: NamedProgram): string {
  return name === null ? program : `${name} (${program})`;
}
