/** Checks that every unsigned transaction passes before it is prepared, whatever its source. */
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import type { WireTransaction } from '../../src/domain/solana/message.ts';
import type { ChainClient } from './chain-client.ts';
import type { ResolvedLookup } from './machine.ts';

/**
 * Maximum blocks ahead. A blockhash is valid for 150 blocks, and an answer may be a little ahead. A much later one would reserve capacity
 * for as long.
 */
const MOST_BLOCKS_AHEAD = 300;

/** Returns why a message that could land up to this height must not be prepared, or null. @throws if no node answers. */
export async function lifetimeObjection(chain: Pick<ChainClient, 'blockHeight'>, lastValidBlockHeight: number): Promise<string | null> {
  const ahead = lastValidBlockHeight - (await chain.blockHeight('confirmed'));
  if (ahead > 0 && ahead <= MOST_BLOCKS_AHEAD) return null;
  return `it would be valid for ${ahead} more blocks; 1 to ${MOST_BLOCKS_AHEAD} are right`;
}

/** Resolves the lookup-table entries of a message. Refuses if a table has no such entry. @throws if no node answers. */
export async function resolvedLookups(
  chain: Pick<ChainClient, 'lookupTable'>,
  { lookups }: Pick<WireTransaction, 'lookups'>,
): Promise<Outcome<readonly ResolvedLookup[]>> {
  const resolved: ResolvedLookup[] = [];
  for (const { table, writable, readonly } of lookups) {
    const held = await chain.lookupTable(table);
    const places = [...writable, ...readonly];
    const addresses = places.flatMap((place) => held?.[place] ?? []);
    if (held === null || addresses.length < places.length)
      return refuse('route_refused', `lookup table ${table} lacks an entry that the transaction names`);
    resolved.push({ table, places, addresses });
  }
  return { ok: true, value: resolved };
}

/** Returns the addresses of resolved lookups at their indexes, by table. */
export function groupLookups(lookups: readonly ResolvedLookup[]): ReadonlyMap<string, readonly string[]> {
  const tables = new Map<string, string[]>();
  for (const { table, places, addresses } of lookups) {
    const held = tables.get(table) ?? [];
    for (const [index, place] of places.entries()) held[place] = addresses[index] as string;
    tables.set(table, held);
  }
  return tables;
}
