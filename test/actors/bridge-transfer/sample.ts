// Initial quoted transfer, and the events that may reach it.
import type { BridgeAnswer, BridgeTransferInput } from '../../../actors/bridge-transfer/machine.ts';
import type { ActorEvent } from '../../../src/domain/agents/actor-step.ts';
import { NO_ARRIVAL, type Sighting } from '../../../src/domain/bridge/axes.ts';

export const NOW = 1_800_000_000_000;
export const ORG = '00000000-0000-7000-8000-000000000001';
export const TRANSFER = '5b1f6a0e-93c4-8d21-9a7e-2f1c40d6b8aa';

export const QUOTED: BridgeTransferInput = {
  wish: { from: 'evmvenue', to: 'spotchain', token: 'USDC', amount: '100', sender: '0xSender', recipient: 'Recipient' },
  provider: 'relay',
  kind: 'intent',
  reference: '0xid',
  amountIn: '100000000',
  amountOut: '99900000',
  minimumOut: '99900000',
  fees: [{ name: 'solver', amountUsd: '0.1', included: true }],
  route: ['deposit'],
  estimatedSeconds: 5,
  expiresAt: NOW + 180_000,
  source: { kind: 'evm', chainId: 42_161, from: '0xSender', to: '0xTo', data: '0x01', value: '0', approval: null },
  heads: { spotchain: { height: 1_000, at: null }, evmvenue: { height: 1_000, at: null } },
  explanation: 'it is the only offer',
  alternatives: [],
  quotedBy: 'ann',
  epoch: 0,
  createdAt: NOW,
};

export const done = (answer: BridgeAnswer): ActorEvent => ({ type: 'activity.done', key: 'k', kind: 'any', answer });
export const submission = (at = NOW + 1_000, signed: string | null = '0xsigned'): ActorEvent => ({
  type: 'submit',
  signed,
  hash: '0xhash',
  nonce: 3,
  subject: 'ann',
  at,
});

/** Returns a check that saw only the given changes. */
export function look(at: number, change: Partial<Sighting> = {}): ActorEvent {
  return done({
    outcome: 'seen',
    sighting: { at, provider: says('unseen').provider ?? null, source: null, destination: null, refund: null, ...change },
  });
}
export const source = (state: 'unseen' | 'included' | 'final' | 'failed' | 'expired' | 'other'): Partial<Sighting> => ({
  source: { state, confirmations: state === 'unseen' ? 0 : 1, detail: null },
});
export const says = (state: NonNullable<Sighting['provider']>['state']): Partial<Sighting> => ({
  provider: { state, said: state, reason: null, fillHash: state === 'filled' ? 'f' : null, refundHash: state === 'refunded' ? 'r' : null },
});
export const arrived = (state: 'included' | 'final' | 'failed', amount = '99900000'): Partial<Sighting> => ({
  destination: { ...NO_ARRIVAL, state, hash: 'f', amount },
});
export const refunded = (state: 'included' | 'final', amount = '100000000'): Partial<Sighting> => ({
  refund: { ...NO_ARRIVAL, state, hash: 'r', amount },
});
