/** Quotes and transfers on the wire. */
import { Type } from 'typebox';
import { type BridgeTransfer, bridgeTransfer } from '../../../actors/bridge-transfer/resource.ts';
import { type ArrivalAxis, attentionWords } from '../../../src/domain/bridge/axes.ts';
import { usdOf } from '../../../src/domain/bridge/quote.ts';
import { type EpochMs, isoTimeOrNull } from '../../../src/domain/values/time.ts';
import { transferProgress } from '../../../src/domain/values/work-progress.ts';
import { WORK_FIELDS } from '../../../src/core/work-fields.ts';

export const BridgeTransferBody = Type.Object({ ...bridgeTransfer.wire, ...WORK_FIELDS }, { $id: 'BridgeTransfer' });

function arrivalBody({ state, hash, amount }: ArrivalAxis) {
  return { state, hash, amountUsd: amount === null ? null : usdOf(amount) };
}

function transactionBody({ transaction }: BridgeTransfer): object {
  if (transaction.kind === 'evm') return transaction;
  const { digest, requiredSigners, blockhash, lastValidBlockHeight } = transaction.prepared;
  const { kind, wallet, unsignedBase64: unsigned } = transaction;
  return { kind, wallet, unsigned, digest, requiredSigners: [...requiredSigners], blockhash, lastValidBlockHeight };
}

export function bridgeTransferBody(view: BridgeTransfer, at: EpochMs) {
  const { provider, source, destination, refund } = view.axes;
  const { token, amount, sender, recipient } = view.wish;
  return {
    ...bridgeTransfer.body(view, {
      providerKind: view.kind,
      token,
      amount,
      sender,
      recipient,
      expectedReceived: usdOf(view.amountOut),
      minimumReceived: usdOf(view.minimumOut),
      alternatives: view.alternatives.map(({ provider: name, minimumOut, costUsd, estimatedSeconds, fees }) => ({
        provider: name,
        minimumReceived: usdOf(minimumOut),
        costUsd,
        estimatedSeconds,
        fees: fees.map((fee) => ({ ...fee })),
      })),
      transaction: transactionBody(view),
      axes: {
        provider: { state: provider.state, said: provider.said, reason: provider.reason, silentSince: isoTimeOrNull(provider.silentSince) },
        source: { ...source, includedAt: isoTimeOrNull(source.includedAt) },
        destination: arrivalBody(destination),
        refund: arrivalBody(refund),
      },
      attentions: view.attentions.map((code) => ({ code, words: attentionWords(code) })),
      delayed: view.delayedAt !== null,
    }),
    ...transferProgress(view, at),
  };
}
