/** Simulator of SEC EDGAR's submissions on loopback: columnar filings per company, with the fair access limit. */
import { dateText } from './seeded-macro.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import { newYorkOffsetMs, tradingDay } from '../../domain/market/session.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../../domain/values/time.ts';
import { createFaultSwitch, type FaultSwitch } from '../faults.ts';
import { mixed, deriveSeed, uniform } from '../market/seeded-noise.ts';
import { createHttpSimulator, type SimulatorReply } from '../reference/http-simulator.ts';
import type { SeededFiling, SeededStories } from './seeded-stories.ts';

/** Age of the oldest filing that is listed. */
const RECENT_MS = 120 * DAY_MS;
/** Maximum requests per second, and the time for which a faster client is refused. */
const PER_SECOND = 10;
const BLOCK_MS = 600_000;
/** Filings per company and day that cause no event: insider trades. */
const INSIDER_CHANCE = 0.3;

export interface FilingsSimulatorOptions {
  readonly stories: SeededStories;
  /** Companies by the regulator's CIK, without leading zeros. */
  readonly companies: readonly { readonly cik: string; readonly symbol: string; readonly name: string }[];
  readonly clock: Clock;
  readonly faults?: FaultSwitch;
  /** Port; 0 takes any free port. */
  readonly port: number;
}

const REFUSED = '<html><head><title>SEC.gov | Request Rate Threshold Exceeded</title></head></html>';
const UNDECLARED = '<html><head><title>SEC.gov | Your Request Originates from an Undeclared Automated Tool</title></head></html>';
const NO_SUCH_KEY = '<?xml version="1.0" encoding="UTF-8"?><Error><Code>NoSuchKey</Code></Error>';

function insiderFilings(symbol: string, from: EpochMs, to: EpochMs): SeededFiling[] {
  const seed = deriveSeed(`insiders/${symbol}`);
  const found: SeededFiling[] = [];
  for (let day = Math.floor(from / DAY_MS); day * DAY_MS < to; day++) {
    const acceptedAt = day * DAY_MS + 22 * HOUR_MS;
    if (uniform(seed, day) >= INSIDER_CHANCE || acceptedAt < from || acceptedAt >= to) continue;
    const mark = mixed(seed, day);
    found.push({
      symbol,
      accessionNumber: `0009${String(mark % 1_000_000).padStart(6, '0')}-26-${String(day % 1_000_000).padStart(6, '0')}`,
      form: '4',
      items: [],
      acceptedAt,
    });
  }
  return found;
}

/** Returns the filing date: the day itself until 17:30 New York time, later the next business day. Insider reports keep their day. */
function computeFilingDate({ acceptedAt, form }: SeededFiling): string {
  const local = acceptedAt + newYorkOffsetMs(acceptedAt);
  if (form === '4' || local % DAY_MS < 17.5 * HOUR_MS) return dateText(local);
  let next = local + DAY_MS;
  while (tradingDay(dateText(next)) === null) next += DAY_MS;
  return dateText(next);
}

/** Formats filings as columns of equal length, newest first. */
function toColumns(filings: readonly SeededFiling[]) {
  const newest = [...filings].sort((a, b) => b.acceptedAt - a.acceptedAt);
  const iso = (at: EpochMs): string => new Date(at).toISOString();
  return {
    accessionNumber: newest.map(({ accessionNumber }) => accessionNumber),
    filingDate: newest.map(computeFilingDate),
    reportDate: newest.map(({ acceptedAt, form }) => iso(form.endsWith('/A') ? acceptedAt - 5 * HOUR_MS : acceptedAt).slice(0, 10)),
    acceptanceDateTime: newest.map(({ acceptedAt }) => iso(acceptedAt)),
    act: newest.map(() => '34'),
    form: newest.map(({ form }) => form),
    fileNumber: newest.map(() => ''),
    filmNumber: newest.map(() => ''),
    items: newest.map(({ items }) => items.join(',')),
    size: newest.map(() => 8_579),
    isXBRL: newest.map(() => 0),
    isInlineXBRL: newest.map(() => 0),
    primaryDocument: newest.map(({ form }) => (form === '4' ? 'xslF345X03/edgardoc.xml' : 'form8-k.htm')),
    primaryDocDescription: newest.map(({ form }) => form),
  };
}

/** Returns a company's filings in the regulator's format. */
export function formatSubmissions(company: FilingsSimulatorOptions['companies'][number], filings: readonly SeededFiling[]) {
  return {
    cik: company.cik,
    entityType: 'operating',
    sic: '7372',
    name: company.name,
    tickers: [company.symbol],
    exchanges: ['Nasdaq'],
    category: 'Large accelerated filer',
    fiscalYearEnd: '1231',
    filings: { recent: toColumns(filings), files: [] },
  };
}

/** Opens the simulator: `GET /submissions/CIK##########.json`. Refuses with 403 a client that names no contact or exceeds the limit. */
export async function createFilingsSimulator(options: FilingsSimulatorOptions) {
  const { clock, stories } = options;
  const own: SeededFiling[] = [];
  let asked: EpochMs[] = [];
  let blockedUntil = 0;

  function fairAccess(userAgent: string): SimulatorReply | null {
    const now = clock.now();
    if (!/\S+@\S+\.\S+/.test(userAgent)) return { status: 403, body: UNDECLARED };
    asked = [...asked.filter((at) => at > now - 1_000), now];
    if (asked.length > PER_SECOND) blockedUntil = now + BLOCK_MS;
    return now < blockedUntil ? { status: 403, body: REFUSED } : null;
  }

  const simulator = await createHttpSimulator({
    clock,
    faults: options.faults ?? createFaultSwitch(),
    port: options.port,
    reply: ({ path, headers }) => {
      const refusal = fairAccess(headers['user-agent'] ?? '');
      if (refusal !== null) return refusal;
      const cik = /^\/submissions\/CIK(\d{10})\.json$/.exec(path)?.[1]?.replace(/^0+/, '');
      const company = options.companies.find((one) => one.cik === cik);
      if (company === undefined) return { status: 404, body: NO_SUCH_KEY };
      const [from, to] = [clock.now() - RECENT_MS, clock.now() + 1];
      const filings = [
        ...stories.filings(company.symbol, from, to),
        ...insiderFilings(company.symbol, from, to),
        ...own.filter(({ symbol }) => symbol === company.symbol),
      ];
      const etag = `"${filings.length}-${Math.max(0, ...filings.map(({ acceptedAt }) => acceptedAt))}"`;
      if (headers['if-none-match'] === etag) return { status: 304, body: '', headers: { etag } };
      return {
        status: 200,
        headers: { etag },
        body: formatSubmissions(company, filings),
      };
    },
  });
  return {
    ...simulator /** Accepts a filing now. */,
    file: (filing: Omit<SeededFiling, 'acceptedAt'>) => void own.push({ ...filing, acceptedAt: clock.now() }),
  };
}
