/** Member wallets of the sandbox's chain, for users without a wallet. They sign any transaction and can buy a whole curve. */
import { address } from '@solana/kit';
import {
  type PoolKeys,
  type ProgramInstruction,
  readPoolConfig,
  readVirtualPool,
  swapInstruction,
} from '../../domain/launch/curve/program.ts';
import { ownAccount } from '../../domain/solana/common-instructions.ts';
import { readTransaction, listSigners } from '../../domain/solana/message.ts';
import { CURVE_PROGRAM, TOKEN_PROGRAM } from '../../domain/solana/programs.ts';
import { fromBase64 } from '../../domain/solana/verify.ts';
import type { SolanaChain } from './chain.ts';
import { fund, NATIVE } from './genesis.ts';
import { associatedAccount, buildTransaction, computeLimit } from './instructions.ts';
import { type SandboxKey, sandboxKey } from './keys.ts';
import { kitInstruction } from './launch-programs/modelled-machine.ts';
import { decodeTransaction } from './decode-transaction.ts';

/** Lamports with which a curve's buyer pays for accounts and fees. */
const PURSE = 100_000_000n;

/** Returns the wallet of a name, which is the same after every start. */
export function sandboxWallet(name: string): SandboxKey {
  return sandboxKey(`wallet ${name}`);
}

/**
 * Adds the wallet's signature to a transaction and leaves all other bytes unchanged.
 * @throws RangeError if the transaction does not require the wallet's signature
 */
export function signedByWallet(wallet: SandboxKey, base64: string): string {
  const bytes = fromBase64(base64);
  const read = bytes === null ? null : readTransaction(bytes);
  if (bytes === null || read === null || !read.ok) throw new RangeError('transaction must be a transaction in base64');
  const place = listSigners(read.value).indexOf(wallet.address);
  if (place < 0) throw new RangeError(`${wallet.address} does not sign this transaction`);
  const signed = Uint8Array.from(bytes);
  signed.set(wallet.sign(read.value.message), 1 + place * 64);
  return Buffer.from(signed).toString('base64');
}

/** Signs a UTF-8 text as a wallet signs a message. Returns base64. */
export function textSignedByWallet(wallet: SandboxKey, text: string): string {
  return Buffer.from(wallet.sign(Buffer.from(text, 'utf8'))).toString('base64');
}

/** Buys everything that a mint's curve still sells. @throws RangeError if no curve sells the mint */
export function buyOut(chain: SolanaChain, mint: string): string {
  const found = findCurve(chain, mint);
  if (found === null) throw new RangeError(`no curve sells ${mint} at the moment`);
  const { keys, threshold } = found;
  const crowd = sandboxKey('curve crowd');
  const quoteProgram = address(keys.quoteProgram);
  // The fee is charged on top of the collected amount, and never exceeds it.
  const amount = threshold * 2n;
  fund(chain, crowd.address, NATIVE, PURSE);
  fund(chain, crowd.address, keys.quoteMint, amount);
  const swap = swapInstruction(keys, {
    direction: 'buy',
    mode: 'partialFill',
    amount,
    bound: 0n,
    trader: crowd.address,
    baseAccount: associatedAccount(crowd.address, address(mint), address(TOKEN_PROGRAM)),
    quoteAccount: associatedAccount(crowd.address, address(keys.quoteMint), quoteProgram),
  });
  const instructions: readonly ProgramInstruction[] = [ownAccount(crowd.address, crowd.address, mint, TOKEN_PROGRAM), swap];
  const { blockhash } = chain.latestBlockhash('processed');
  const plan = { version: 0, feePayer: crowd.address, blockhash, signers: [crowd] } as const;
  const bytes = buildTransaction({ ...plan, instructions: [computeLimit(400_000), ...instructions.map(kitInstruction)] });
  const landed = chain.landNow(decodeTransaction(bytes));
  if (landed === null || landed.run.error !== null)
    throw new RangeError(`the curve of ${mint} was not bought out: ${JSON.stringify(landed?.run.error ?? 'it did not land')}`);
  return landed.signature;
}

function findCurve(chain: SolanaChain, mint: string): { readonly keys: PoolKeys; readonly threshold: bigint } | null {
  for (const account of chain.owned(address(CURVE_PROGRAM), 'processed')) {
    const pool = readVirtualPool(account.data as Uint8Array);
    if (pool?.baseMint !== mint) continue;
    const config = readPoolConfig((chain.account(address(pool.config), 'processed')?.data ?? new Uint8Array()) as Uint8Array);
    const quoteProgram = config === null ? undefined : chain.account(address(config.quoteMint), 'processed')?.programAddress;
    if (config === null || quoteProgram === undefined || pool.quoteReserve >= config.migrationQuoteThreshold) return null;
    const keys = { config: pool.config, baseMint: mint, quoteMint: config.quoteMint, quoteProgram };
    return { keys, threshold: config.migrationQuoteThreshold };
  }
  return null;
}
