/** Commands of bridge transfers, as the API calls them. */
import type { ActorState } from '../../src/domain/agents/actor-step.ts';
import type { TransferState } from '../../src/domain/bridge/axes.ts';
import type { BridgePreference } from '../../src/domain/bridge/comparison.ts';
import { type BridgeProviderName, usdOf } from '../../src/domain/bridge/quote.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { CommandContext } from '../agent/commands.ts';
import type { BridgeTransferContext } from './protocol.ts';
import { type BridgeTransfer, bridgeTransfer } from './resource.ts';

/** Message for a transfer that does not exist or belongs to another organization. */
export const NO_TRANSFER = 'there is no bridge transfer with this id';

export interface BridgeQuoteWish {
  readonly from: string;
  readonly to: string;
  readonly token: string;
  readonly amount: string;
  readonly sender: string;
  readonly recipient: string;
  readonly preference: BridgePreference;
  /** Provider to use, or null for any. */
  readonly provider: BridgeProviderName | null;
}

/** The signed transaction, or the hash of one that the wallet sent itself. */
export type BridgeSubmitted = { readonly signedTransaction: string } | { readonly hash: string };

/** Commands of bridge transfers. Each answers after its transaction has committed. Transfers of another organization are `not_found`. */
export interface BridgeCommands {
  /** Asks every provider, takes the best offer and stores it with its unsigned transaction. Changes nothing on any chain. */
  quote(context: CommandContext, wish: BridgeQuoteWish): Promise<Outcome<BridgeTransfer>>;
  /** Submits the signed transaction or its hash. Repeating the same submission returns the transfer's present state. */
  submit(context: CommandContext, id: string, submitted: BridgeSubmitted): Promise<Outcome<BridgeTransfer>>;
}

export function transferContext(state: Pick<ActorState, 'context'>): BridgeTransferContext {
  return state.context as unknown as BridgeTransferContext;
}

/** Returns the public state: that of the inner chart while the transfer is followed. */
export function transferState({ value }: Pick<ActorState, 'value'>): TransferState {
  return (typeof value === 'object' && value !== null && 'tracking' in value ? value['tracking'] : value) as TransferState;
}

/** Returns the transfer after a step. */
export function transferView(id: string, state: Pick<ActorState, 'context' | 'value'>, changedAt: EpochMs): BridgeTransfer {
  const context = transferContext(state);
  const { wish, source, amountIn } = context;
  const derived = { from: wish.from, to: wish.to, amountUsd: usdOf(amountIn), transaction: source };
  return bridgeTransfer.pick({ ...derived, id, state: transferState(state), changedAt }, context);
}
