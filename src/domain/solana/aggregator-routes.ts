/** How the aggregator's routes are laid out as bytes. Pages load this file too: it names nothing of Node. */
import { readUint } from '../launch/byte-struct.ts';

/** Where a route's accounts stand. The program's own address stands for an account that is not given. */
export interface RouteLayout {
  readonly authority: number;
  readonly source: number;
  readonly destinations: readonly number[];
  /** How many accounts come before those of the pools. */
  readonly named: number;
}

/** By the first eight bytes: of `route` and `shared_accounts_route`. */
const ROUTES: Readonly<Record<string, RouteLayout>> = {
  e517cb977ae3ad2a: { authority: 1, source: 2, destinations: [3, 4], named: 9 },
  c1209b3341d69c81: { authority: 2, source: 3, destinations: [6], named: 13 },
};
/** After the plan: the amount given (8), the amount quoted (8), the slippage (2) and the platform's fee (1). */
const ROUTE_TAIL = 19;

/** Raw units; the slippage in basis points. */
export interface RouteAmounts {
  readonly given: bigint;
  readonly quoted: bigint;
  readonly slippage: bigint;
}

/** The layout of an instruction of the aggregator; null where it is no route. */
export function routeLayout(data: Uint8Array): RouteLayout | null {
  return ROUTES[Array.from(data.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('')] ?? null;
}

/** What a route gives and was quoted to bring; null where its data is cut off. */
export function routeAmounts(data: Uint8Array): RouteAmounts | null {
  const tail = data.length - ROUTE_TAIL;
  if (tail < 8) return null;
  return { given: readUint(data, tail, 8), quoted: readUint(data, tail + 8, 8), slippage: readUint(data, tail + 16, 2) };
}

/** What a route has to bring at least. */
export function leastOf({ quoted, slippage }: RouteAmounts): bigint {
  return (quoted * (10_000n - slippage)) / 10_000n;
}
