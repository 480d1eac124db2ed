/** Account reading in the model of the curve program, with the errors of the real one. */
import { type PoolConfigAccount, readPoolConfig, readVirtualPool, type VirtualPoolAccount } from '../../../domain/launch/curve/program.ts';
import { CURVE_PROGRAM, LOCKER_PROGRAM, TOKEN_2022, TOKEN_PROGRAM } from '../../../domain/solana/programs.ts';
import { type MintAccount, readMint, readTokenAccount, type TokenAccount } from '../../../domain/solana/token-layout.ts';
import { type ModelContext, ProgramFailure } from './modelled-machine.ts';

/** Errors of the Anchor framework. */
export const FRAMEWORK = {
  hasOne: 2001,
  signer: 2002,
  tokenMint: 2014,
  tokenOwner: 2015,
  seeds: 2006,
  address: 2012,
  notInitialized: 3012,
  ownedByOther: 3007,
  discriminator: 3002,
  notSigner: 3010,
  wrongProgram: 3008,
  raw: 2003,
} as const;

export const CURVE_ERRORS = {
  invalidFee: 6001,
  slippage: 6002,
  zero: 6005,
  quoteMint: 6008,
  collectFeeMode: 6009,
  migrationFeeOption: 6010,
  input: 6011,
  notEnoughLiquidity: 6012,
  completed: 6013,
  incomplete: 6014,
  migrationOption: 6015,
  decimals: 6016,
  tokenType: 6017,
  feePercentage: 6018,
  threshold: 6019,
  supply: 6020,
  curve: 6021,
  notPermitted: 6022,
  native2022: 6028,
  vesting: 6031,
  insufficientLiquidity: 6033,
  feeScheduler: 6034,
  creatorPercentage: 6035,
  tokenAuthority: 6037,
  migratedPoolFee: 6044,
  feeBounds: 6003,
  surplusOut: 6025,
  migratorFee: 6039,
  migrationFeeOut: 6040,
  amountLeft: 6047,
  creationFee: 6051,
  unauthorized: 6053,
  lockedLiquidity: 6055,
  badge: 6080,
  transferFee: 6081,
} as const;

/** Returns the account at an index. @throws ProgramFailure with a runtime error if it is missing */
export function at({ accounts }: ModelContext, place: number): Required<ModelContext['accounts'][number]> {
  const found = accounts[place];
  if (found === undefined) throw new ProgramFailure(3005);
  return found;
}

export function signed(context: ModelContext, place: number): string {
  const { address, signer } = at(context, place);
  if (!signer) throw new ProgramFailure(FRAMEWORK.notSigner);
  return address;
}

/** Reads the account's data. @throws ProgramFailure with `missing` if the account does not exist, or if none of `owners` owns it */
export function ownedBy(context: ModelContext, address: string, owners: readonly string[], missing: number): Uint8Array {
  const account = context.account(address);
  if (account === null || (account.lamports === 0n && account.data.length === 0)) throw new ProgramFailure(missing);
  if (!owners.includes(account.programAddress)) throw new ProgramFailure(FRAMEWORK.ownedByOther);
  return account.data as Uint8Array;
}

export function configAt(context: ModelContext, place: number): { readonly address: string; readonly config: PoolConfigAccount } {
  const { address } = at(context, place);
  const config = readPoolConfig(ownedBy(context, address, [CURVE_PROGRAM], FRAMEWORK.ownedByOther));
  if (config === null) throw new ProgramFailure(FRAMEWORK.discriminator);
  return { address, config };
}

export function lockerAccountAt(context: ModelContext, place: number): { readonly address: string; readonly bytes: Uint8Array } {
  const { address } = at(context, place);
  return { address, bytes: ownedBy(context, address, [LOCKER_PROGRAM], FRAMEWORK.ownedByOther) };
}

export function poolAt(context: ModelContext, place: number): { readonly address: string; readonly pool: VirtualPoolAccount } {
  const { address } = at(context, place);
  const pool = readVirtualPool(ownedBy(context, address, [CURVE_PROGRAM], FRAMEWORK.ownedByOther));
  if (pool === null) throw new ProgramFailure(FRAMEWORK.discriminator);
  return { address, pool };
}

export interface MintAt {
  readonly address: string;
  readonly program: string;
  readonly mint: MintAccount;
}

export function mintAt(context: ModelContext, place: number): MintAt {
  const { address } = at(context, place);
  const mint = readMint(ownedBy(context, address, [TOKEN_PROGRAM, TOKEN_2022], FRAMEWORK.notInitialized));
  if (mint === null) throw new ProgramFailure('InvalidAccountData');
  return { address, program: context.account(address)?.programAddress as string, mint };
}

/** Reads a token account. A null `mint` accepts any mint. */
export function tokensAt(context: ModelContext, place: number, mint: string | null): TokenAccount & { readonly address: string } {
  const { address } = at(context, place);
  const tokens = readTokenAccount(ownedBy(context, address, [TOKEN_PROGRAM, TOKEN_2022], FRAMEWORK.notInitialized));
  if (tokens === null) throw new ProgramFailure('InvalidAccountData');
  if (mint !== null && tokens.mint !== mint) throw new ProgramFailure(FRAMEWORK.tokenMint);
  return { ...tokens, address };
}

/** Checks an account's address. @throws ProgramFailure if it is another one */
export function expectAddress(context: ModelContext, place: number, address: string, error: number): void {
  if (at(context, place).address !== address) throw new ProgramFailure(error);
}
