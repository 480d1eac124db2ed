/** A provider's quote for moving the stablecoin between the two chains, fee by fee. */
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import { type Outcome, refuse } from '../values/refusal.ts';
import type { EpochMs } from '../values/time.ts';

/** Ends of a transfer, with their names on the wire. */
export const BRIDGE_CHAINS = ['spotchain', 'evmvenue'] as const;
export type BridgeChain = (typeof BRIDGE_CHAINS)[number];

/** Supported providers. `relay` fills from its own money. `cctp` burns on one chain and mints on the other. */
export const BRIDGE_PROVIDERS = ['relay', 'cctp'] as const;
export type BridgeProviderName = (typeof BRIDGE_PROVIDERS)[number];
export type BridgeProviderKind = 'intent' | 'canonical';

/** The only token transferred. It has the same decimals on both chains. */
const BRIDGE_TOKEN = 'USDC';
export const BRIDGE_DECIMALS = 6;
/** Minimum amount of a transfer in US dollars. Fixed fees would take most of a smaller one. */
const LEAST_BRIDGE_USD = '1';
const MOST_BRIDGE_USD = '10000000';

/** Requested transfer. Its addresses have been validated for their chains. */
export interface BridgeWish {
  readonly from: BridgeChain;
  readonly to: BridgeChain;
  readonly token: typeof BRIDGE_TOKEN;
  /** US dollars with up to six decimals. */
  readonly amount: DecimalString;
  readonly sender: string;
  readonly recipient: string;
}

/** One fee. If `included`, it is taken out of the amount. Otherwise it is paid on top, usually in the chain's native coin. */
export interface FeeLine {
  readonly name: string;
  /** Fee in US dollars, negative for a subsidy. Null if it is paid in the native coin and the coin has no price. */
  readonly amountUsd: DecimalString | null;
  readonly included: boolean;
}

/** An EVM transaction for the sender to sign. The wallet chooses nonce and gas. */
export interface UnsignedEvmTransaction {
  readonly kind: 'evm';
  readonly chainId: number;
  readonly from: string;
  readonly to: string;
  readonly data: string;
  /** Wei, a whole number as text. */
  readonly value: string;
}

/** An approval that must be mined before the transaction, or null if the allowance suffices. */
export interface EvmApproval extends UnsignedEvmTransaction {
  readonly spender: string;
  /** Base units. */
  readonly amount: string;
}

/** Offer of a provider. Amounts are base units as text. */
export interface BridgeOffer {
  readonly provider: BridgeProviderName;
  readonly kind: BridgeProviderKind;
  /** The provider's id of the request, or null if only the source transaction identifies a transfer. */
  readonly reference: string | null;
  readonly amountIn: string;
  /** Expected amount of the arrival. */
  readonly amountOut: string;
  readonly minimumOut: string;
  readonly fees: readonly FeeLine[];
  /** Steps of the route in words, in order. */
  readonly route: readonly string[];
  readonly estimatedSeconds: number;
  readonly expiresAt: EpochMs;
}

const AMOUNT = /^\d{1,12}(\.\d{1,6})?$/;

/** Converts a dollar amount to base units. Refuses with `malformed` if it is not an amount, too small or too large. */
export function toBaseUnits(amount: DecimalString): Outcome<string> {
  if (!AMOUNT.test(amount))
    return refuse('malformed', `$.amount: ${amount.slice(0, 40)} is not an amount with at most ${BRIDGE_DECIMALS} decimals`);
  if (new Decimal(amount).lt(LEAST_BRIDGE_USD))
    return refuse('malformed', `$.amount: at least ${LEAST_BRIDGE_USD} ${BRIDGE_TOKEN} is bridged, not ${amount}`);
  if (new Decimal(amount).gt(MOST_BRIDGE_USD))
    return refuse('malformed', `$.amount: at most ${MOST_BRIDGE_USD} ${BRIDGE_TOKEN} is bridged at once`);
  return { ok: true, value: new Decimal(amount).times(10 ** BRIDGE_DECIMALS).toFixed(0) };
}

/** Converts base units to US dollars, exactly. */
export function toUsd(base: string | bigint): DecimalString {
  return plainDecimal(new Decimal(String(base)).div(10 ** BRIDGE_DECIMALS));
}

/** Returns why a pair is not supported, or null. */
export function pairObjection(from: string, to: string, token: string): string | null {
  if (token !== BRIDGE_TOKEN) return `$.token: only ${BRIDGE_TOKEN} is bridged, not ${token.slice(0, 20)}`;
  if (from === to) return `$.to: a transfer leads from ${from} to the other chain, ${from === 'spotchain' ? 'evmvenue' : 'spotchain'}`;
  return null;
}

/**
 * Returns why an offer is invalid, or null. The included fees must explain the difference between both amounts. An unexplained difference
 * above a tenth of a cent is a loss, not a fee.
 */
export function offerObjection({ provider, amountIn, amountOut, minimumOut, fees, estimatedSeconds }: BridgeOffer): string | null {
  const [given, out, least] = [BigInt(amountIn), BigInt(amountOut), BigInt(minimumOut)];
  if (out <= 0n || least <= 0n) return `${provider} would deliver nothing of ${toUsd(given)}: the amount does not cover the fees`;
  if (least > out) return `${provider} promises at least ${toUsd(least)} and expects ${toUsd(out)}`;
  if (out > given) return `${provider} would deliver ${toUsd(out)} for ${toUsd(given)}`;
  if (!Number.isSafeInteger(estimatedSeconds) || estimatedSeconds < 1 || estimatedSeconds > 86_400)
    return `${provider} estimates ${estimatedSeconds} seconds; 1 to 86400 are right`;
  const named = fees.reduce((sum, fee) => (fee.included ? sum.plus(fee.amountUsd ?? 0) : sum), new Decimal(0));
  const taken = new Decimal(toUsd(given - out));
  if (named.minus(taken).abs().gt('0.001')) return `${provider} takes ${plainDecimal(taken)} and names fees of ${plainDecimal(named)}`;
  return null;
}
