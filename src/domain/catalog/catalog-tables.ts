/** Tables of the catalog: tokens of shares, pre-IPO tokens and coins. The tables here apply without a catalog file. */
import { TOKEN_2022 } from '../solana/programs.ts';
import type { CatalogEntry, InstrumentKind, TokenFacts, TokenSuccessor } from './catalog.ts';
import type { EpochMs } from '../values/time.ts';
import { EXECUTABLE_VENUES, type ExecutableVenue, type InstrumentKey, instrumentKey, VENUE_FACTS } from '../market/venue.ts';
import type { CryptoAsset, VenueListing } from '../venues/venue-facts.ts';

/** Origins of a feed's provider id. `sandbox` ids are made up: only the sandbox knows them, and no real provider is queried with them. */
export const FEED_ID_SOURCES = ['published', 'sandbox'] as const;
type FeedIdSource = (typeof FEED_ID_SOURCES)[number];

/** Reference feed of a share. */
export interface ReferenceFeed {
  readonly key: InstrumentKey;
  /** Symbol of the share, such as `AAPL`. */
  readonly instrument: string;
  /** Symbol at the provider, such as `Equity.US.AAPL/USD`. */
  readonly feedSymbol: string;
  /** 64 hexadecimal digits without `0x`. */
  readonly feedId: string;
  readonly feedIdSource: FeedIdSource;
}

/** Names that reports use for an issuer. */
export interface IssuerNames {
  /** Central Index Key of the regulator, without leading zeros, or null. */
  readonly cik: string | null;
  readonly tickers: readonly string[];
  /** Complete names, for sources that name an issuer. */
  readonly names: readonly string[];
  /** Words that mean this issuer in any context. */
  readonly distinctive: readonly string[];
}

/** A token of the primary chain that represents a share, or a company before its listing. */
export interface TokenRow {
  /** Symbol of the share or the company, such as `AAPL` or `SPACEX`. A share's token is named after it: `AAPLx`. */
  readonly underlying: string;
  readonly name: string;
  readonly sector: string;
  readonly token: TokenFacts;
  /** Address of the pool whose bars are the token's history, or null. */
  readonly pool: string | null;
  /** Feed of the share's price, or null for a company without a market price. */
  readonly feed: { readonly id: string; readonly source: FeedIdSource } | null;
  /** Null if the engine's own names apply. */
  readonly issuer: IssuerNames | null;
}

/** Tables of a catalog. */
export interface CatalogTables {
  readonly shares: readonly TokenRow[];
  readonly preIpo: readonly TokenRow[];
  readonly crypto: readonly CryptoAsset[];
}

const PUBLISHED_FEED_IDS: Readonly<Record<string, string>> = {
  AAPL: '49f6b65cb1de6b10eaf75e7c03ca029c306d0357e91b5311b175084a5ad55688',
  NVDA: 'b1073854ed24cbc755dc527418f52b7d271f6cc967bbf8d8129112b18860a593',
  TSLA: '16dad506d7db8da01c87581c87ca897a012a153557d4d578c3b9c9e1bc0632f1',
  MSFT: 'd0ca23c1cc005e004ccf1db5bf76aeb6a49218f43dac3d4b275e92de12ded4d1',
  GOOGL: '5a48c03e9b9cb337801073ed9d166817473697efff0d138874e0f6a33d6d5aa6',
  AMZN: 'b5d0e0fa58a1f8b81498ae670ce93c872d14434b72c364885d4fa1b257cbb07a',
  META: '78a3e3b8e676a8f73c439f5d749737034b139bbbe899ba5775216fba596607fe',
  QQQ: '9695e2b96ea7b3859da9ed25b7a46a920a776e2fdae19a7bcfdf2b219230452d',
  MSTR: 'e1e80251e5f5184f2195008382538e847fafc36f751896889dd3d1b1f6111f09',
  COIN: 'fee33f2a978bf32dd6b662b65ba8083c6773b494f8401194ec1870c640860245',
  SPY: '19e09bb805456ada3979a7d1cbb4b6d63babc3a0f8e8a9509f68afa5c4c11cd5',
};

/** Defaults of the tokens in either table. */
export const TOKEN_DEFAULTS = { shares: { decimals: 8, transferFeeBps: 0 }, preIpo: { decimals: 9, transferFeeBps: 100 } } as const;

interface BuiltInRow extends Pick<TokenRow, 'underlying' | 'name' | 'sector'> {
  readonly mint: string;
  /** Multiplier before, multiplier after, and when it changes. A mint without a corporate action stays at 1. */
  readonly multipliers?: readonly [before: number, after: number, effectiveAt: EpochMs];
  /** Absent if the mint has no known end. */
  readonly validTo?: EpochMs;
  readonly successor?: TokenSuccessor;
}

const EQUITIES: readonly BuiltInRow[] = [
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

const PRE_IPO: readonly BuiltInRow[] = [
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

function builtIn(row: BuiltInRow, table: keyof typeof TOKEN_DEFAULTS): TokenRow {
  const { underlying, name, sector, mint, validTo = null, successor = null } = row;
  const [multiplier, newMultiplier, newMultiplierEffectiveAt] = row.multipliers ?? [1, 1, 0];
  const multipliers = { multiplier, newMultiplier, newMultiplierEffectiveAt };
  const id = PUBLISHED_FEED_IDS[underlying];
  return {
    underlying,
    name,
    sector,
    token: { mint, program: TOKEN_2022, ...TOKEN_DEFAULTS[table], ...multipliers, validFrom: null, validTo, successor },
    pool: null,
    feed: id === undefined ? null : { id, source: 'published' },
    issuer: null,
  };
}

/** Tables that apply without a catalog file. */
export const BUILT_IN_TABLES: CatalogTables = {
  shares: EQUITIES.map((row) => builtIn(row, 'shares')),
  preIpo: PRE_IPO.map((row) => builtIn(row, 'preIpo')),
  crypto: CRYPTO,
};

type Listed = VenueListing & Pick<CatalogEntry, 'key' | 'venue'>;

/** Returns an asset's listings, by key. */
function listed(listingsOn: (venue: ExecutableVenue) => readonly VenueListing[] | undefined): Listed[] {
  return EXECUTABLE_VENUES.flatMap((venue) =>
    (listingsOn(venue) ?? []).map((listing) => ({ key: instrumentKey(venue, listing.instrument), venue, ...listing })),
  );
}

function sharePerps({ underlying: symbol, name: token }: TokenRow): Listed[] {
  const name = token.replace(/ xStock$/, '');
  return listed((venue) => VENUE_FACTS[venue].listsShare?.({ symbol, name }));
}

/** Returns the perpetuals on the share behind a token: the same underlying and sector, without a reference of their own. */
function sharePerpEntries(row: TokenRow): CatalogEntry[] {
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

function equityEntry(row: TokenRow): CatalogEntry {
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
    token: row.token,
    benchmark: instrumentKey('reference', row.underlying),
    benchmarkKind: 'reference_price',
    pairedPerp: sharePerps(row)[0]?.key ?? null,
    pairedSpot: null,
    pairedStock: null,
  };
}

function preIpoEntry(row: TokenRow): CatalogEntry {
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
    token: row.token,
    benchmark: instrumentKey('reference', row.underlying),
    benchmarkKind: 'issuer_mark',
    pairedPerp: null,
    pairedSpot: null,
    pairedStock: null,
  };
}

/** Returns all venues' entries of an asset, each related to the others. */
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

/** Returns the reference feeds of the shares, in the order of their table. */
export function listReferenceFeeds({ shares }: CatalogTables): ReferenceFeed[] {
  return shares.flatMap(({ underlying, feed }) =>
    feed === null
      ? []
      : {
          key: instrumentKey('reference', underlying),
          instrument: underlying,
          feedSymbol: `Equity.US.${underlying}/USD`,
          feedId: feed.id,
          feedIdSource: feed.source,
        },
  );
}

/** Builds every instrument of the tables with its relations to others. */
export function buildEntries({ shares, preIpo, crypto }: CatalogTables): CatalogEntry[] {
  return [...shares.map(equityEntry), ...preIpo.map(preIpoEntry), ...crypto.flatMap(cryptoEntries), ...shares.flatMap(sharePerpEntries)];
}
