/** Byte and account layout of the aggregator's routes. Pages load this file too, so it must not use Node. */
import { readUint } from '../launch/byte-struct.ts';

/** Role of an account in a route. An optional account that is missing is the program's own address. */
export type RouteAccount =
  | 'tokenProgram'
  | 'programAuthority'
  | 'user'
  | 'source'
  | 'programSource'
  | 'programDestination'
  | 'destination'
  | 'otherDestination'
  | 'inputMint'
  | 'outputMint'
  | 'platformFee'
  | 'token2022'
  | 'tokenLedger'
  | 'eventAuthority'
  | 'program';

/** Amount that a route fixes: the input, the output, or the amount received since the ledger was set. */
type RouteKind = 'exactIn' | 'exactOut' | 'ledger';

interface RouteLayout {
  readonly name: string;
  readonly kind: RouteKind;
  /** True if the authority's number comes before the plan. */
  readonly hasId: boolean;
  /** Accounts before those of the pools, in order. */
  readonly accounts: readonly RouteAccount[];
}

/** A completely decoded route. Amounts in raw units, slippage and fee in basis points. */
export interface Route extends RouteLayout {
  /** Number of the aggregator's authority, or null if it trades from the user's own accounts. */
  readonly id: number | null;
  /** Input amount, or 0 if the amount received since the ledger was set is swapped. */
  readonly given: bigint;
  readonly quoted: bigint;
  readonly slippage: bigint;
  /** Fee taken out of the swapped amount for the owner of the fee account. */
  readonly platformFee: bigint;
}

const OWN = ['tokenProgram', 'user', 'source', 'destination', 'otherDestination'] as const;
const SHARED = [
  'tokenProgram',
  'programAuthority',
  'user',
  'source',
  'programSource',
  'programDestination',
  'destination',
  'inputMint',
  'outputMint',
  'platformFee',
  'token2022',
] as const;
const EVENTS = ['eventAuthority', 'program'] as const;

/** Layouts by their first eight bytes, from the program's published interface (Anchor IDL 0.1.0). */
const ROUTES: Readonly<Record<string, RouteLayout>> = {
  e517cb977ae3ad2a: { name: 'route', kind: 'exactIn', hasId: false, accounts: [...OWN, 'outputMint', 'platformFee', ...EVENTS] },
  c1209b3341d69c81: { name: 'shared_accounts_route', kind: 'exactIn', hasId: true, accounts: [...SHARED, ...EVENTS] },
  d033ef977b2bed5c: {
    name: 'exact_out_route',
    kind: 'exactOut',
    hasId: false,
    accounts: [...OWN, 'inputMint', 'outputMint', 'platformFee', 'token2022', ...EVENTS],
  },
  b0d169a89a7d453e: { name: 'shared_accounts_exact_out_route', kind: 'exactOut', hasId: true, accounts: [...SHARED, ...EVENTS] },
  '96564774a75d0e68': {
    name: 'route_with_token_ledger',
    kind: 'ledger',
    hasId: false,
    accounts: [...OWN, 'outputMint', 'platformFee', 'tokenLedger', ...EVENTS],
  },
  e6798f50779f6aaa: {
    name: 'shared_accounts_route_with_token_ledger',
    kind: 'ledger',
    hasId: true,
    accounts: [...SHARED, 'tokenLedger', ...EVENTS],
  },
};

/** Length of the bytes after a step's venue number. Numbers from `KNOWN_VENUES` on are unknown. */
const VENUE_BYTES: ReadonlyMap<number, number> = new Map([
  ...[8, 12, 15, 16, 17, 18, 21, 23, 24, 27, 28, 39, 58, 60, 61, 64].map((venue) => [venue, 1] as const),
  ...([
    [29, 16],
    [33, 4],
    [41, 4],
    [42, 3],
    [43, 10],
    [44, 5],
    [45, 5],
    [71, 2],
  ] as const),
]);
const KNOWN_VENUES = 75;
/** Number of a venue with a variable list: a direction, a flag, and if that is set a list of byte pairs. */
const VENUE_WITH_LIST = 47;

class Unreadable extends Error {}

/** Returns a reader of consecutive bytes. @throws Unreadable if they end too early. */
function createReader(data: Uint8Array) {
  let at = 8;
  const uint = (length: number): bigint => {
    if (at + length > data.length) throw new Unreadable();
    at += length;
    return readUint(data, at - length, length);
  };
  return { uint, skip: (length: number) => void uint(length), atEnd: () => at === data.length };
}

function skipPlan({ uint, skip }: ReturnType<typeof createReader>): void {
  for (let steps = uint(4); steps > 0n; steps--) {
    const venue = Number(uint(1));
    if (venue >= KNOWN_VENUES) throw new Unreadable();
    skip(venue === VENUE_WITH_LIST ? 1 : (VENUE_BYTES.get(venue) ?? 0));
    if (venue === VENUE_WITH_LIST && uint(1) !== 0n) skip(Number(uint(4)) * 2);
    // The percentage, the input index and the output index.
    skip(3);
  }
}

/**
 * Reads an instruction of the aggregator completely, like the program does. Bytes after the last field are ignored. Null if it is not a
 * route or has a step of an unknown venue.
 */
export function readRoute(data: Uint8Array): Route | null {
  const layout = ROUTES[Array.from(data.subarray(0, 8), (byte) => byte.toString(16).padStart(2, '0')).join('')];
  if (layout === undefined) return null;
  const reader = createReader(data);
  try {
    const id = layout.hasId ? Number(reader.uint(1)) : null;
    skipPlan(reader);
    const first = layout.kind === 'ledger' ? 0n : reader.uint(8);
    const second = reader.uint(8);
    const [given, quoted] = layout.kind === 'exactOut' ? [second, first] : [first, second];
    const [slippage, platformFee] = [reader.uint(2), reader.uint(1)];
    return reader.atEnd() ? { ...layout, id, given, quoted, slippage, platformFee } : null;
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

/** Returns the minimum output of an exact-in route. */
export function computeLeast({ quoted, slippage }: Pick<Route, 'quoted' | 'slippage'>): bigint {
  return (quoted * (10_000n - slippage)) / 10_000n;
}

/** Returns the account of the platform's fee, or null if the route has none. */
export function findFeeAccount({ accounts }: Pick<Route, 'accounts'>, named: readonly string[]): string | null {
  return named[accounts.indexOf('platformFee')] ?? null;
}
