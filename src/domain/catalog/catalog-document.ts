/** The catalog as a JSON document: reading, exporting, and the messages of every problem. */
import { TOKEN_2022 } from '../solana/programs.ts';
import { canonicalJson } from '../values/canonical-json.ts';
import { type CatalogEntry, type CatalogSource, createCatalog, type TokenFacts, type TokenSuccessor } from './catalog.ts';
import { type CatalogTables, buildEntries, FEED_ID_SOURCES, type IssuerNames, TOKEN_DEFAULTS, type TokenRow } from './catalog-tables.ts';
import { describeValue, type Fields, isObject, type Problem, readFields, refuseUnknown } from '../values/field.ts';
import { isAddress } from '../solana/base58.ts';
import { DAY_MS, type EpochMs, MINUTE_MS } from '../values/time.ts';
import { VENUE_FACTS, VENUES } from '../market/venue.ts';
import { type CryptoAsset, DATA_DEGRADATION_MS, type FeedLimits, type LimitOverrides } from '../venues/venue-facts.ts';

/** First member of every document. Another shape gets another number. */
export const CATALOG_FORMAT = 'sevengate-catalog/1';

/** Result of reading a document: a source for the catalog, or every problem with its path (`$.shares[3].mint`). */
type ReadCatalogDocument =
  | { readonly ok: true; readonly source: CatalogSource }
  | { readonly ok: false; readonly problems: readonly Problem[] };

type Table = keyof typeof TOKEN_DEFAULTS;

const ADDRESS = 'an address of the primary chain: 32 bytes in base58';
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/;

const text = (description: string, maxLength: number, optional = false) =>
  ({ type: 'string', minLength: 1, maxLength, description, ...(optional ? { optional: true } : {}) }) as const;

/** Plain members of a token in either table. The other members are read separately. */
const tokenFields = ({ decimals, transferFeeBps }: (typeof TOKEN_DEFAULTS)[Table]): Fields => ({
  underlying: text('symbol of the share or the company', 12),
  name: text('name of the token', 64),
  sector: text('sector, as exposure limits count it', 32),
  mint: text('address of the mint', 44),
  program: { ...text('address of the token program', 44), default: TOKEN_2022 },
  decimals: { type: 'integer', min: 0, max: 12, default: decimals, description: 'decimals of the mint' },
  transferFeeBps: { type: 'integer', min: 0, max: 10_000, default: transferFeeBps, description: 'what the mint takes of a transfer' },
  multiplier: { type: 'number', min: 1e-9, max: 1e9, default: 1, description: 'UI units of one whole unit' },
  pool: text('address of the pool whose bars are its history', 44, true),
});
const TOKEN_OBJECTS = ['nextMultiplier', 'validFrom', 'validTo', 'successor', 'feed', 'issuer'] as const;

interface PlainToken
  extends Pick<TokenRow, 'underlying' | 'name' | 'sector'>,
    Pick<TokenFacts, 'mint' | 'program' | 'decimals' | 'transferFeeBps' | 'multiplier'> {
  readonly pool?: string;
}

const CRYPTO_FIELDS: Fields = { symbol: text('symbol of the coin', 12), name: text('its name', 64) };

const LIMIT_FIELDS: Fields = {
  maxAgeMs: { type: 'integer', min: 100, max: DAY_MS, optional: true, description: 'an older quote is stale, in milliseconds' },
  silentAfterMs: {
    type: 'integer',
    min: 100,
    max: DAY_MS,
    optional: true,
    description: 'a feed that is silent for longer is degraded',
  },
  maxSkewMs: { type: 'integer', min: 1, max: 600_000, optional: true, description: 'how far an event may lie in the future' },
  maxConfidence: { type: 'number', min: 1e-6, max: 1, optional: true, description: 'half-width / price of a reference price' },
  maxJump: { type: 'number', min: 1e-6, max: 1, optional: true, description: 'a larger step of the price has to be confirmed' },
};
const AGE_FIELDS: Fields = {
  perpContextMaxAgeMs: {
    type: 'integer',
    min: 1_000,
    max: DAY_MS,
    optional: true,
    description: 'age of a mark, funding and open interest',
  },
  eventsMaxSilenceMs: { type: 'integer', min: 1_000, max: DAY_MS, optional: true, description: 'silence of a source of events' },
  issuerMarkMaxAgeMs: { type: 'integer', min: MINUTE_MS, max: 366 * DAY_MS, optional: true, description: "age of an issuer's mark" },
};

/** Reads a document. Each problem names its place, the fault and the fix. @param budgets Names of the request budgets. */
export function readCatalogDocument(value: unknown, budgets: readonly string[]): ReadCatalogDocument {
  const problems: Problem[] = [];
  if (!isObject(value)) return { ok: false, problems: [{ path: '$', problem: `is ${describeValue(value)}`, allowed: 'an object' }] };
  if (value['format'] !== CATALOG_FORMAT)
    problems.push({ path: '$.format', problem: `is ${describeValue(value['format'])}`, allowed: `the text "${CATALOG_FORMAT}"` });
  refuseUnknown(value, ['format', 'shares', 'preIpo', 'crypto', 'budgets', 'limits'], '$', problems);
  const tables: CatalogTables = {
    shares: rows(value, 'shares', problems, (row, path) => tokenRow(row, 'shares', path, problems)),
    preIpo: rows(value, 'preIpo', problems, (row, path) => tokenRow(row, 'preIpo', path, problems)),
    crypto: rows(value, 'crypto', problems, (row, path) => readFields(row, CRYPTO_FIELDS, path, problems) as unknown as CryptoAsset),
  };
  const source = { tables, budgets: readBudgets(value['budgets'], budgets, problems), limits: readLimits(value['limits'], problems) };
  if (problems.length === 0) refuseDoubles(tables, problems);
  return problems.length === 0 ? { ok: true, source } : { ok: false, problems };
}

function rows<Row>(
  value: Record<string, unknown>,
  name: string,
  problems: Problem[],
  read: (row: Record<string, unknown>, path: string) => Row,
): Row[] {
  const list = value[name];
  if (!Array.isArray(list)) {
    problems.push({ path: `$.${name}`, problem: `is ${describeValue(list)}`, allowed: 'a list, which may be empty' });
    return [];
  }
  return list.flatMap((row: unknown, index) => {
    const path = `$.${name}[${index}]`;
    if (isObject(row)) return [read(row, path)];
    problems.push({ path, problem: `is ${describeValue(row)}`, allowed: 'an object' });
    return [];
  });
}

function tokenRow(row: Record<string, unknown>, table: Table, path: string, problems: Problem[]): TokenRow {
  const plain = readFields(row, tokenFields(TOKEN_DEFAULTS[table]), path, problems, null, TOKEN_OBJECTS);
  // A missing value is already a problem, and the row is not used.
  const { underlying, name, sector, mint, program, decimals, transferFeeBps, multiplier, pool = null } = plain as unknown as PlainToken;
  for (const [field, address] of Object.entries({ mint, program, pool }))
    if (typeof address === 'string' && !isAddress(address))
      problems.push({ path: `${path}.${field}`, problem: `${describeValue(address)} is not an address`, allowed: ADDRESS });
  if (typeof underlying === 'string' && !/^[A-Z][A-Z0-9.]{0,11}$/.test(underlying))
    problems.push({
      path: `${path}.underlying`,
      problem: `${describeValue(underlying)} is not a symbol`,
      allowed: 'capital letters and digits, such as AAPL',
    });
  const next = nextMultiplier(row['nextMultiplier'], path, problems) ?? { newMultiplier: multiplier, newMultiplierEffectiveAt: 0 };
  return {
    underlying,
    name,
    sector,
    token: {
      mint,
      program,
      decimals,
      multiplier,
      ...next,
      transferFeeBps,
      validFrom: readInstant(row['validFrom'], `${path}.validFrom`, problems),
      validTo: readInstant(row['validTo'], `${path}.validTo`, problems),
      successor: readSuccessor(row['successor'], path, problems),
    },
    pool,
    feed: readFeed(row['feed'], table, path, problems),
    issuer: readIssuer(row['issuer'], path, problems),
  };
}

/** Reads an instant, or null if it is missing. An invalid one is a problem. */
function readInstant(value: unknown, path: string, problems: Problem[]): EpochMs | null {
  if (value === undefined || value === null) return null;
  const at = typeof value === 'string' && INSTANT.test(value) ? Date.parse(value) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  problems.push({ path, problem: `${describeValue(value)} is not an instant`, allowed: 'an instant in UTC such as 2027-03-12T00:00:00Z' });
  return null;
}

/** Reads an optional object, or null if it is missing or not an object. */
function readObject(value: unknown, path: string, problems: Problem[]): Record<string, unknown> | null {
  if (value === undefined || value === null) return null;
  if (isObject(value)) return value;
  problems.push({ path, problem: `is ${describeValue(value)}`, allowed: 'an object' });
  return null;
}

function nextMultiplier(value: unknown, of: string, problems: Problem[]) {
  const path = `${of}.nextMultiplier`;
  const next = readObject(value, path, problems);
  if (next === null) return null;
  const fields: Fields = { value: { type: 'number', min: 1e-9, max: 1e9, description: 'UI units of one whole unit' } };
  const { value: newMultiplier } = readFields(next, fields, path, problems, null, ['from']);
  const from = readInstant(next['from'] ?? '', `${path}.from`, problems);
  return { newMultiplier: newMultiplier as number, newMultiplierEffectiveAt: from ?? 0 };
}

function readSuccessor(value: unknown, of: string, problems: Problem[]): TokenSuccessor | null {
  const path = `${of}.successor`;
  const successor = readObject(value, path, problems);
  if (successor === null) return null;
  const fields: Fields = { symbol: text('symbol of the new token', 16), mint: text('address of its mint', 44) };
  const { symbol, mint } = readFields(successor, fields, path, problems, null, ['convertsFrom']) as Record<string, string>;
  if (mint !== undefined && !isAddress(mint))
    problems.push({ path: `${path}.mint`, problem: `${describeValue(mint)} is not an address`, allowed: ADDRESS });
  const convertsFrom = readInstant(successor['convertsFrom'] ?? '', `${path}.convertsFrom`, problems) ?? 0;
  return { symbol: symbol ?? '', mint: mint ?? '', convertsFrom };
}

function readFeed(value: unknown, table: Table, of: string, problems: Problem[]): TokenRow['feed'] {
  const path = `${of}.feed`;
  const feed = readObject(value, path, problems);
  if (table === 'preIpo') {
    if (feed !== null) problems.push({ path, problem: 'no market prices a company before its listing', allowed: 'no feed in this table' });
    return null;
  }
  if (feed === null) {
    problems.push({ path, problem: 'is missing', allowed: 'an object with the id of the feed of the share, and its source' });
    return null;
  }
  const fields: Fields = {
    id: text("the provider's id of the feed", 66),
    source: { type: 'choice', choices: FEED_ID_SOURCES, description: 'where the id is from' },
  };
  const { id, source } = readFields(feed, fields, path, problems) as { id?: string; source?: 'published' | 'sandbox' };
  const hex = (id ?? '').replace(/^0x/, '').toLowerCase();
  if (id !== undefined && !/^[0-9a-f]{64}$/.test(hex))
    problems.push({ path: `${path}.id`, problem: `${describeValue(id)} is not a feed id`, allowed: '64 hexadecimal digits' });
  return { id: hex, source: source ?? 'published' };
}

function readIssuer(value: unknown, of: string, problems: Problem[]): IssuerNames | null {
  const path = `${of}.issuer`;
  const issuer = readObject(value, path, problems);
  if (issuer === null) return null;
  const { cik } = readFields(issuer, { cik: text('key of the regulator', 10, true) }, path, problems, null, [
    'tickers',
    'names',
    'distinctive',
  ]);
  if (cik !== undefined && !/^[1-9]\d{0,9}$/.test(String(cik)))
    problems.push({
      path: `${path}.cik`,
      problem: `${describeValue(cik)} is not a CIK`,
      allowed: 'digits without leading zeros',
    });
  const words = (name: string): string[] => {
    const list = issuer[name] ?? [];
    if (Array.isArray(list) && list.every((word) => typeof word === 'string' && word.trim() !== '' && word.length <= 64))
      return list as string[];
    problems.push({ path: `${path}.${name}`, problem: `is ${describeValue(list)}`, allowed: 'a list of names of at most 64 characters' });
    return [];
  };
  return {
    cik: cik === undefined ? null : String(cik),
    tickers: words('tickers'),
    names: words('names'),
    distinctive: words('distinctive'),
  };
}

function readBudgets(value: unknown, known: readonly string[], problems: Problem[]): CatalogSource['budgets'] {
  const given = readObject(value, '$.budgets', problems) ?? {};
  refuseUnknown(given, known, '$.budgets', problems);
  for (const [name, limit] of Object.entries(given))
    if (!Number.isInteger(limit) || (limit as number) < 1 || (limit as number) > 1_000_000)
      problems.push({
        path: `$.budgets.${name}`,
        problem: `is ${describeValue(limit)}`,
        allowed: 'a whole number of requests from 1 to 1000000',
      });
  return given as Record<string, number>;
}

function readLimits(value: unknown, problems: Problem[]): LimitOverrides {
  const given = readObject(value, '$.limits', problems) ?? {};
  const ages = readFields(given, AGE_FIELDS, '$.limits', problems, null, ['venues', 'sources']);
  const venues = readObject(given['venues'], '$.limits.venues', problems) ?? {};
  refuseUnknown(venues, VENUES, '$.limits.venues', problems);
  return {
    ...ages,
    ...(given['venues'] === undefined ? {} : { venues: cells(venues, '$.limits.venues', problems) }),
    ...(given['sources'] === undefined ? {} : { sources: readSources(given['sources'], problems) }),
  };
}

function readSources(value: unknown, problems: Problem[]): Record<string, Partial<FeedLimits>> {
  const sources = readObject(value, '$.limits.sources', problems) ?? {};
  const wrong = Object.keys(sources).filter((name) => !/^[a-z0-9_-]{1,32}:[A-Za-z0-9_-]{1,32}$/.test(name));
  for (const name of wrong)
    problems.push({ path: `$.limits.sources.${name.slice(0, 60)}`, problem: 'is no source', allowed: 'a name such as kalshi:orderbook' });
  return cells(sources, '$.limits.sources', problems);
}

function cells(given: Record<string, unknown>, of: string, problems: Problem[]): Record<string, Partial<FeedLimits>> {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const path = `${of}.${name.slice(0, 60)}`;
      const cell = readFields(readObject(value, path, problems) ?? {}, LIMIT_FIELDS, path, problems) as Partial<FeedLimits>;
      if ((cell.silentAfterMs ?? 0) > DATA_DEGRADATION_MS && tripsBySilence(name)) {
        problems.push({
          path: `${path}.silentAfterMs`,
          problem: `is ${cell.silentAfterMs}; the breaker of a streaming feed trips after ${DATA_DEGRADATION_MS}`,
          allowed: `at most ${DATA_DEGRADATION_MS}`,
        });
      }
      return [name, cell];
    }),
  );
}

/** True for a streaming feed whose silence trips the breaker. Agents do not trade on prediction markets. */
function tripsBySilence(name: string): boolean {
  const cells = VENUES.flatMap((venue) => {
    const { limits, sourceLimits } = VENUE_FACTS[venue];
    return name === venue ? [limits] : sourceLimits?.[name] === undefined ? [] : [{ ...limits, ...sourceLimits[name] }];
  });
  return cells.some(({ cadence, silentAfterMs }) => cadence !== 'polled' && silentAfterMs <= DATA_DEGRADATION_MS);
}

/** Adds a problem for each name, mint or feed that is used twice. */
function refuseDoubles(tables: CatalogTables, problems: Problem[]): void {
  const seen = new Map<string, string>();
  const once = (what: string, path: string): void => {
    const first = seen.get(what);
    if (first === undefined) seen.set(what, path);
    else
      problems.push({ path, problem: `${what} is listed twice, first at ${first}`, allowed: 'every underlying, mint, pool and feed once' });
  };
  for (const table of ['shares', 'preIpo'] as const)
    for (const [index, { underlying, token, pool, feed }] of tables[table].entries()) {
      const path = `$.${table}[${index}]`;
      once(`underlying ${underlying}`, `${path}.underlying`);
      once(`mint ${token.mint}`, `${path}.mint`);
      if (pool !== null) once(`pool ${pool}`, `${path}.pool`);
      if (feed !== null) once(`feed ${feed.id}`, `${path}.feed.id`);
    }
  for (const [index, { symbol }] of tables.crypto.entries()) once(`underlying ${symbol}`, `$.crypto[${index}].symbol`);
  if (problems.length > 0) return;
  try {
    createCatalog(buildEntries(tables));
  } catch (error) {
    problems.push({ path: '$', problem: (error as Error).message, allowed: 'every name once' });
  }
}

/** Returns the document of a source, which reads back as the same source. */
export function catalogDocument({ tables, budgets, limits }: CatalogSource): Record<string, unknown> {
  return {
    format: CATALOG_FORMAT,
    shares: tables.shares.map(tokenDocument),
    preIpo: tables.preIpo.map(tokenDocument),
    crypto: tables.crypto,
    budgets,
    limits,
  };
}

function tokenDocument({ underlying, name, sector, token, pool, feed, issuer }: TokenRow): Record<string, unknown> {
  const { mint, program, decimals, transferFeeBps, multiplier, newMultiplier, newMultiplierEffectiveAt, successor } = token;
  const at = (instant: EpochMs | null): string | undefined => (instant === null ? undefined : new Date(instant).toISOString());
  return {
    underlying,
    name,
    sector,
    mint,
    program,
    decimals,
    transferFeeBps,
    multiplier,
    ...(newMultiplier === multiplier ? {} : { nextMultiplier: { value: newMultiplier, from: at(newMultiplierEffectiveAt) } }),
    ...(token.validFrom === null ? {} : { validFrom: at(token.validFrom) }),
    ...(token.validTo === null ? {} : { validTo: at(token.validTo) }),
    ...(successor === null ? {} : { successor: { ...successor, convertsFrom: at(successor.convertsFrom) } }),
    ...(pool === null ? {} : { pool }),
    ...(feed === null ? {} : { feed }),
    ...(issuer === null ? {} : { issuer: { ...issuer, cik: issuer.cik ?? undefined } }),
  };
}

/** Returns the instruments that another source adds, changes and removes, by name. */
export function catalogChanges(
  from: CatalogSource,
  to: CatalogSource,
): Readonly<Record<'added' | 'changed' | 'removed', readonly string[]>> {
  const [before, after] = [from, to].map(({ tables }) => createCatalog(buildEntries(tables)));
  if (before === undefined || after === undefined) throw new Error('two sources make two catalogs');
  const indexRows = ({ tables }: CatalogSource) => new Map([...tables.shares, ...tables.preIpo].map((row) => [row.token.mint, row]));
  const [oldRows, newRows] = [indexRows(from), indexRows(to)];
  const same = (one: object | undefined, other: object | undefined): boolean => canonicalJson({ ...one }) === canonicalJson({ ...other });
  const isOther = (entry: CatalogEntry): boolean => {
    const old = before.byKey(entry.key);
    if (old === undefined) return false;
    const mint = entry.token?.mint ?? '';
    return !same(old, entry) || !same(oldRows.get(mint), newRows.get(mint));
  };
  return {
    added: after.entries.filter(({ key }) => before.byKey(key) === undefined).map(({ instrument }) => instrument),
    changed: after.entries.filter(isOther).map(({ instrument }) => instrument),
    removed: before.entries.filter(({ key }) => after.byKey(key) === undefined).map(({ instrument }) => instrument),
  };
}
