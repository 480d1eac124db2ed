/** The catalog: every instrument that an agent may name, with token facts and relations. */
import { BUILT_IN_TABLES, type CatalogTables, buildEntries, type ReferenceFeed, listReferenceFeeds } from './catalog-tables.ts';
import type { UniverseEntry } from '../manifest/manifest.ts';
import { didYouMean } from '../values/nearest-name.ts';
import type { EpochMs } from '../values/time.ts';
import { EXECUTABLE_VENUES, type ExecutableVenue, type InstrumentKey, isVenue } from '../market/venue.ts';
import type { LimitOverrides } from '../venues/venue-facts.ts';

/** Kinds of instruments: the last part of `<venue>:<pair>:<instrument kind>`. */
export const INSTRUMENT_KINDS = ['spot', 'perp', 'tokenized_equity', 'pre_ipo', 'agent_token'] as const;
export type InstrumentKind = (typeof INSTRUMENT_KINDS)[number];

/** Asset classes on the primary chain. */
export const VENUE_CLASSIFICATIONS = ['tokenequity-solana', 'preipo-solana', 'agenttoken-solana'] as const;
type VenueClassification = (typeof VENUE_CLASSIFICATIONS)[number];

/** Dollar stablecoin of the primary chain. Swaps, licences and deposits settle in it. */
export const USDC_MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
export const USDC_DECIMALS = 6;

/**
 * Token facts on the primary chain. One UI unit is `multiplier` x 10^-decimals of raw units (scaled UI amount). From
 * `newMultiplierEffectiveAt` on, `newMultiplier` applies instead. Chain amounts are raw and ignore the multiplier.
 */
export interface TokenFacts {
  readonly mint: string;
  readonly program: string;
  readonly decimals: number;
  readonly multiplier: number;
  readonly newMultiplier: number;
  readonly newMultiplierEffectiveAt: EpochMs;
  /** Fee that the mint takes of each transfer, in basis points. */
  readonly transferFeeBps: number;
  /** The mint is quoted and traded from `validFrom` on and before `validTo`. Null for no bound. */
  readonly validFrom: EpochMs | null;
  readonly validTo: EpochMs | null;
  /** Token that replaces it, with the start of the exchange, or null. */
  readonly successor: TokenSuccessor | null;
}

/** Token that replaces another one. */
export interface TokenSuccessor {
  readonly symbol: string;
  readonly mint: string;
  readonly convertsFrom: EpochMs;
}

/** One instrument of the catalog. */
export interface CatalogEntry {
  readonly key: InstrumentKey;
  readonly venue: ExecutableVenue;
  /** Name at the venue, which is also its symbol: `AAPLx`, `BTCUSDT`, `BTC`, `SPACEX`, `xyz:AAPL`. */
  readonly instrument: string;
  readonly kind: InstrumentKind;
  readonly name: string;
  readonly sector: string;
  readonly classification: VenueClassification | null;
  /** Underlying of the exposure, such as `AAPL`, `SPACEX` or `BTC`. Two entries of one underlying are duplicate exposure. */
  readonly underlying: string;
  readonly quoteCurrency: 'USD' | 'USDC' | 'USDT';
  /** Other spellings of the pair that a manifest may use. */
  readonly pairs: readonly string[];
  readonly token: TokenFacts | null;
  /** Benchmark: the share's reference price or the issuer's mark, or null if there is none. */
  readonly benchmark: InstrumentKey | null;
  readonly benchmarkKind: 'reference_price' | 'issuer_mark' | null;
  /** Perpetual on the same underlying, or null. For a perpetual: itself. */
  readonly pairedPerp: InstrumentKey | null;
  /** Spot instrument on the same underlying, or null. For a spot instrument: itself. For a share's perpetual: the share's token. */
  readonly pairedSpot: InstrumentKey | null;
  /** Tokenized share that an agent token was launched against. Null for everything else. */
  readonly pairedStock: InstrumentKey | null;
}

/** Instruments by key and by name. */
export type Catalog = ReturnType<typeof createCatalog>;

/** Indexes entries. @throws Error if two entries share a key, a symbol or a mint. */
export function createCatalog(entries: readonly CatalogEntry[]) {
  const keys = new Map<InstrumentKey, CatalogEntry>();
  const symbols = new Map<string, CatalogEntry>();
  const mints = new Map<string, CatalogEntry>();
  const put = <K>(map: Map<K, CatalogEntry>, name: K, entry: CatalogEntry): void => {
    if (map.has(name)) throw new Error(`the catalog lists ${String(name)} twice`);
    map.set(name, entry);
  };
  for (const entry of entries) {
    put(keys, entry.key, entry);
    put(symbols, entry.instrument, entry);
    if (entry.token !== null) put(mints, entry.token.mint, entry);
  }
  return {
    entries,
    byKey: (key: InstrumentKey): CatalogEntry | undefined => keys.get(key),
    /** Returns the entry with this symbol. */
    bySymbol: (symbol: string): CatalogEntry | undefined => symbols.get(symbol),
    /** Returns the entry with this mint address. */
    byMint: (mint: string): CatalogEntry | undefined => mints.get(mint),
  };
}

/** Tables of the catalog, and the facts about sources in its file. */
export interface CatalogSource {
  readonly tables: CatalogTables;
  /** Requests per window that a provider grants one address, by budget name. */
  readonly budgets: Readonly<Record<string, number>>;
  /** Limits of age, clock skew and silence that replace the engine's own. */
  readonly limits: LimitOverrides;
}

/** Source that applies without a catalog file. */
export const BUILT_IN_SOURCE: CatalogSource = { tables: BUILT_IN_TABLES, budgets: {}, limits: {} };

/** Last multiplier of a token as it was received: in force from `at` on, and the one before if it is known. */
interface LearnedMultiplier {
  readonly at: EpochMs;
  readonly multiplier: number;
  readonly before: number | null;
}

/** Returns the entry with a multiplier that its table does not know. */
function withLearned(entry: CatalogEntry, learned: LearnedMultiplier | undefined): CatalogEntry {
  const { token } = entry;
  if (token === null || learned === undefined) return entry;
  const { at, multiplier, before } = learned;
  const known = multiplierAt(token, at);
  if (multiplier === known) return entry;
  return { ...entry, token: { ...token, multiplier: before ?? known, newMultiplier: multiplier, newMultiplierEffectiveAt: at } };
}

/** Catalog of the product: its tables, and the agent tokens listed now (docs/decisions/0150). */
interface ProductCatalog extends Catalog {
  /** Catalog from the tables. Listed tokens must not reuse its names. */
  readonly fixed: Catalog;
  /** Listed tokens, which are passed to threads. */
  readonly listed: readonly CatalogEntry[];
  /** Last received multipliers by instrument, which are passed to threads. */
  readonly learned: ReadonlyMap<InstrumentKey, LearnedMultiplier>;
  /** Source of the catalog, which is passed to threads. */
  readonly source: CatalogSource;
  /** Reference feeds of the shares behind the tokenized equities. */
  readonly feeds: readonly ReferenceFeed[];
  /** Returns the pool whose bars are a token's history, by the token's symbol, or undefined. */
  poolOf(symbol: string): string | undefined;
  /**
   * Replaces the source of this process's catalog. Call it before anything reads the catalog. @throws Error if two entries share a name.
   * The catalog then stays unchanged.
   */
  use(source: CatalogSource): void;
  /** Replaces the listed tokens of this process's catalog. @throws Error if two entries share a name. The catalog then stays unchanged. */
  list(entries: readonly CatalogEntry[]): void;
  /** Replaces the received multipliers of this process's catalog. Builds nothing anew if none has changed. */
  learn(multipliers: ReadonlyMap<InstrumentKey, LearnedMultiplier>): void;
}

function productCatalog(initial: CatalogSource): ProductCatalog {
  let source = initial;
  let fixed = createCatalog(buildEntries(source.tables));
  let feeds = listReferenceFeeds(source.tables);
  let current = fixed;
  let listed: readonly CatalogEntry[] = [];
  let learned: ReadonlyMap<InstrumentKey, LearnedMultiplier> = new Map();
  const complete = (entries: readonly CatalogEntry[]): Catalog =>
    createCatalog(entries.map((entry) => withLearned(entry, learned.get(entry.key))));
  return {
    get fixed() {
      return fixed;
    },
    get listed() {
      return listed;
    },
    get learned() {
      return learned;
    },
    get entries() {
      return current.entries;
    },
    get source() {
      return source;
    },
    get feeds() {
      return feeds;
    },
    byKey: (key) => current.byKey(key),
    bySymbol: (symbol) => current.bySymbol(symbol),
    byMint: (mint) => current.byMint(mint),
    poolOf(symbol) {
      const mint = current.bySymbol(symbol)?.token?.mint;
      if (mint === undefined) return undefined;
      const { shares, preIpo } = source.tables;
      return [...shares, ...preIpo].find(({ token }) => token.mint === mint)?.pool ?? undefined;
    },
    use(next) {
      const made = createCatalog(buildEntries(next.tables));
      current = complete([...made.entries, ...listed]);
      [source, fixed, feeds] = [next, made, listReferenceFeeds(next.tables)];
    },
    list: (entries) => {
      current = complete([...fixed.entries, ...entries]);
      listed = entries;
    },
    learn(multipliers) {
      // A row is never changed: the same times are the same multipliers.
      if (multipliers.size === learned.size && [...multipliers].every(([key, { at }]) => learned.get(key)?.at === at)) return;
      learned = multipliers;
      current = complete([...fixed.entries, ...listed]);
    },
  };
}

export const CATALOG: ProductCatalog = productCatalog(BUILT_IN_SOURCE);

/** Returns the underlyings of entries, each once. */
export function listCatalogUnderlyings(entries: readonly CatalogEntry[] = CATALOG.entries): readonly string[] {
  return [...new Set(entries.map(({ underlying }) => underlying))];
}

/** Catalog data passed to a thread, which has its own catalog. */
export interface ToldCatalog {
  readonly source: CatalogSource;
  readonly listed: readonly CatalogEntry[];
  readonly learned: ProductCatalog['learned'];
}

/** Returns what a thread is told of this process's catalog. */
export function toldCatalog(): ToldCatalog {
  const { source, listed, learned } = CATALOG;
  return { source, listed, learned };
}

/** Uses the catalog of the process that started this thread, or else the built-in one. */
export function takeCatalog(told: ToldCatalog | undefined): void {
  if (told === undefined) return;
  CATALOG.use(told.source);
  CATALOG.list(told.listed);
  CATALOG.learn(told.learned);
}

/** Returns the reference feeds as requested from the provider, by the share's symbol. */
export function referenceShares(): { readonly symbol: string; readonly feedId: string; readonly feedSymbol: string }[] {
  return CATALOG.feeds.map(({ instrument, feedId, feedSymbol }) => ({ symbol: instrument, feedId, feedSymbol }));
}

/**
 * Lifecycle of a mint: `upcoming` before it is valid, `converting` while it is exchanged for its successor, `retired` after its validity.
 * Upcoming and retired mints are neither quoted nor traded.
 */
export const LIFECYCLES = ['upcoming', 'active', 'converting', 'retired'] as const;
type Lifecycle = (typeof LIFECYCLES)[number];

type Validity = Pick<TokenFacts, 'validFrom' | 'validTo' | 'successor'>;

export function lifecycleAt({ validFrom, validTo, successor }: Validity, at: EpochMs): Lifecycle {
  if (validFrom !== null && at < validFrom) return 'upcoming';
  if (validTo !== null && at >= validTo) return 'retired';
  return successor !== null && at >= successor.convertsFrom ? 'converting' : 'active';
}

/** True if the mint may be quoted and traded at the instant. */
export function isTradableAt({ validFrom, validTo }: Pick<Validity, 'validFrom' | 'validTo'>, at: EpochMs): boolean {
  return (validFrom === null || at >= validFrom) && (validTo === null || at < validTo);
}

/** Returns the multiplier at an instant: the new one from its effective time on. */
export function multiplierAt(token: TokenFacts, at: EpochMs): number {
  return at >= token.newMultiplierEffectiveAt ? token.newMultiplier : token.multiplier;
}

/** A resolved universe entry, or why it resolves to nothing. */
type ResolvedUniverseEntry =
  | { readonly ok: true; readonly entry: UniverseEntry }
  | { readonly ok: false; readonly problem: string; readonly allowed: string };

/** Alternative spellings of instrument kinds. */
const KIND_SPELLINGS: Readonly<Record<string, InstrumentKind>> = { perpetual: 'perp' };

/**
 * Resolves a symbol (`AAPLx`, `xyz:AAPL`) or `<venue>:<pair>:<instrument kind>` (`spotexchange:BTCUSDT:spot`). The pair is the venue's own
 * name or `<base>/<quote>` or `<base>-<quote>`. Names are case-sensitive, as on the venues. A refusal suggests the nearest names.
 */
export function resolveUniverseEntry(text: string, catalog: Catalog = CATALOG): ResolvedUniverseEntry {
  const shown = JSON.stringify(text.slice(0, 80));
  const named = catalog.bySymbol(text);
  if (named !== undefined) return { ok: true, entry: { key: named.key, kind: named.kind } };
  const parts = text.split(':');
  if (parts.length === 1) {
    const symbols = catalog.entries.map((candidate) => candidate.instrument);
    return refuse(`unknown symbol ${shown}`, didYouMean(text, symbols), 'a symbol of the catalog or <venue>:<pair>:<instrument kind>');
  }
  // A pair of a builder's dex contains a colon: `evmvenue:xyz:AAPL:perp`.
  const [venue = '', pair, kindText = ''] = [parts[0], parts.slice(1, -1).join(':'), parts.at(-1)];
  if (parts.length !== 3 && !(parts.length === 4 && isVenue(venue))) {
    return refuse(
      `${shown} is neither a symbol nor <venue>:<pair>:<instrument kind>`,
      '',
      'for example AAPLx or spotexchange:BTCUSDT:spot',
    );
  }
  if (!(EXECUTABLE_VENUES as readonly string[]).includes(venue)) {
    const why = venue === 'reference' ? 'reference prices are never executable' : `unknown venue ${JSON.stringify(venue.slice(0, 80))}`;
    return refuse(why, didYouMean(venue, EXECUTABLE_VENUES), EXECUTABLE_VENUES.join(', '));
  }
  const kind = KIND_SPELLINGS[kindText] ?? kindText;
  if (!(INSTRUMENT_KINDS as readonly string[]).includes(kind)) {
    return refuse(
      `unknown instrument kind ${JSON.stringify(kindText.slice(0, 80))}`,
      didYouMean(kindText, INSTRUMENT_KINDS),
      INSTRUMENT_KINDS.join(', '),
    );
  }
  const onVenue = catalog.entries.filter((candidate) => candidate.venue === venue);
  const entry = onVenue.find((candidate) => candidate.instrument === pair || candidate.pairs.includes(pair));
  if (entry === undefined) {
    const known = onVenue.map((candidate) => candidate.instrument);
    return refuse(
      `${venue} has no pair ${JSON.stringify(pair.slice(0, 80))}`,
      didYouMean(pair, known),
      known.length === 0 ? 'nothing on this venue' : known.join(', '),
    );
  }
  if (entry.kind !== kind) return refuse(`${entry.key} is of kind ${entry.kind}, not ${kind}`, '', entry.kind);
  return { ok: true, entry: { key: entry.key, kind: entry.kind } };
}

function refuse(problem: string, hint: string, allowed: string): ResolvedUniverseEntry {
  return { ok: false, problem: hint === '' ? problem : `${problem}; ${hint}`, allowed };
}

/** Returns the text of a universe entry: the symbol if it is unambiguous, else the three-part form. */
export function universeEntryText(entry: UniverseEntry, catalog: Catalog = CATALOG): string {
  const colon = entry.key.indexOf(':');
  const instrument = entry.key.slice(colon + 1);
  const bySymbol = catalog.bySymbol(instrument);
  return bySymbol !== undefined && bySymbol.key === entry.key ? instrument : `${entry.key}:${entry.kind}`;
}
