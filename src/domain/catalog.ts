/** The catalog: every instrument an agent may name, its token facts and what it relates to. */
import { sha256Hex } from './canonical-json.ts';
import type { UniverseEntry } from './manifest/manifest.ts';
import { didYouMean } from './nearest-name.ts';
import type { EpochMs } from './time.ts';
import { EXECUTABLE_VENUES, type ExecutableVenue, type InstrumentKey, instrumentKey, isVenue, VENUE_FACTS } from './venue.ts';
import type { CryptoAsset, VenueListing } from './venues/venue-facts.ts';

/** What kind of instrument it is: the last part of `<venue>:<pair>:<instrument kind>`. */
export const INSTRUMENT_KINDS = ['spot', 'perp', 'tokenized_equity', 'pre_ipo', 'agent_token'] as const;
export type InstrumentKind = (typeof INSTRUMENT_KINDS)[number];

/** Asset classes on the primary chain. */
export const VENUE_CLASSIFICATIONS = ['tokenequity-solana', 'preipo-solana', 'agenttoken-solana'] as const;
export type VenueClassification = (typeof VENUE_CLASSIFICATIONS)[number];

export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
/** The dollar stablecoin of the primary chain: swaps, licenses and deposits settle in it. */
export const USDC_MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
export const USDC_DECIMALS = 6;

/**
 * A token's facts on the primary chain. One UI unit is `multiplier` x 10^-decimals of raw units (scaled UI amount);
 * from `newMultiplierEffectiveAt` on, `newMultiplier` holds instead. Chain amounts are raw and ignore the multiplier.
 */
export interface TokenFacts {
  readonly mint: string;
  readonly program: string;
  readonly decimals: number;
  readonly multiplier: number;
  readonly newMultiplier: number;
  readonly newMultiplierEffectiveAt: EpochMs;
  /** Fee that the mint itself takes of each transfer, in basis points. */
  readonly transferFeeBps: number;
  /** The mint is quoted and traded from `validFrom` on and before `validTo`; null where that side is open. */
  readonly validFrom: EpochMs | null;
  readonly validTo: EpochMs | null;
  /** What holders are given for it, and since when it is exchanged. */
  readonly successor: TokenSuccessor | null;
}

/** The token that takes another one's place. */
export interface TokenSuccessor {
  readonly symbol: string;
  readonly mint: string;
  readonly convertsFrom: EpochMs;
}

/** One instrument of the catalog. */
export interface CatalogEntry {
  readonly key: InstrumentKey;
  readonly venue: ExecutableVenue;
  /** The venue's name of it, which is also its symbol: `AAPLx`, `BTCUSDT`, `BTC`, `SPACEX`, `xyz:AAPL`. */
  readonly instrument: string;
  readonly kind: InstrumentKind;
  readonly name: string;
  readonly sector: string;
  readonly classification: VenueClassification | null;
  /** What it gives exposure to: `AAPL`, `SPACEX`, `BTC`. Two entries of one underlying are duplicate exposure. */
  readonly underlying: string;
  readonly quoteCurrency: 'USD' | 'USDC' | 'USDT';
  /** Other spellings of the pair that a manifest may use. */
  readonly pairs: readonly string[];
  readonly token: TokenFacts | null;
  /** What it is benchmarked against: the share's reference price, or the issuer's mark; null where nothing outside prices it. */
  readonly benchmark: InstrumentKey | null;
  readonly benchmarkKind: 'reference_price' | 'issuer_mark' | null;
  /** The perpetual on the same underlying, where there is one (of a perpetual: itself). */
  readonly pairedPerp: InstrumentKey | null;
  /** The spot instrument on the same underlying, where there is one (of a spot instrument: itself; of a share's perpetual: the share's token). */
  readonly pairedSpot: InstrumentKey | null;
  /** The tokenized share that an agent token was launched against; null for everything else. */
  readonly pairedStock: InstrumentKey | null;
}

/** The reference feed of one share. */
export interface ReferenceFeed {
  readonly key: InstrumentKey;
  /** The share's symbol, e.g. `AAPL`. */
  readonly instrument: string;
  /** The provider's symbol, e.g. `Equity.US.AAPL/USD`. */
  readonly feedSymbol: string;
  /** 64 hexadecimal digits without `0x`. */
  readonly feedId: string;
  /** `published`: the provider's own id. `sandbox`: SHA-256 of the feed symbol, meaningful to the sandbox only. */
  readonly feedIdSource: 'published' | 'sandbox';
}

const PUBLISHED_FEED_IDS: Readonly<Record<string, string>> = {
  AAPL: '49f6b65cb1de6b10eaf75e7c03ca029c306d0357e91b5311b175084a5ad55688',
  NVDA: 'b1073854ed24cbc755dc527418f52b7d271f6cc967bbf8d8129112b18860a593',
  TSLA: '16dad506d7db8da01c87581c87ca897a012a153557d4d578c3b9c9e1bc0632f1',
  MSFT: 'd0ca23c1cc005e004ccf1db5bf76aeb6a49218f43dac3d4b275e92de12ded4d1',
  GOOGL: '5a48c03e9b9cb337801073ed9d166817473697efff0d138874e0f6a33d6d5aa6',
  AMZN: 'b5d0e0fa58a1f8b81498ae670ce93c872d14434b72c364885d4fa1b257cbb07a',
  META: '78a3e3b8e676a8f73c439f5d749737034b139bbbe899ba5775216fba596607fe',
  SPY: '19e09bb805456ada3979a7d1cbb4b6d63babc3a0f8e8a9509f68afa5c4c11cd5',
};

interface EquityRow {
  readonly underlying: string;
  readonly name: string;
  readonly sector: string;
  readonly mint: string;
  /** Multiplier before, multiplier after, and when it changes; a mint that never had a corporate action stays at 1. */
  readonly multipliers?: readonly [before: number, after: number, effectiveAt: EpochMs];
  /** Left out where the mint has no known end. */
  readonly validTo?: EpochMs;
  readonly successor?: TokenSuccessor;
}

const EQUITIES: readonly EquityRow[] = [
  { underlying: 'AAPL', name: 'Apple xStock', sector: 'technology', mint: 'XsbEhLAtcf6HdfpFZ5xEMdqW8nfAvcsP5bdudRLJzJp' },
  { underlying: 'TSLA', name: 'Tesla xStock', sector: 'consumer_discretionary', mint: 'XsDoVfqeBukxuZHWhdvWHBhgEHjGNst4MLodqsJHzoB' },
  { underlying: 'NVDA', name: 'NVIDIA xStock', sector: 'technology', mint: 'Xsc9qvGR1efVDFGLrVsmkzv3qi45LTBjeUKSPmx9qEh' },
  {
    underlying: 'SPY',
    name: 'S&P 500 xStock',
    sector: 'index',
    mint: 'XsoCS1TfEyfFhfvj8EtZ528L3CaKBDBRqRapnBbDF2W',
    multipliers: [1.0039092, 1.0057146, Date.UTC(2026, 5, 18)],
  },
  { underlying: 'QQQ', name: 'Nasdaq 100 xStock', sector: 'index', mint: 'Xs8S1uUs1zvS2p7iwtsG3b6fkhpvmwz4GYU3gWAmWHZ' },
  { underlying: 'GOOGL', name: 'Alphabet xStock', sector: 'communication', mint: 'XsCPL9dNWBMvFtTmwcCA5v3xWPSMEBCszbQdiLLq6aN' },
  { underlying: 'AMZN', name: 'Amazon xStock', sector: 'consumer_discretionary', mint: 'Xs3eBt7uRfJX8QUs4suhyU8p2M6DoUDrJyWBa8LLZsg' },
  { underlying: 'META', name: 'Meta xStock', sector: 'communication', mint: 'Xsa62P5mvPszXL1krVUnU5ar38bBSVcWAB6fmPCo5Zu' },
  { underlying: 'MSFT', name: 'Microsoft xStock', sector: 'technology', mint: 'XspzcW1PRtgf6Wj92HCiZdjzKCyFekVD8P5Ueh3dRMX' },
  { underlying: 'MSTR', name: 'Strategy xStock', sector: 'digital_assets', mint: 'XsP7xzNPvEHS1m6qfanPUGjNmdnmsLKEoNAnHjdxxyZ' },
  { underlying: 'COIN', name: 'Coinbase xStock', sector: 'digital_assets', mint: 'Xs7ZdzSHLU9ftNJsii5fCeJhoRWSC32SQGzGQtePxNu' },
];

const PRE_IPO: readonly EquityRow[] = [
  {
    underlying: 'SPACEX',
    name: 'SpaceX PreStock',
    sector: 'aerospace',
    mint: 'PreANxuXjsy2pvisWWMNB6YaJNzr7681wJJr2rHsfTh',
    multipliers: [1, 5, 1_781_065_800_000],
    // The company is listed: five for one, to be swapped before the deadline of 2027-03-12, read at its earliest instant.
    validTo: Date.UTC(2027, 2, 12),
    successor: { symbol: 'SPCXx', mint: 'Xs3oZwbHvqis4NYcf4YKWmEia2eC84wSiVrcYcTqpH8', convertsFrom: 1_781_065_800_000 },
  },
  {
    underlying: 'OPENAI',
    name: 'OpenAI PreStock',
    sector: 'artificial_intelligence',
    mint: 'PreweJYECqtQwBtpxHL171nL2K6umo692gTm7Q3rpgF',
    multipliers: [1, 1.4861347, 1_784_305_800_000],
  },
  {
    underlying: 'ANTHROPIC',
    name: 'Anthropic PreStock',
    sector: 'artificial_intelligence',
    mint: 'Pren1FvFX6J3E4kXhJuCiAD5aDmGEb7qJRncwA8Lkhw',
  },
  { underlying: 'ANDURIL', name: 'Anduril PreStock', sector: 'aerospace', mint: 'PresTj4Yc2bAR197Er7wz4UUKSfqt6FryBEdAriBoQB' },
  {
    underlying: 'FIGUREAI',
    name: 'Figure AI PreStock',
    sector: 'artificial_intelligence',
    mint: 'PreZad18qfPtbxNpMtMuAuX2zVpvkEU8DnJx56faCWd',
  },
  { underlying: 'KALSHI', name: 'Kalshi PreStock', sector: 'financials', mint: 'PreLWGkkeqG1s4HEfFZSy9moCrJ7btsHuUtfcCeoRua' },
  { underlying: 'NEURALINK', name: 'Neuralink PreStock', sector: 'health_care', mint: 'PrekqLJvJ3qVdXmBGDiexvwUTF4rLFDa6HWS4HJbw9S' },
  { underlying: 'POLYMARKET', name: 'Polymarket PreStock', sector: 'financials', mint: 'Pre8AREmFPtoJFT8mQSXQLh56cwJmM7CFDRuoGBZiUP' },
];

const CRYPTO: readonly CryptoAsset[] = [
  { symbol: 'BTC', name: 'Bitcoin' },
  { symbol: 'ETH', name: 'Ether' },
  { symbol: 'SOL', name: 'Solana' },
];

function tokenFacts(row: EquityRow, decimals: number, transferFeeBps: number): TokenFacts {
  const [multiplier, newMultiplier, newMultiplierEffectiveAt] = row.multipliers ?? [1, 1, 0];
  return {
    mint: row.mint,
    program: TOKEN_2022_PROGRAM,
    decimals,
    multiplier,
    newMultiplier,
    newMultiplierEffectiveAt,
    transferFeeBps,
    validFrom: null,
    validTo: row.validTo ?? null,
    successor: row.successor ?? null,
  };
}

type Listed = VenueListing & Pick<CatalogEntry, 'key' | 'venue'>;

/** What venues list of an asset, each under its key. */
function listed(listingsOn: (venue: ExecutableVenue) => readonly VenueListing[] | undefined): Listed[] {
  return EXECUTABLE_VENUES.flatMap((venue) =>
    (listingsOn(venue) ?? []).map((listing) => ({ key: instrumentKey(venue, listing.instrument), venue, ...listing })),
  );
}

function sharePerps({ underlying: symbol, name: token }: EquityRow): Listed[] {
  const name = token.replace(/ xStock$/, '');
  return listed((venue) => VENUE_FACTS[venue].listsShare?.({ symbol, name }));
}

/** The perpetuals on the share behind a token: exposure to the same underlying, in the same sector, with no reference of its own. */
function sharePerpEntries(row: EquityRow): CatalogEntry[] {
  return sharePerps(row).map((listing) => ({
    ...listing,
    sector: row.sector,
    classification: null,
    underlying: row.underlying,
    token: null,
    benchmark: null,
    benchmarkKind: null,
    pairedPerp: listing.key,
    pairedSpot: instrumentKey('spotchain', `${row.underlying}x`),
    pairedStock: null,
  }));
}

function equityEntry(row: EquityRow): CatalogEntry {
  const instrument = `${row.underlying}x`;
  return {
    key: instrumentKey('spotchain', instrument),
    venue: 'spotchain',
    instrument,
    kind: 'tokenized_equity',
    name: row.name,
    sector: row.sector,
    classification: 'tokenequity-solana',
    underlying: row.underlying,
    quoteCurrency: 'USDC',
    pairs: [`${instrument}/USDC`, `${instrument}-USDC`],
    token: tokenFacts(row, 8, 0),
    benchmark: instrumentKey('reference', row.underlying),
    benchmarkKind: 'reference_price',
    pairedPerp: sharePerps(row)[0]?.key ?? null,
    pairedSpot: null,
    pairedStock: null,
  };
}

function preIpoEntry(row: EquityRow): CatalogEntry {
  return {
    key: instrumentKey('spotchain', row.underlying),
    venue: 'spotchain',
    instrument: row.underlying,
    kind: 'pre_ipo',
    name: row.name,
    sector: row.sector,
    classification: 'preipo-solana',
    underlying: row.underlying,
    quoteCurrency: 'USDC',
    pairs: [`${row.underlying}/USDC`, `${row.underlying}-USDC`],
    token: tokenFacts(row, 9, 100),
    benchmark: instrumentKey('reference', row.underlying),
    benchmarkKind: 'issuer_mark',
    pairedPerp: null,
    pairedSpot: null,
    pairedStock: null,
  };
}

/** What every venue lists of an asset, each related to the others. */
function cryptoEntries(asset: CryptoAsset): CatalogEntry[] {
  const listings = listed((venue) => VENUE_FACTS[venue].lists?.(asset));
  const first = (kind: InstrumentKind): InstrumentKey | null => listings.find((listing) => listing.kind === kind)?.key ?? null;
  return listings.map((listing) => ({
    ...listing,
    sector: 'crypto',
    classification: null,
    underlying: asset.symbol,
    token: null,
    benchmark: null,
    benchmarkKind: null,
    pairedPerp: first('perp'),
    pairedSpot: first('spot'),
    pairedStock: null,
  }));
}

function referenceFeed(underlying: string): ReferenceFeed {
  const feedSymbol = `Equity.US.${underlying}/USD`;
  const published = PUBLISHED_FEED_IDS[underlying];
  return {
    key: instrumentKey('reference', underlying),
    instrument: underlying,
    feedSymbol,
    feedId: published ?? sha256Hex(feedSymbol),
    feedIdSource: published === undefined ? 'sandbox' : 'published',
  };
}

/** The reference feeds of the shares behind the tokenized equities. */
export const REFERENCE_FEEDS: readonly ReferenceFeed[] = EQUITIES.map((row) => referenceFeed(row.underlying));

/** The same feeds as the provider is asked for them, by the symbol of the share. */
export const REFERENCE_SHARES = REFERENCE_FEEDS.map(({ instrument, feedId, feedSymbol }) => ({ symbol: instrument, feedId, feedSymbol }));

/** Instruments by key and by name. */
export interface Catalog {
  readonly entries: readonly CatalogEntry[];
  byKey(key: InstrumentKey): CatalogEntry | undefined;
  /** The entry whose symbol this is. */
  bySymbol(symbol: string): CatalogEntry | undefined;
  /** The entry of a token's mint address. */
  byMint(mint: string): CatalogEntry | undefined;
}

/**
 * Indexes entries.
 * @throws Error where two entries share a key, a symbol or a mint: a name must mean one thing.
 */
export function catalogOf(entries: readonly CatalogEntry[]): Catalog {
  const keys = new Map<InstrumentKey, CatalogEntry>();
  const symbols = new Map<string, CatalogEntry>();
  const mints = new Map<string, CatalogEntry>();
  const put = <K>(map: Map<K, CatalogEntry>, name: K, entry: CatalogEntry): void => {
    if (map.has(name)) throw new Error(`the catalog names ${String(name)} twice`);
    map.set(name, entry);
  };
  for (const entry of entries) {
    put(keys, entry.key, entry);
    put(symbols, entry.instrument, entry);
    if (entry.token !== null) put(mints, entry.token.mint, entry);
  }
  return {
    entries,
    byKey: (key) => keys.get(key),
    bySymbol: (symbol) => symbols.get(symbol),
    byMint: (mint) => mints.get(mint),
  };
}

/** The product's catalog: what stands here, and the agent tokens that are listed at the moment (docs/decisions/0057). */
export interface ProductCatalog extends Catalog {
  /** What stands in this file, which nothing that is listed may name again. */
  readonly fixed: Catalog;
  /** What is listed besides: what a thread of its own has to be told. */
  readonly listed: readonly CatalogEntry[];
  /**
   * Replaces what is listed besides the fixed entries, for this whole process.
   * @throws Error where two entries would share a name; the catalog then stays as it was.
   */
  list(entries: readonly CatalogEntry[]): void;
}

function productCatalog(fixed: Catalog): ProductCatalog {
  let current = fixed;
  let listed: readonly CatalogEntry[] = [];
  return {
    fixed,
    get listed() {
      return listed;
    },
    get entries() {
      return current.entries;
    },
    byKey: (key) => current.byKey(key),
    bySymbol: (symbol) => current.bySymbol(symbol),
    byMint: (mint) => current.byMint(mint),
    list: (entries) => {
      current = catalogOf([...fixed.entries, ...entries]);
      listed = entries;
    },
  };
}

export const CATALOG: ProductCatalog = productCatalog(
  catalogOf([
    ...EQUITIES.map(equityEntry),
    ...PRE_IPO.map(preIpoEntry),
    ...CRYPTO.flatMap(cryptoEntries),
    ...EQUITIES.flatMap(sharePerpEntries),
  ]),
);

/**
 * Where a mint stands in its life: `upcoming` before it is valid, `converting` while it is exchanged for its successor,
 * `retired` from the end of its validity on. Upcoming and retired mints are neither quoted nor traded.
 */
export const LIFECYCLES = ['upcoming', 'active', 'converting', 'retired'] as const;
export type Lifecycle = (typeof LIFECYCLES)[number];

type Validity = Pick<TokenFacts, 'validFrom' | 'validTo' | 'successor'>;

export function lifecycleAt({ validFrom, validTo, successor }: Validity, at: EpochMs): Lifecycle {
  if (validFrom !== null && at < validFrom) return 'upcoming';
  if (validTo !== null && at >= validTo) return 'retired';
  return successor !== null && at >= successor.convertsFrom ? 'converting' : 'active';
}

/** True where the mint may be quoted and traded at the instant. */
export function isTradableAt({ validFrom, validTo }: Pick<Validity, 'validFrom' | 'validTo'>, at: EpochMs): boolean {
  return (validFrom === null || at >= validFrom) && (validTo === null || at < validTo);
}

/** The multiplier that holds at an instant: the new one from its effective time on. */
export function multiplierAt(token: TokenFacts, at: EpochMs): number {
  return at >= token.newMultiplierEffectiveAt ? token.newMultiplier : token.multiplier;
}

/** What a universe entry names, or why it names nothing. */
export type ResolvedUniverseEntry =
  | { readonly ok: true; readonly entry: UniverseEntry }
  | { readonly ok: false; readonly problem: string; readonly allowed: string };

/** `perpetual` is accepted for `perp`: both are said. */
const KIND_SPELLINGS: Readonly<Record<string, InstrumentKind>> = { perpetual: 'perp' };

/**
 * Resolves a symbol (`AAPLx`, `xyz:AAPL`) or `<venue>:<pair>:<instrument kind>` (`spotexchange:BTCUSDT:spot`).
 * The pair is the venue's own name or `<base>/<quote>`, `<base>-<quote>`. Names are case-sensitive,
 * as they are on the venues; what is near is named in the refusal.
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
  // A pair of a builder's dex holds a colon of its own: `evmvenue:xyz:AAPL:perp`.
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

/** A universe entry as text: the symbol where it is unambiguous, else the three-part form. */
export function universeEntryText(entry: UniverseEntry, catalog: Catalog = CATALOG): string {
  const colon = entry.key.indexOf(':');
  const instrument = entry.key.slice(colon + 1);
  const bySymbol = catalog.bySymbol(instrument);
  return bySymbol !== undefined && bySymbol.key === entry.key ? instrument : `${entry.key}:${entry.kind}`;
}
