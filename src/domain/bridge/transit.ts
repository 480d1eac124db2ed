/** Money between the chains: counts it once in a portfolio and against limits. */
import type { OpenProposal } from '../books/book.ts';
import { type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { ReadAccount } from '../portfolio/account.ts';
import { plainInput } from '../portfolio/input-trace.ts';
import type { EpochMs } from '../values/time.ts';
import type { InstrumentKey } from '../market/venue.ts';
import type { ArrivalState, SourceState, TransferState } from './axes.ts';

/** An unfinished transfer, for limits and portfolios. */
export interface TransitAmount {
  readonly id: string;
  readonly amountUsd: DecimalString;
  readonly state: TransferState;
  readonly sourceState: SourceState;
  readonly destinationState: ArrivalState;
  readonly refundState: ArrivalState;
  readonly changedAt: EpochMs;
}

/** Placeholder of the stablecoin among pending purchases. Nothing is quoted or held under this key. */
const STABLE: InstrumentKey = 'spotchain:USDC';

/**
 * Returns the capital that open transfers reserve. Money that has left, or may have left, cannot buy anything on either side. A transfer
 * also reserves its amount before any block includes it.
 */
export function transitReservations(amounts: readonly TransitAmount[]): OpenProposal[] {
  return amounts.map(({ id, amountUsd }) => ({
    id: `bridge:${id}`,
    instrument: STABLE,
    side: 'buy',
    quantity: plainDecimal(amountUsd),
    notionalUsd: plainDecimal(amountUsd),
  }));
}

/** True while neither chain shows the money in a wallet: its source transaction is in a block and its payment or refund is not. */
export function isBetweenChains({ sourceState, destinationState, refundState }: TransitAmount): boolean {
  const hasLeft = sourceState === 'included' || sourceState === 'final';
  const isBack = (state: ArrivalState): boolean => state === 'included' || state === 'final';
  return hasLeft && !isBack(destinationState) && !isBack(refundState);
}

/** Returns an account for each transfer whose money is between the chains: all of it is cash, and unavailable. */
export function transitAccounts(amounts: readonly TransitAmount[]): readonly ReadAccount[] {
  return amounts.filter(isBetweenChains).map(({ id, amountUsd, state, changedAt }) => {
    const place = `bridge:${id}`;
    const input = plainInput({
      id: place,
      kind: 'wallet',
      what: `an amount in transit between the chains, ${state}`,
      value: amountUsd,
      source: `/v1/bridge/status?id=${id}`,
      observedAt: changedAt,
    });
    return {
      place: {
        id: place,
        kind: 'bridge_transfer',
        mode: 'live',
        agentId: null,
        address: null,
        cashUsd: amountUsd,
        reservedUsd: amountUsd,
        quality: 'in_transit',
        positions: [],
        inputs: [place],
      },
      inputs: [input],
    };
  });
}
