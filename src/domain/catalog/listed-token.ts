/** Agent tokens, which are listed at run time and are instruments of the catalog while their listing lasts. */
import { CATALOG, type Catalog, type CatalogEntry } from './catalog.ts';
import { TOKEN_PROGRAM } from '../solana/programs.ts';
import { nameProblem } from '../take/thesis-assets.ts';
import type { EpochMs } from '../values/time.ts';
import { type InstrumentKey, instrumentKey } from '../market/venue.ts';

/** Origin of a launched token. Curve fields are null if it was launched without a curve. */
export interface TokenOrigin {
  /** Base58. */
  readonly creator: string;
  readonly pool: string | null;
  readonly config: string | null;
  readonly quoteMint: string | null;
}

/** A listing. A delisted token stays known, so that its holders see its name, but is no longer traded. */
export interface ListedToken {
  readonly mint: string;
  /** Token program that owns the mint. */
  readonly program: string;
  readonly symbol: string;
  readonly name: string;
  readonly decimals: number;
  /** Tokenized share that it was launched against, such as `spotchain:AAPLx`, or null if it was paired with something else. */
  readonly pairedStock: InstrumentKey | null;
  /** Launcher, such as `agentlaunch`. `sandbox` for tokens that exist only on the sandbox's chain. */
  readonly launcher: string;
  readonly listedAt: EpochMs;
  readonly delistedAt: EpochMs | null;
  /** Null for a token listed without a launch. */
  readonly origin?: TokenOrigin | null;
}

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** True if the text is 32 bytes in base58, as addresses of the primary chain are. */
export function isChainAddress(text: string): boolean {
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text)) return false;
  let value = 0n;
  for (const digit of text) value = value * 58n + BigInt(ALPHABET.indexOf(digit));
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  const bytes = value === 0n ? 0 : Math.ceil(value.toString(16).length / 2);
  return zeros + bytes === 32;
}

/** Returns in one sentence why a token cannot be listed in the catalog, or null if it can. */
export function listingProblem(token: ListedToken, catalog: Catalog): string | null {
  const { symbol, mint, name, decimals, pairedStock } = token;
  if (!/^[A-Za-z0-9]{1,10}$/.test(symbol)) return `${JSON.stringify(symbol.slice(0, 20))} is not a symbol: 1 to 10 letters and digits are`;
  if (name.trim() === '' || name.length > 64) return `${symbol} needs a name of at most 64 characters`;
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > 12) return `${symbol} has ${decimals} decimals; 0 to 12 are possible`;
  for (const address of [mint, token.program])
    if (!isChainAddress(address)) return `${symbol}: ${JSON.stringify(address.slice(0, 50))} is not an address of the primary chain`;
  if (catalog.byMint(mint) !== undefined) return `${symbol}: mint ${mint} is in the catalog already`;
  // A token named like a share would be mistaken for it in news and exposure limits.
  const same = symbol.toUpperCase();
  const taken = catalog.entries.find((entry) => [entry.instrument, entry.underlying].some((word) => word.toUpperCase() === same));
  if (taken !== undefined) return `${symbol} is taken by ${taken.key}`;
  if (pairedStock !== null && catalog.byKey(pairedStock)?.kind !== 'tokenized_equity')
    return `${symbol}: ${pairedStock} is not a tokenized stock`;
  return null;
}

/** Returns in one sentence why a token of this launch cannot be listed later, or null if it can. */
export function launchProblem(launch: Omit<ListedToken, 'program' | 'delistedAt'>): string | null {
  // A launch must not change the meaning of texts, so words of theses, companies and instruments are taken.
  const taken = nameProblem(launch.symbol, launch.name, CATALOG);
  if (taken !== null) return taken;
  return listingProblem({ ...launch, program: TOKEN_PROGRAM, delistedAt: null }, CATALOG);
}

/** Returns the token as an instrument of the catalog: quoted in the dollar stablecoin, without a benchmark. */
export function agentTokenEntry(token: ListedToken): CatalogEntry {
  const { symbol } = token;
  return {
    key: instrumentKey('spotchain', symbol),
    venue: 'spotchain',
    instrument: symbol,
    kind: 'agent_token',
    name: token.name,
    sector: 'agent_tokens',
    classification: 'agenttoken-solana',
    underlying: symbol,
    quoteCurrency: 'USDC',
    pairs: [`${symbol}/USDC`, `${symbol}-USDC`],
    token: {
      mint: token.mint,
      program: token.program,
      decimals: token.decimals,
      multiplier: 1,
      newMultiplier: 1,
      newMultiplierEffectiveAt: 0,
      transferFeeBps: 0,
      validFrom: token.listedAt,
      validTo: token.delistedAt,
      successor: null,
    },
    benchmark: null,
    benchmarkKind: null,
    pairedPerp: null,
    pairedSpot: null,
    pairedStock: token.pairedStock,
  };
}

/** Adds these listings to the process's catalog. Skips those that conflict, and returns a message for each. */
export function completeCatalog(tokens: readonly ListedToken[]): readonly string[] {
  const refused: string[] = [];
  const symbols = new Set<string>();
  const mints = new Set<string>();
  const entries: CatalogEntry[] = [];
  for (const token of [...tokens].sort((a, b) => a.listedAt - b.listedAt || (a.mint < b.mint ? -1 : 1))) {
    const name = token.symbol.toUpperCase();
    const problem = symbols.has(name) || mints.has(token.mint) ? `${token.symbol} is listed already` : listingProblem(token, CATALOG.fixed);
    if (problem !== null) {
      refused.push(problem);
      continue;
    }
    symbols.add(name);
    mints.add(token.mint);
    entries.push(agentTokenEntry(token));
  }
  CATALOG.list(entries);
  return refused;
}
