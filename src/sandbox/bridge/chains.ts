/** Access of the bridge simulators to both chains: they find deposits and make payments. */
import { createHash } from 'node:crypto';
import { address, getBase58Decoder } from '@solana/kit';
import type { EvmLedger } from '../evmchain/evm-ledger.ts';
import type { Landed, SolanaChain } from '../solana/chain.ts';
import { fund } from '../solana/genesis.ts';
import {
  associatedAccount,
  buildTransaction,
  computeLimit,
  createAssociatedAccount,
  TOKEN,
  transferChecked,
} from '../solana/instructions.ts';
import { sandboxKey } from '../solana/keys.ts';
import { decodeTransaction } from '../solana/decode-transaction.ts';

/** Payer on the EVM chain: a solver, or the forwarder of an issuer. */
const PAYER = `0x${'f7'.repeat(20)}`;

export interface BridgeChains {
  readonly solana: SolanaChain;
  readonly evm: EvmLedger;
  readonly stable: { readonly mint: string; readonly decimals: number };
  readonly token: string;
}

export type Side = 'spotchain' | 'evmvenue';

/** Payer on the primary chain. */
const SOLVER = sandboxKey('bridge solver');
const SOLVER_LAMPORTS = 1_000_000_000_000n;
let payments = 0;

/** Pays on Solana from a solver with unlimited funds. Creates the recipient's token account if missing. */
function paySolana({ solana, stable }: BridgeChains, to: string, amount: bigint): string {
  const mint = address(stable.mint);
  const held = solana.account(SOLVER.address, 'processed')?.lamports ?? 0n;
  if (held < SOLVER_LAMPORTS / 2n) fund(solana, SOLVER.address, 'SOL', SOLVER_LAMPORTS);
  fund(solana, SOLVER.address, stable.mint, amount);
  const owner = address(to);
  const move = {
    program: TOKEN,
    mint,
    decimals: stable.decimals,
    from: associatedAccount(SOLVER.address, mint, TOKEN),
    to: associatedAccount(owner, mint, TOKEN),
    authority: SOLVER.address,
    amount,
  };
  const transaction = decodeTransaction(
    buildTransaction({
      version: 0,
      feePayer: SOLVER.address,
      blockhash: solana.latestBlockhash('processed').blockhash,
      // Makes equal payments in one slot distinct transactions.
      instructions: [
        computeLimit(200_000 + (++payments % 100_000)),
        createAssociatedAccount(SOLVER.address, owner, mint, TOKEN),
        transferChecked(move),
      ],
      signers: [SOLVER],
    }),
  );
  if (solana.landNow(transaction)?.run.error !== null) throw new Error(`the solver's payment of ${amount} to ${to} does not land`);
  return transaction.signature;
}

/** Pays base units to an address on one of the chains. Returns the transaction hash or signature. */
export function pay(chains: BridgeChains, side: Side, to: string, amount: bigint): string {
  const { evm, token } = chains;
  return side === 'spotchain' ? paySolana(chains, to, amount) : evm.pay(PAYER, to, token, amount);
}

/** Makes a payment that fails on the EVM chain, or pays `stranger` on the primary chain. Returns its hash or signature. */
export function payBadly(chains: BridgeChains, side: Side, stranger: string): string {
  return side === 'evmvenue' ? chains.evm.payBadly(PAYER, chains.token) : paySolana(chains, stranger, 1n);
}

/** Returns the depth of a source transaction. */
export function depth({ solana, evm }: BridgeChains, side: Side, hash: string): 'none' | 'included' | 'final' {
  if (side === 'evmvenue') {
    const landed = evm.landed(hash);
    if (landed === null || landed.status === 'reverted') return 'none';
    return landed.block <= evm.final() ? 'final' : 'included';
  }
  const landed = solana.landed(hash);
  if (landed === null || landed.run.error !== null) return 'none';
  const depthReached = solana.commitmentOf(landed.slot);
  return depthReached === 'finalized' ? 'final' : depthReached === 'confirmed' ? 'included' : 'none';
}

/** Returns the successful transactions of the primary chain that name an address, newest first. */
export function succeeded({ solana }: Pick<BridgeChains, 'solana'>, at: string): readonly Landed[] {
  return solana.historyOf(address(at)).filter(({ run }) => run.error === null);
}

/** Returns a transaction hash or signature that the chain does not have. */
export function nameOfNothing(side: Side, seed: string): string {
  const hash = createHash('sha512').update(`nothing ${seed}`).digest();
  return side === 'evmvenue' ? `0x${hash.subarray(0, 32).toString('hex')}` : getBase58Decoder().decode(hash);
}
