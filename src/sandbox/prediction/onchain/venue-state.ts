/** State of the prediction venues' on-chain counterpart: orders with their histories, positions, and the units of amounts. */
import type { Address } from '@solana/kit';
import type { Clock } from '../../../../streams/clock/clock.ts';
import type { SolanaChain } from '../../solana/chain.ts';
import type { SandboxKey } from '../../solana/keys.ts';
import type { SeededQuestion, SeededQuestions, Venue } from '../seeded-questions.ts';

/** Micro-units of a dollar and of a contract. */
export const MICRO = 1_000_000n;
/** Smallest step of a fill: a hundredth of a contract, in micro-units. */
export const HUNDREDTH = 10_000n;
const FEE_RATE = 0.07;

export interface HistoryRow {
  readonly id: number;
  readonly eventType: 'order_created' | 'order_filled' | 'order_failed' | 'order_closed';
  readonly signature: string;
  readonly at: number;
  readonly filledMicro: bigint;
  readonly priceMicro: bigint;
  readonly feeMicro: bigint;
  readonly returned: bigint | null;
}

export interface OrderRecord {
  readonly externalId: string;
  readonly account: SandboxKey;
  readonly escrow: Address;
  readonly position: Address;
  readonly owner: Address;
  readonly marketId: string;
  readonly venue: Venue;
  readonly question: SeededQuestion;
  readonly isYes: boolean;
  readonly isBuy: boolean;
  readonly deposit: bigint;
  readonly contractsMicro: bigint;
  readonly limitMicro: bigint;
  readonly history: HistoryRow[];
  keptUntil: number;
}

/** State of one venue and its dependencies. */
export interface VenueState {
  readonly questions: SeededQuestions;
  readonly chain: SolanaChain;
  /** Stablecoin; `mint` is its address on the chain. */
  readonly stable: { readonly mint: Address; readonly decimals: number };
  readonly clock: Clock;
  /** Orders by the address of their account. */
  readonly orders: Map<string, OrderRecord>;
  /** Micro-contracts by position address. */
  readonly positions: Map<string, bigint>;
  readonly positionMarkets: Map<string, string>;
  /** Number of history rows, and of issued names. */
  readonly counts: { events: number; made: number };
}

export const computeNotional = (contractsMicro: bigint, priceMicro: bigint): bigint => (contractsMicro * priceMicro) / MICRO;

/** Returns the fee of a trade in micro-dollars, rounded up to a cent. */
export function computeFee(contractsMicro: bigint, priceMicro: bigint): bigint {
  const price = Number(priceMicro) / 1e6;
  const cents = Math.ceil(Number(contractsMicro) * 1e-6 * FEE_RATE * price * (1 - price) * 100 - 1e-9);
  return BigInt(Math.max(0, cents)) * 10_000n;
}

export function note({ counts, clock }: VenueState, order: OrderRecord, row: Omit<HistoryRow, 'id' | 'at'>): void {
  order.history.push({ id: ++counts.events, at: clock.now(), ...row });
}

export const isClosed = ({ history }: OrderRecord): boolean => history.some(({ eventType }) => eventType === 'order_closed');

/** Returns the spent part of the deposit with fees, in micro-dollars. */
export const sumSpent = ({ history }: OrderRecord): bigint =>
  history.reduce((sum, row) => sum + computeNotional(row.filledMicro, row.priceMicro) + row.feeMicro, 0n);

export const sumFilled = ({ history }: OrderRecord): bigint => history.reduce((sum, { filledMicro }) => sum + filledMicro, 0n);
