/** Answers of the copilot. It reads and shows data and writes drafts. It changes nothing. */
import { explainDecision } from '../../../src/domain/agents/explain-decision.ts';
import {
  DEFAULT_MAX_HOLD_HOURS,
  DEFAULT_POLICY_LIFE_MS,
  DEFAULT_POLICY_SLIPPAGE_BPS,
  policyTake,
} from '../../../src/domain/basis/policy.ts';
import type { CatalogEntry } from '../../../src/domain/catalog/catalog.ts';
import { type Classified, INTENTS, type Intent } from '../../../src/domain/copilot/classify.ts';
import type { Cut } from '../../../src/domain/market/cut.ts';
import { computeImpact } from '../../../src/domain/portfolio/impact.ts';
import { type Portfolio, computePortfolio } from '../../../src/domain/portfolio/portfolio.ts';
import { DEFAULT_SLIPPAGE_BUDGET_BPS, FAIR_VALUE_FORMULAS, rankFairValue } from '../../../src/domain/ranking/fair-value.ts';
import { momentumBars } from '../../../src/domain/ranking/momentum.ts';
import { PRIVATE_FORMULAS, type PrivateMode, rankPrivateMarkets } from '../../../src/domain/ranking/private-markets.ts';
import type { RankedRow } from '../../../src/domain/ranking/ranked-row.ts';
import { compileThesis } from '../../../src/domain/take/compile-thesis.ts';
import { takeHash } from '../../../src/domain/take/take.ts';
import { canonicalHash } from '../../../src/domain/values/canonical-json.ts';
import { plainDecimal } from '../../../src/domain/values/decimal.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { ageInWords, figureInWords, timeInWords } from '../../../src/domain/values/words.ts';
import type { ApiPorts } from '../../route.ts';
import { simulatedBody } from '../books/portfolio-impact.ts';
import { cutOfQuery, rowBody } from '../rankings/ranking-rows.ts';
import { fitPortfolio } from '../rankings/rankings.ts';
import { assessed, isAssessable } from '../rankings/stock-assessments.ts';
import { lookUp, SHOWN_ROWS } from './look-ups.ts';

/** Minimum liquidity of a liquid token, in US dollars of both sides. */
const LIQUID_USD = 100_000;

export interface CopilotCaller {
  readonly orgId: string;
  readonly permissions: readonly string[];
}

export interface CopilotAnswer {
  readonly intent: Intent;
  readonly reply: string;
  /** Data behind the reply, or null. */
  readonly data: unknown;
  /** Links to the complete data. */
  readonly links: readonly string[];
  readonly draft: CopilotDraft | null;
  /** Asset of the conversation from now on, or null if the message named none. */
  readonly symbol: string | null;
}

/** A draft to review. It is not stored or armed. `next` names the call to make. */
interface CopilotDraft {
  readonly kind: 'take' | 'policy';
  readonly hash: string;
  readonly body: unknown;
  readonly understood: readonly { readonly phrase: string; readonly as: string }[];
  readonly assumed: readonly string[];
  readonly next: { readonly method: 'POST'; readonly path: string; readonly body: unknown };
}

const nothing = { data: null, links: [], draft: null, symbol: null } as const;

const needsOwnReading = (intent: Intent): CopilotAnswer => ({
  ...nothing,
  intent,
  reply: 'This looks at what belongs to your organization, which needs agent:read.',
});

async function rank(ports: ApiPorts, caller: CopilotCaller, asked: Extract<Classified, { intent: 'rank' }>): Promise<CopilotAnswer> {
  const { cut } = await cutOfQuery(ports, {}, 'fair-value');
  if ('privateMode' in asked) {
    const { privateMode: mode } = asked;
    if (mode === 'portfolio_fit' && !caller.permissions.includes('agent:read')) return needsOwnReading('rank');
    const rows = await privateRows(ports, caller, mode, cut);
    return ranked(cut, rows, { mode, formula: PRIVATE_FORMULAS[mode], link: '/v1/rankings/private', liquidOnly: false });
  }
  const { mode, liquidOnly } = asked;
  const rows = rankFairValue(ports.catalog.entries.entries, cut, { mode, slippageBps: DEFAULT_SLIPPAGE_BUDGET_BPS });
  return ranked(cut, rows, { mode, formula: FAIR_VALUE_FORMULAS[mode], link: '/v1/rankings/fair-value', liquidOnly });
}

/** Ranks pre-IPO tokens at a cut, with the bars or books that the mode needs. */
async function privateRows(ports: ApiPorts, { orgId }: CopilotCaller, mode: PrivateMode, cut: Cut): Promise<readonly RankedRow[]> {
  const tokens = ports.catalog.entries.entries.filter(({ kind }) => kind === 'pre_ipo');
  const keys = tokens.map(({ key }) => key);
  return rankPrivateMarkets(tokens, cut, {
    mode,
    slippageBps: DEFAULT_SLIPPAGE_BUDGET_BPS,
    ...(mode === 'momentum' ? { bars: await ports.rankings.bars.nearest(keys, '1h', momentumBars(cut.slot)) } : {}),
    ...(mode === 'portfolio_fit' ? { portfolio: await fitPortfolio(ports, orgId, 'paper') } : {}),
  });
}

/** Modes whose score is a gap in percent. */
const IN_PERCENT: ReadonlySet<string> = new Set(['deepest_discount', 'highest_premium', 'gap_to_mark']);

interface Ranking {
  readonly mode: string;
  readonly formula: string;
  readonly link: string;
  readonly liquidOnly: boolean;
}

function ranked(cut: Cut, rows: readonly RankedRow[], { mode, formula, link, liquidOnly }: Ranking): CopilotAnswer {
  const shown = rows
    .filter(({ rank: place, liquidityUsd }) => place !== null && (!liquidOnly || Number(liquidityUsd ?? 0) >= LIQUID_USD))
    .slice(0, SHOWN_ROWS);
  const [first] = shown;
  const unranked = rows.filter(({ rank: place }) => place === null).length;
  const carried = shown.find(({ flags }) => flags.includes('carried_reference'));
  const reservation =
    carried === undefined ? '' : ` The exchange is closed: reference prices are ${ageInWords(carried.reference?.ageMs ?? 0)} old.`;
  const modeInWords = mode.replaceAll('_', ' ');
  const unit = IN_PERCENT.has(mode) ? '%' : '';
  const reply =
    first === undefined
      ? `At ${timeInWords(isoTime(cut.slot))} nothing could be ranked by ${modeInWords}: ${[...new Set(rows.flatMap(({ reasons }) => reasons))].join(', ')}.`
      : `By ${modeInWords} at ${timeInWords(isoTime(cut.slot))}${liquidOnly ? `, with at least ${LIQUID_USD.toLocaleString('en-US')} USD in its pools` : ''}: ${shown.map((row) => `${row.rank}. ${row.symbol} (${figureInWords(Number(row.score))}${unit})`).join(', ')}.${unranked === 0 ? '' : ` ${unranked} could not be ranked.`}${reservation}`;
  return {
    intent: 'rank',
    reply,
    data: { mode, formula, asOf: isoTime(cut.slot), items: shown.map(rowBody) },
    links: [`${link}?mode=${mode}`],
    draft: null,
    symbol: first?.symbol ?? null,
  };
}

async function assess(ports: ApiPorts, entry: CatalogEntry): Promise<CopilotAnswer> {
  if (!isAssessable(entry))
    return { ...nothing, intent: 'assess', reply: `${entry.instrument} is no stock: there is no assessment of it.` };
  const body = await assessed(ports, entry);
  const reply = `${entry.instrument}: ${body.bull.length} claims for it, ${body.bear.length} against it, ${body.catalysts.length} catalysts, on ${body.sources.length} sources (${body.method}).${body.thin.length === 0 ? '' : ` ${body.thin.join(' ')}`}`;
  return {
    intent: 'assess',
    reply,
    data: body,
    links: [`/v1/stocks/${entry.instrument}/assessment`],
    draft: null,
    symbol: entry.instrument,
  };
}

async function portfolio(ports: ApiPorts, { orgId }: CopilotCaller): Promise<CopilotAnswer> {
  const made = computePortfolio(await ports.portfolio.read(orgId, 'paper', { read: [], unread: [] }), ports.catalog.entries);
  const sectors = made.sectors.map(({ sector, weightPct, netUsd }) => ({ sector, weightPct, netUsd }));
  const weights = sectors.map(({ sector, weightPct }) => (weightPct === null ? `${sector} of unknown weight` : `${sector} ${weightPct}%`));
  const reply =
    made.holdings.length === 0 && made.totals.valueUsd === '0'
      ? 'Your paper books hold nothing yet.'
      : `Your paper books are worth ${made.totals.valueUsd} USD in ${made.holdings.length} holdings: ${weights.join(', ')}.`;
  return {
    intent: 'portfolio',
    reply,
    data: { totals: made.totals, sectors },
    links: ['/v1/portfolio?mode=paper'],
    draft: null,
    symbol: null,
  };
}

/** Simulates a purchase on the paper books, like `POST /v1/portfolio/impact`. It buys nothing. */
async function impact(
  ports: ApiPorts,
  { orgId }: CopilotCaller,
  { entry, notionalUsd }: Extract<Classified, { intent: 'impact' }>,
): Promise<CopilotAnswer> {
  const request = { mode: 'paper', allocations: [{ instrument: entry.key, side: 'buy', notionalUsd }] } as const;
  const { material, bookId, assessed } = await ports.portfolio.assess(orgId, 'paper', { read: [], unread: [] }, [
    { instrument: entry.key, side: 'buy', notionalUsd: plainDecimal(notionalUsd) },
  ]);
  const { before, after, allocations } = computeImpact(material, bookId, assessed, ports.catalog.entries);
  const done = allocations.map(simulatedBody);
  const pickWeights = ({ sectors }: Portfolio) => sectors.map(({ sector, weightPct }) => ({ sector, weightPct }));
  const weightIn = (portfolio: Portfolio) => portfolio.sectors.find(({ sector }) => sector === entry.sector)?.weightPct ?? '0';
  const [one] = done;
  const simulated =
    one === undefined || one.quantity === '0'
      ? `nothing could be simulated: ${one?.note ?? ''}`
      : `${one.quantity} ${entry.instrument} at ${one.price}, with ${one.feeUsd} USD of fees; ${entry.sector} would weigh ${weightIn(after)}% instead of ${weightIn(before)}%`;
  return {
    intent: 'impact',
    reply: `${notionalUsd} USD of ${entry.instrument} in your paper books: ${simulated}. ${one?.wouldPass === true ? 'Risk would let it pass.' : 'Risk would not let it pass.'} Nothing is bought.`,
    data: {
      request,
      allocations: done,
      before: { totals: before.totals, sectors: pickWeights(before) },
      after: { totals: after.totals, sectors: pickWeights(after) },
    },
    links: ['/v1/portfolio/impact'],
    draft: null,
    symbol: entry.instrument,
  };
}

/** Explains a decision by its id and that of its agent or Take, in either order. */
async function explain(ports: ApiPorts, { orgId }: CopilotCaller, ids: readonly string[]): Promise<CopilotAnswer> {
  const [first, second] = ids;
  if (first === undefined || second === undefined || ids.length !== 2) {
    return {
      ...nothing,
      intent: 'explain',
      reply:
        'Which decision? Write "explain decision <id> of <agent or Take id>"; GET /v1/agents/:id/decisions and GET /v1/takes/:id/decisions list them.',
    };
  }
  for (const [owner, decision] of [
    [second, first],
    [first, second],
  ] as const) {
    for (const [kind, decisions] of [
      ['agents', ports.agents.decisions],
      ['takes', ports.takes.decisions],
    ] as const) {
      const found = await decisions.get(orgId, owner, decision);
      if (found === null) continue;
      const explained = explainDecision(found);
      return {
        intent: 'explain',
        reply: [explained.summary, ...explained.why, ...explained.missing].join(' '),
        data: { decision: found, explained },
        links: [`/v1/${kind}/${owner}/decisions`],
        draft: null,
        symbol: null,
      };
    }
  }
  return { ...nothing, intent: 'explain', reply: 'There is no such decision.' };
}

function compileTake(ports: ApiPorts, thesis: string): CopilotAnswer {
  const compiled = compileThesis(thesis, { catalog: ports.catalog.entries, now: ports.clock.now() });
  const links = ['/v1/takes/compile'];
  if (!compiled.ok) {
    const said =
      compiled.why === 'ambiguous'
        ? compiled.questions
        : compiled.problems.map(({ path, problem, allowed }) => `${path}: ${problem}; allowed: ${allowed}`);
    return {
      ...nothing,
      links,
      intent: 'compile_take',
      reply: said.join(' '),
      data: compiled.why === 'ambiguous' ? { questions: compiled.questions } : { problems: compiled.problems },
    };
  }
  const { take, understood, assumed, notUnderstood, open } = compiled;
  const symbol = take.asset.key.slice(take.asset.key.indexOf(':') + 1);
  const next = { method: 'POST', path: '/v1/takes/compile', body: { thesis } } as const;
  return {
    intent: 'compile_take',
    reply: `A draft for your review: ${understood.map(({ phrase, as }) => `"${phrase}" as ${as}`).join('; ')}. Assumed: ${assumed.join('; ') || 'nothing'}.${open.length === 0 ? '' : ` To confirm before arming: ${open.join('; ')}.`} Keep it with POST /v1/takes/compile and arm it with POST /v1/takes/arm.`,
    data: { understood, assumed, notUnderstood, open },
    links,
    draft: { kind: 'take', hash: takeHash(take), body: take, understood, assumed, next },
    symbol,
  };
}

function compilePolicy(ports: ApiPorts, asked: Extract<Classified, { intent: 'compile_policy' }>): CopilotAnswer {
  const now = ports.clock.now();
  const { entry, enterDiscountPct, exitDiscountPct, notionalUsd } = asked;
  const bands = { symbol: entry.instrument, enterDiscountPct, exitDiscountPct, notionalUsd };
  const limits = { maxSlippageBps: DEFAULT_POLICY_SLIPPAGE_BPS, maxHoldHours: DEFAULT_MAX_HOLD_HOURS };
  const read = policyTake({ ...bands, ...limits, expiresAt: now + DEFAULT_POLICY_LIFE_MS }, { catalog: ports.catalog.entries, now });
  const links = ['/v1/arbitrage/arm', '/v1/arbitrage/basis'];
  if (!read.ok)
    return {
      ...nothing,
      links,
      intent: 'compile_policy',
      reply: read.problems.map(({ path, problem }) => `${path}: ${problem}`).join(' '),
      data: { problems: read.problems },
    };
  const policy = { schemaVersion: '1', kind: 'basis', ...bands, ...limits };
  const assumed = [
    `the slippage budget is ${limits.maxSlippageBps} basis points`,
    `the position is left after ${limits.maxHoldHours} hours at the latest`,
    'the policy expires 30 days after it is armed',
  ];
  return {
    intent: 'compile_policy',
    reply: `A basis policy for your review: buys ${entry.instrument} with ${notionalUsd} USD at a discount of more than ${enterDiscountPct}% that pays for its costs, and leaves once the discount is below ${exitDiscountPct}%, after ${limits.maxHoldHours} hours, or when the reference is lost. Only your own POST /v1/arbitrage/arm arms it.`,
    data: { policy },
    links,
    draft: {
      kind: 'policy',
      hash: canonicalHash(policy),
      body: policy,
      understood: asked.understood,
      assumed,
      next: { method: 'POST', path: '/v1/arbitrage/arm', body: { ...bands, ...limits, mode: 'paper' } },
    },
    symbol: entry.instrument,
  };
}

const HELP = `Ask for a price ("what is the price of AAPLx"), events ("news on AAPL"), funding ("funding of BTC"), the basis ("basis of AAPLx"), market hours ("is the market open"), the macro regime, value locked on chains ("TVL of Solana"), your agents ("list my agents", "why does my agent not trade"), a ranking ("the cheapest liquid equity against its reference", "rank the private markets by momentum"), an assessment ("assess NVDAx"), your portfolio ("my portfolio"), an impact ("what if I buy $500 of AAPLx"), a decision ("explain decision <id>"), a Take ("buy AAPLx when the discount is over 2%, with $500") or a basis policy ("basis policy for AAPLx: enter at 2%, exit at 0.5%, with $500"). Intents: ${INTENTS.join(', ')}. Drafts are for your review; nothing is armed from here.`;

/** Intents that need more than `market:read`. */
const NEEDS_READING: readonly Intent[] = ['portfolio', 'impact', 'explain'];

/** Answers a classified message. Calls `progress` with each step. */
export async function answerMessage(
  ports: ApiPorts,
  caller: CopilotCaller,
  asked: Classified,
  message: string,
  progress: (step: string) => void,
): Promise<CopilotAnswer> {
  if (NEEDS_READING.includes(asked.intent) && !caller.permissions.includes('agent:read')) {
    return needsOwnReading(asked.intent);
  }
  progress(`intent ${asked.intent}`);
  switch (asked.intent) {
    case 'look_up': {
      if (asked.topic === 'agents' && !caller.permissions.includes('agent:read')) return needsOwnReading('look_up');
      const found = await lookUp(ports, asked, { orgId: caller.orgId, message });
      return { ...nothing, ...found, intent: 'look_up', symbol: asked.entry?.instrument ?? null };
    }
    case 'rank':
      progress('reading the newest cut');
      return rank(ports, caller, asked);
    case 'assess':
      progress('reading quotes, events, bars and the calendar');
      return assess(ports, asked.entry);
    case 'portfolio':
      progress('reading your books');
      return portfolio(ports, caller);
    case 'impact':
      progress('simulating it in your books');
      return impact(ports, caller, asked);
    case 'explain':
      progress('reading the decision');
      return explain(ports, caller, asked.ids);
    case 'compile_take':
      progress('compiling the thesis');
      return compileTake(ports, asked.thesis);
    case 'compile_policy':
      progress('compiling the policy');
      return compilePolicy(ports, asked);
    case 'help':
      return { ...nothing, intent: 'help', reply: HELP };
    case 'out_of_scope':
      return {
        ...nothing,
        intent: 'out_of_scope',
        reply: asked.act
          ? 'The copilot changes nothing. Pause and halt agents, close positions and answer proposals yourself: each has its own button in the terminal and its own route.'
          : 'This is outside of what can be answered from observed data. Ask for "help" to see what can be asked.',
      };
  }
}
