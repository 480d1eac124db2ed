/** Answers of the copilot about observed data, each with the same bodies as the route that it links to. */
import { explainDecision } from '../../../src/domain/agents/explain-decision.ts';
import type { CatalogEntry } from '../../../src/domain/catalog/catalog.ts';
import type { Classified } from '../../../src/domain/copilot/classify.ts';
import { isSessionKnown, nextRegularOpen, nextSessionChange, sessionAt } from '../../../src/domain/market/session.ts';
import { Decimal, plainDecimal } from '../../../src/domain/values/decimal.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { ageInWords, figureInWords, timeInWords } from '../../../src/domain/values/words.ts';
import type { ApiPorts } from '../../route.ts';
import { agentBody } from '../agents/agent-body.ts';
import { chainBody } from '../intelligence/chains.ts';
import { eventBody } from '../intelligence/events.ts';
import { regimeBody } from '../intelligence/macro.ts';
import { entryBody } from '../market/catalog-entry.ts';
import { perpBody } from '../market/perps.ts';
import { findVenueState, listStates } from '../market/state-reads.ts';
import { basisBody, DEFAULT_BASIS_NOTIONAL_USD } from '../rankings/basis.ts';
import { cutOfQuery } from '../rankings/ranking-rows.ts';

/** Rows that an answer shows. */
export const SHOWN_ROWS = 5;

interface Asked {
  readonly orgId: string;
  readonly message: string;
  readonly entry: CatalogEntry | null;
}

interface Found {
  readonly reply: string;
  readonly data: unknown;
  readonly links: readonly string[];
}

/** Returns a price as people write it: cents from 100 on, five significant digits below. */
function priceInWords(price: string): string {
  const exact = new Decimal(price);
  return plainDecimal(exact.abs().gte(100) ? exact.toDecimalPlaces(2) : exact.toSignificantDigits(5));
}

const signed = (pct: number | string): string => `${Number(pct) > 0 ? '+' : ''}${figureInWords(Number(pct))}%`;
const inBillions = (usd: string): string => `${plainDecimal(new Decimal(usd).div(1e9).toDecimalPlaces(2))} billion USD`;

function price(ports: ApiPorts, entry: CatalogEntry): Found {
  const body = entryBody(ports, entry);
  const stands =
    body.livePrice === null
      ? 'has no price with both sides at the moment'
      : `stands at ${priceInWords(body.livePrice)} ${entry.quoteCurrency} (${body.livePriceQuality}, observed ${timeInWords(body.livePriceAt ?? '')})`;
  const benchmark = body.referencePrice ?? body.issuerMark;
  const gap =
    body.gapPct === null || benchmark === null
      ? ''
      : `, ${figureInWords(Math.abs(body.gapPct))}% ${body.gapPct < 0 ? 'below' : 'above'} its ${entry.benchmarkKind === 'issuer_mark' ? 'issuer mark' : 'reference price'} of ${priceInWords(benchmark)}`;
  return {
    reply: `${entry.instrument} ${stands}${gap}.`,
    data: body,
    links: [`/v1/quotes?venue=${entry.venue}&instrument=${entry.instrument}`, `/v1/catalog?q=${entry.instrument}`],
  };
}

async function events(ports: ApiPorts, { entry }: Asked): Promise<Found> {
  const about = entry === null ? {} : { symbol: entry.underlying };
  const found = await ports.intelligence.events(about, { limit: SHOWN_ROWS, after: null });
  const items = found.items.map(eventBody);
  const of = entry === null ? '' : ` of ${entry.underlying}`;
  // Headlines are text from outside: they stand in the data and never in a sentence of ours.
  const each = items.map(
    ({ kind, severity, direction, state, observedAt }) => `${kind} (${severity}, ${direction}, ${state}, ${timeInWords(observedAt)})`,
  );
  return {
    reply: items.length === 0 ? `No events${of} are known.` : `The newest events${of}: ${each.join('; ')}.`,
    data: { items },
    links: [`/v1/intelligence/events${entry === null ? '' : `?symbol=${encodeURIComponent(entry.underlying)}`}`],
  };
}

function funding(ports: ApiPorts, { entry }: Asked): Found {
  const { states } = ports.venues;
  const at = ports.clock.now();
  const quotes = new Map(ports.quotes.latest({ venue: 'evmvenue' }).map((quote) => [quote.instrument, quote]));
  const asked = entry === null ? null : (entry.pairedPerp?.slice('evmvenue:'.length) ?? '');
  const items = listStates(states, 'perp_context')
    .filter(({ instrument }) => asked === null || instrument === asked)
    .map((perp) => perpBody(perp, quotes.get(perp.instrument) ?? null, findVenueState(states, 'evmvenue'), at))
    .sort((a, b) => Math.abs(Number(b.annualFundingPct)) - Math.abs(Number(a.annualFundingPct)))
    .slice(0, SHOWN_ROWS);
  const each = items.map(
    ({ instrument, annualFundingPct, quality, nextFundingAt }) =>
      `${instrument} ${signed(annualFundingPct)} a year (${Number(annualFundingPct) < 0 ? 'shorts pay longs' : 'longs pay shorts'}, ${quality}, next ${timeInWords(nextFundingAt)})`,
  );
  const none = entry === null ? 'No funding was received yet.' : `No funding of a perpetual on ${entry.underlying} is known.`;
  return {
    reply: items.length === 0 ? none : `Funding: ${each.join('; ')}.`,
    data: { items },
    links: [asked === null || asked === '' ? '/v1/perps' : `/v1/perps/${encodeURIComponent(asked)}`],
  };
}

async function basis(ports: ApiPorts, { entry }: Asked): Promise<Found> {
  const { cut } = await cutOfQuery(ports, {}, 'basis');
  const rows = await ports.rankings.basis.rows(cut, DEFAULT_BASIS_NOTIONAL_USD);
  const best = (row: (typeof rows)[number]): number => Math.max(...row.edges.map(({ netEdgeBps }) => Number(netEdgeBps ?? '-Infinity')));
  const items = rows
    .filter(({ symbol }) => entry === null || symbol === entry.instrument)
    .sort((a, b) => best(b) - best(a) || a.symbol.localeCompare(b.symbol))
    .slice(0, SHOWN_ROWS)
    .map(basisBody);
  const each = items.map(({ symbol, edges }) => {
    const shown = edges.map(({ against, spreadBps, netEdgeBps, reasons }) =>
      spreadBps === null
        ? `${against} unknown`
        : `${figureInWords(Math.abs(Number(spreadBps)))} bps ${Number(spreadBps) < 0 ? 'below' : 'above'} the ${against}, ${netEdgeBps === null ? `no edge (${reasons.join(', ')})` : `${figureInWords(Number(netEdgeBps))} bps after costs`}`,
    );
    return `${symbol} ${shown.join(' and ')}`;
  });
  return {
    reply: items.length === 0 ? 'There is no basis of it.' : `Basis at ${timeInWords(isoTime(cut.slot))}: ${each.join('; ')}.`,
    data: { items, asOf: isoTime(cut.slot) },
    links: [`/v1/arbitrage/basis${entry === null ? '' : `?symbol=${encodeURIComponent(entry.instrument)}`}`],
  };
}

function session(ports: ApiPorts): Found {
  const at = ports.clock.now();
  const now = sessionAt(at);
  const [change, open] = [nextSessionChange(at), nextRegularOpen(at)];
  const until = change === null ? '' : ` until ${timeInWords(isoTime(change))}`;
  const opens = now === 'REGULAR' || open === null ? '' : ` The next regular session opens ${timeInWords(isoTime(open))}.`;
  const words = { CLOSED: 'closed', PRE_MARKET: 'in pre-market', REGULAR: 'open', POST_MARKET: 'in post-market' }[now];
  return {
    reply: isSessionKnown(at)
      ? `The US exchange is ${words}${until}.${opens} Tokens, coins and perpetuals trade at all hours.`
      : 'The calendar of the US exchange does not reach to this day.',
    data: { session: now, until: change === null ? null : isoTime(change), nextRegularOpen: open === null ? null : isoTime(open) },
    links: ['/v1/catalog/sessions'],
  };
}

async function macro(ports: ApiPorts): Promise<Found> {
  const body = await regimeBody(ports);
  return {
    reply: `The macro regime is ${body.regime.replace('_', '-')}: ${body.explanation}.`,
    data: body,
    links: ['/v1/macro-regime', '/v1/intelligence/macro'],
  };
}

async function chains(ports: ApiPorts, { message }: Asked): Promise<Found> {
  const now = ports.clock.now();
  const rows = (await ports.intelligence.chains()).map((row) => chainBody(row, now));
  const words = message.toLowerCase();
  const named = rows.filter(({ chain }) => chain !== '' && words.includes(chain.toLowerCase()));
  const items = (named.length === 0 ? rows : named).slice(0, SHOWN_ROWS);
  const each = items.map(
    ({ chain, tvlUsd, change7dPct, ageMs }) =>
      `${chain} ${inBillions(tvlUsd)}${change7dPct === null ? '' : ` (${signed(change7dPct)} in 7 days)`}, ${ageInWords(ageMs)} old`,
  );
  return {
    reply: items.length === 0 ? 'The value locked on chains is not known.' : `Value locked: ${each.join('; ')}.`,
    data: { items },
    links: ['/v1/chains'],
  };
}

/** Lists the agents, or explains the newest decision of the one that is named or stands first if the message asks why. */
async function agents(ports: ApiPorts, { orgId, message }: Asked): Promise<Found> {
  const all = (await ports.agents.reads.list(orgId, { limit: 200, after: null })).items.map(agentBody);
  const words = message.toLowerCase();
  const named = all.filter(({ name }) => words.includes(name.toLowerCase()));
  const items = (named.length === 0 ? all : named).slice(0, SHOWN_ROWS);
  const [first] = items;
  const links = ['/v1/agents'];
  if (first === undefined) return { reply: 'Your organization has no agents.', data: { items }, links };
  if (/\bwhy\b/i.test(message)) {
    const decided = await ports.agents.decisions.list(orgId, first.id, { limit: 1, after: null });
    const [decision] = decided?.items ?? [];
    links.push(`/v1/agents/${first.id}/decisions`);
    if (decision === undefined) return { reply: `${first.name} has decided nothing yet.`, data: { items }, links };
    const explained = explainDecision(decision);
    const reply = `${first.name}: ${[explained.summary, ...explained.why, ...explained.missing].join(' ')}`;
    return { reply, data: { items, decision, explained }, links };
  }
  const each = items.map(({ name, stage, paused, pauseCause }) => `${name} (${stage}${paused ? `, paused by ${pauseCause}` : ''})`);
  const more = all.length > items.length && named.length === 0 ? ` The newest of ${all.length}.` : '';
  return { reply: `Your agents: ${each.join('; ')}.${more}`, data: { items }, links };
}

type LookUp = Extract<Classified, { intent: 'look_up' }>;

const TOPIC: Readonly<Record<Exclude<LookUp['topic'], 'price'>, (ports: ApiPorts, asked: Asked) => Found | Promise<Found>>> = {
  events,
  funding,
  basis,
  session,
  macro,
  chains,
  agents,
};

/** Answers a question about observed data. */
export async function lookUp(ports: ApiPorts, asked: LookUp, { orgId, message }: Pick<Asked, 'orgId' | 'message'>): Promise<Found> {
  if (asked.topic === 'price') return price(ports, asked.entry);
  return TOPIC[asked.topic](ports, { orgId, message, entry: asked.entry });
}
