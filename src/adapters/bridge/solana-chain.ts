/** Client of the primary chain for bridge transfers. */
import type { SourceSighting } from '../../domain/bridge/axes.ts';
import type { ArrivalSighting, ChainHead, TransferTerms } from '../../domain/bridge/transfer.ts';
import { fromBase58 } from '../../domain/solana/base58.ts';
import type { BalanceChanges } from '../../domain/solana/chain.ts';
import { depositObjection } from '../../domain/solana/prediction-deposit.ts';
import { fromBase64 } from '../../domain/solana/verify.ts';
import type { SolanaRpc } from '../solana/rpc.ts';

/** Confirmations of a confirmed transaction: the node reports no number. */
const CONFIRMED = 1;
const FINALIZED = 32;

/** Reads and broadcasts through one node. @throws NodeError if it does not answer */
export function createSolanaBridgeChain(
  node: Pick<SolanaRpc, 'status' | 'transaction' | 'blockHeight' | 'broadcast' | 'head'>,
  mint: string,
) {
  async function source({ hash, source: quoted }: TransferTerms): Promise<SourceSighting> {
    if (hash === null || quoted.kind !== 'solana') throw new Error('the transfer has no source transaction on the primary chain');
    const known = await landing(hash, quoted);
    if (known !== null) return known;
    if ((await node.blockHeight('finalized')) <= quoted.prepared.lastValidBlockHeight)
      return { state: 'unseen', confirmations: 0, detail: null };
    // The second proof is read only if the first one holds.
    return (
      (await landing(hash, quoted)) ?? {
        state: 'expired',
        confirmations: 0,
        detail: `the transaction is not on the chain, which is past block height ${quoted.prepared.lastValidBlockHeight}`,
      }
    );
  }

  async function landing(hash: string, quoted: TransferTerms['source'] & { readonly kind: 'solana' }): Promise<SourceSighting | null> {
    const { state, error } = await node.status(hash);
    if (state === 'unseen') return null;
    if (state === 'processed') return { state: 'unseen', confirmations: 0, detail: 'a node has processed it' };
    if (state === 'confirmed') return { state: 'included', confirmations: CONFIRMED, detail: error };
    const landed = await node.transaction(hash);
    if (landed === null) return { state: 'included', confirmations: CONFIRMED, detail: null };
    if (landed.error !== null) return { state: 'failed', confirmations: FINALIZED, detail: landed.error };
    const broken = depositObjection(landed.changes, quoted);
    return broken === null
      ? { state: 'final', confirmations: FINALIZED, detail: null }
      : { state: 'other', confirmations: FINALIZED, detail: broken };
  }

  async function arrival(hash: string, recipient: string): Promise<ArrivalSighting> {
    const unseen: ArrivalSighting = { state: 'none', hash, amount: null, block: null };
    if (fromBase58(hash)?.length !== 64) return { ...unseen, state: 'failed' };
    const { state, slot, error } = await node.status(hash);
    if (state === 'unseen' || state === 'processed' || slot === null) return unseen;
    const block: ChainHead = { height: slot, at: null };
    const landed = state === 'finalized' ? await node.transaction(hash) : null;
    // Payments are known for final transactions only.
    if (landed === null) return error === null ? { state: 'included', hash, amount: null, block } : unseen;
    const paid = paidTo(landed.changes, mint, recipient);
    if (landed.error !== null || paid <= 0n) return { state: 'failed', hash, amount: null, block };
    return { state: 'final', hash, amount: String(paid), block };
  }

  return {
    chain: 'spotchain' as const,
    head: () => node.head(),
    source,
    arrival,
    broadcast(signed: string, leftMs?: () => number) {
      const bytes = fromBase64(signed);
      if (bytes === null) throw new Error('stored signed bytes are not base64');
      return node.broadcast(bytes, leftMs);
    },
  };
}

/** Returns the payments of a transaction to an owner in one token, in base units. */
function paidTo({ tokens }: BalanceChanges, token: string, recipient: string): bigint {
  const own = tokens.filter(({ owner, mint }) => owner === recipient && mint === token);
  return own.reduce((sum, { before, after }) => sum + BigInt(after) - BigInt(before), 0n);
}
