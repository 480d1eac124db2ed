/** Maps names in reports and posts to underlyings of the catalog. Explainable, and never a guess. */
import { CATALOG, type Catalog } from '../catalog/catalog.ts';
import type { IssuerNames } from '../catalog/catalog-tables.ts';

export const MENTION_KINDS = ['ticker', 'cik', 'name', 'cashtag'] as const;
type MentionKind = (typeof MENTION_KINDS)[number];

/** A name, as a source wrote it. */
export interface Mention {
  readonly kind: MentionKind;
  readonly text: string;
}

/** An underlying, with the text that identified it. */
export interface Entity {
  /** The underlying's symbol: `AAPL`, `BTC`, `SPACEX`. */
  readonly asset: string;
  readonly by: MentionKind;
  readonly matched: string;
}

/** Underlyings of the mentions. An ambiguous name maps to none of its underlyings. */
interface Mapped {
  readonly entities: readonly Entity[];
  readonly ambiguous: readonly { readonly matched: string; readonly assets: readonly string[] }[];
  readonly unmapped: readonly string[];
}

/** Issuer with its symbol. Ordinary words are not among the distinctive names. */
interface Issuer extends IssuerNames {
  readonly asset: string;
}

function issuer(
  asset: string,
  cik: string | null,
  tickers: readonly string[],
  names: readonly string[],
  distinctive: readonly string[],
): Issuer {
  return { asset, cik, tickers, names, distinctive };
}

/** Issuers of the underlyings. Regulator keys are those of its public list of company tickers. */
export const ISSUERS: readonly Issuer[] = [
  issuer('AAPL', '320193', [], ['Apple', 'Apple Computer'], []),
  issuer('TSLA', '1318605', [], ['Tesla', 'Tesla Motors'], ['Tesla']),
  issuer('NVDA', '1045810', [], ['NVIDIA'], ['NVIDIA']),
  issuer('SPY', '884394', [], ['SPDR S&P 500 ETF Trust'], []),
  issuer('QQQ', '1067839', [], ['Invesco QQQ Trust'], []),
  issuer('GOOGL', '1652044', ['GOOG'], ['Alphabet', 'Google'], ['Google']),
  issuer('AMZN', '1018724', [], ['Amazon', 'Amazon.com'], ['Amazon.com']),
  issuer('META', '1326801', [], ['Meta Platforms', 'Facebook'], ['Meta Platforms']),
  issuer('MSFT', '789019', [], ['Microsoft'], ['Microsoft']),
  issuer('MSTR', '1050446', [], ['Strategy', 'MicroStrategy'], ['MicroStrategy']),
  issuer('COIN', '1679788', [], ['Coinbase Global', 'Coinbase'], ['Coinbase']),
  issuer('SPACEX', '1181412', [], ['SpaceX', 'Space Exploration Technologies'], ['SpaceX']),
  issuer('OPENAI', null, [], ['OpenAI', 'OpenAI Group'], ['OpenAI']),
  issuer('ANTHROPIC', null, [], ['Anthropic'], ['Anthropic']),
  issuer('ANDURIL', null, [], ['Anduril', 'Anduril Industries'], ['Anduril']),
  issuer('FIGUREAI', null, [], ['Figure AI'], ['Figure AI']),
  issuer('KALSHI', null, [], ['Kalshi', 'KalshiEX'], ['Kalshi']),
  issuer('NEURALINK', null, [], ['Neuralink'], ['Neuralink']),
  issuer('POLYMARKET', null, [], ['Polymarket'], ['Polymarket']),
  issuer('BTC', null, ['XBT'], ['Bitcoin'], ['Bitcoin']),
  issuer('ETH', null, [], ['Ether', 'Ethereum'], ['Ethereum']),
  issuer('SOL', null, [], ['Solana'], ['Solana']),
];

/** Returns the issuers of this process: those above, or the catalog file's for its own underlyings. */
export function issuersNow(): readonly Issuer[] {
  const { shares, preIpo } = CATALOG.source.tables;
  const told = [...shares, ...preIpo].flatMap(({ underlying: asset, issuer: names }) => (names === null ? [] : [{ asset, ...names }]));
  return [...ISSUERS.filter(({ asset }) => !told.some((own) => own.asset === asset)), ...told];
}

const LEGAL_FORMS = /\b(?:inc|incorporated|corp|corporation|co|company|ltd|limited|llc|plc|pbc|holdings|class [a-c]|common stock|the)\b/g;

/** Returns a company's canonical name without its legal form. */
export function plainName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[.,'’]/g, '')
    .replace(LEGAL_FORMS, ' ')
    .replace(/[^a-z0-9&]+/g, ' ')
    .trim();
}

/** Names of the catalog's underlyings, indexed for look-ups. */
export type EntityNames = ReturnType<typeof indexEntityNames>;

/** Returns the look-up key of a mention, which depends only on its kind and normalized text. */
function toLookupKey({ kind, text }: Mention): string {
  if (kind === 'cik') return `cik ${text.replace(/^0+/, '')}`;
  if (kind === 'name') return `name ${plainName(text)}`;
  return `ticker ${text.replace(/^\$/, '').toUpperCase()}`;
}

/** Indexes issuers and the catalog's own symbols. Underlyings outside the catalog are ignored. */
export function indexEntityNames(catalog: Catalog, issuers: readonly Issuer[] = issuersNow()) {
  const assets = new Map<string, Set<string>>();
  const ciks = new Map<string, string>();
  const distinctive: { readonly word: RegExp; readonly text: string }[] = [];
  const put = (mention: Mention, asset: string): void => {
    const key = toLookupKey(mention);
    const known = assets.get(key);
    if (known === undefined) assets.set(key, new Set([asset]));
    else known.add(asset);
  };
  const listed = new Set(catalog.entries.map(({ underlying }) => underlying));
  for (const { underlying, instrument, kind } of catalog.entries) {
    put({ kind: 'ticker', text: underlying }, underlying);
    if (kind !== 'spot') put({ kind: 'ticker', text: instrument }, underlying);
  }
  for (const { asset, cik, tickers, names, distinctive: words } of issuers) {
    if (!listed.has(asset)) continue;
    if (cik !== null) {
      put({ kind: 'cik', text: cik }, asset);
      ciks.set(cik, asset);
    }
    for (const text of tickers) put({ kind: 'ticker', text }, asset);
    for (const text of names) put({ kind: 'name', text }, asset);
    for (const text of words)
      distinctive.push({ word: new RegExp(`(?<![A-Za-z0-9])${text.replace(/[.]/g, '\\.')}(?![A-Za-z0-9])`, 'i'), text });
  }
  return {
    /** Underlyings with a regulator key, by key without leading zeros. */
    ciks,
    map(mentions: readonly Mention[]): Mapped {
      const entities = new Map<string, Entity>();
      const ambiguous = new Map<string, { matched: string; assets: readonly string[] }>();
      const unmapped = new Set<string>();
      for (const mention of mentions) {
        const found = [...(assets.get(toLookupKey(mention)) ?? [])].sort();
        const [asset] = found;
        if (asset === undefined) unmapped.add(mention.text);
        else if (found.length > 1) ambiguous.set(mention.text, { matched: mention.text, assets: found });
        else if (!entities.has(asset)) entities.set(asset, { asset, by: mention.kind, matched: mention.text });
      }
      return { entities: [...entities.values()], ambiguous: [...ambiguous.values()], unmapped: [...unmapped] };
    },
    /** Returns the cashtags (`$AAPL`) and distinctive names in a text, in order, each once. */
    mentionsIn(text: string): readonly Mention[] {
      const mentions: Mention[] = [];
      const seen = new Set<string>();
      for (const [, tag = ''] of text.matchAll(/(?<![A-Za-z0-9$])\$([A-Za-z][A-Za-z0-9]{0,14})(?![A-Za-z0-9])/g)) {
        if (seen.has(tag.toUpperCase())) continue;
        seen.add(tag.toUpperCase());
        mentions.push({ kind: 'cashtag', text: `$${tag}` });
      }
      for (const { word, text: name } of distinctive) if (word.test(text)) mentions.push({ kind: 'name', text: name });
      return mentions;
    },
  };
}
