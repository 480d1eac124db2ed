/** The phrases of the thesis grammar: each a pattern at the present place of the text and what it means. docs/guides/takes.md lists them. */
import type { ManifestCondition } from '../manifest/manifest.ts';
import { type EpochMs, isoTime } from '../time.ts';

/**
 * What one phrase says. A `gap` becomes a premium or a gap to mark once the asset is known. A condition with a `side`
 * makes sense there alone; `anywhere` it means that side wherever it stands in a sentence.
 */
export type Meaning =
  | { readonly kind: 'action'; readonly side: 'entry' | 'exit' }
  | {
      readonly kind: 'gap';
      readonly direction: 'below' | 'above';
      readonly pct: number;
      readonly against: 'any' | 'reference' | 'mark';
      readonly note?: string;
    }
  | {
      readonly kind: 'condition';
      readonly condition: Record<string, unknown>;
      readonly side?: 'entry' | 'exit';
      readonly anywhere?: true;
      readonly note?: string;
    }
  | { readonly kind: 'allocation'; readonly usd: string }
  | { readonly kind: 'slippage'; readonly bps: number }
  | { readonly kind: 'expiry'; readonly at: EpochMs }
  | { readonly kind: 'link'; readonly word: 'and' | 'or' | 'when' | 'sentence' | 'filler' }
  | { readonly kind: 'rationale' }
  | { readonly kind: 'question'; readonly question: string };

export interface Phrase {
  readonly name: string;
  readonly pattern: RegExp;
  readonly read: (match: RegExpExecArray, now: EpochMs) => Meaning;
}

const NUM = String.raw`(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)`;
/** A number of hours, days or weeks, in digits or as a word. */
const COUNT = String.raw`(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)`;
const PCT = String.raw`${NUM} ?(%|percent|per cent|pct|bps|bp|basis points?)(?![a-z\d])`;
/** An amount of money: a currency mark on either side is needed. */
const USD = String.raw`(?:(?:\$|usd ?|usdc ?)${NUM} ?(k|m|thousand|million)?(?: ?(?:usd|usdc|dollars?))?|${NUM} ?(k|m|thousand|million)? ?(?:usd|usdc|dollars?|\$))(?![a-z\d])`;
const MORE = String.raw`(?:more than|greater than|larger than|wider than|deeper than|bigger than|higher than|above|over|exceeding|beyond|>)`;
const LESS = String.raw`(?:less than|smaller than|lower than|narrower than|below|under|beneath|<)`;
const MORE_OR = String.raw`(?:at least|no less than|not less than|>=|a minimum of)`;
const LESS_OR = String.raw`(?:at most|no more than|not more than|<=|a maximum of)`;
const MOVES = String.raw`(?:it )?(?:is|are|gets|trades|trading|goes|moves|stands|sits|falls|drops|dips|sinks|slips|declines|rises|climbs|jumps|breaks|comes|widens|narrows|shrinks|grows|reaches|hits)`;
const TO_REFERENCE = String.raw`(?:(?:the |its )?(?:reference price|reference|fair value|fair-value|share price|stock price|underlying share|underlying stock|underlying|nav|real share|listed share|listed stock|share(?![a-z])|stock(?![a-z]| market)))`;
const TO_MARK = String.raw`(?:(?:the |its )?(?:issuer mark|issuer's mark|mark price|mark|last round|funding round))`;
const SIDE = String.raw`(?: (?:to|vs|versus|against|over|from|of|on) (?:(${TO_REFERENCE})|(${TO_MARK})))?`;
const AGAINST = String.raw`(?:(${TO_REFERENCE})|(${TO_MARK}))`;

function numeric(text: string): number {
  return Number(text.replaceAll(',', ''));
}

/** A percentage in percent, whichever unit it was written in. */
function percent(number: string, unit: string): number {
  const value = numeric(number);
  return unit.toLowerCase().startsWith('b') ? Number((value / 100).toFixed(6)) : value;
}

const FACTORS: Readonly<Record<string, number>> = { k: 3, thousand: 3, m: 6, million: 6 };

/** An amount as a plain decimal: the point is moved by text, so that no digit is lost. */
export function amount(number: string, factor: string | undefined): string {
  const [whole = '0', part = ''] = number.replaceAll(',', '').split('.');
  const shift = FACTORS[(factor ?? '').toLowerCase()] ?? 0;
  const digits = whole + part.padEnd(shift, '0');
  const point = whole.length + shift;
  const left = digits.slice(0, point).replace(/^0+(?=\d)/, '');
  const right = digits.slice(point).replace(/0+$/, '');
  return right === '' ? left : `${left}.${right}`;
}

function against(match: RegExpExecArray, reference: number): 'any' | 'reference' | 'mark' {
  if (match[reference] !== undefined) return 'reference';
  return match[reference + 1] === undefined ? 'any' : 'mark';
}

const INCLUSIVE = 'the bound itself does not count: conditions pass strictly beyond it';
const note = (inclusive: boolean): { note?: string } => (inclusive ? { note: INCLUSIVE } : {});

function phrase(name: string, source: string, read: Phrase['read']): Phrase {
  return { name, pattern: new RegExp(source, 'iy'), read };
}

/** `discount`: a gap below zero. A larger discount is a lower gap. */
function gapOf(word: string, wider: boolean, pct: number): { direction: 'below' | 'above'; pct: number } {
  const discount = word.toLowerCase().startsWith('discount');
  return { direction: discount === wider ? 'below' : 'above', pct: discount ? 0 - pct : pct };
}

const GAP_WORD = String.raw`(discount|premium)`;

const GAPS: readonly Phrase[] = [
  // "a discount to reference of more than 2%", "discount > 2%", "premium below 1 percent"
  phrase(
    'gap compared',
    String.raw`(?:the |a |an |its |any )?${GAP_WORD}${SIDE}(?: ${MOVES})?(?: (?:of|to|by))? ?(?:(${MORE}|exceeds|${MORE_OR})|(${LESS}|${LESS_OR})) ?${PCT}${SIDE}`,
    (m) => {
      const wider = m[4] !== undefined;
      const word = (m[4] ?? m[5] ?? '').toLowerCase();
      const side = against(m, 2) === 'any' ? against(m, 8) : against(m, 2);
      return {
        kind: 'gap',
        ...gapOf(m[1] as string, wider, percent(m[6] as string, m[7] as string)),
        against: side,
        ...note(new RegExp(`^(?:${MORE_OR}|${LESS_OR})$`).test(word)),
      };
    },
  ),
  // "more than 2% discount", "at least a 150 bps premium to mark"
  phrase(
    'gap after its size',
    String.raw`(?:${MOVES} )?(?:at )?(?:(${MORE}|${MORE_OR})|(${LESS}|${LESS_OR})) ?(?:a |an )?${PCT} ${GAP_WORD}${SIDE}`,
    (m) => {
      const word = (m[1] ?? m[2] ?? '').toLowerCase();
      return {
        kind: 'gap',
        ...gapOf(m[5] as string, m[1] !== undefined, percent(m[3] as string, m[4] as string)),
        against: against(m, 6),
        ...note(new RegExp(`^(?:${MORE_OR}|${LESS_OR})$`).test(word)),
      };
    },
  ),
  // "at a 2% discount or more", "at a 2% discount to fair value"
  phrase(
    'gap at its size',
    String.raw`(?:${MOVES} )?(?:at |to )?(?:a |an |its )?${PCT} ${GAP_WORD}( or (?:more|deeper|higher|wider|better))?${SIDE}`,
    (m) => ({
      kind: 'gap',
      ...gapOf(m[3] as string, true, percent(m[1] as string, m[2] as string)),
      against: against(m, 5),
      note: `read as "${(m[1] as string) + (m[2] === '%' ? '' : ' ') + m[2]} or more": ${INCLUSIVE}`,
    }),
  ),
  phrase('gap of a size', String.raw`(?:at )?(?:a |an |the )?${GAP_WORD}${SIDE} (?:of|reaches|hits) ${PCT}${SIDE}`, (m) => ({
    kind: 'gap',
    ...gapOf(m[1] as string, true, percent(m[4] as string, m[5] as string)),
    against: against(m, 2) === 'any' ? against(m, 6) : against(m, 2),
    note: `read as that ${m[1]} or more: ${INCLUSIVE}`,
  })),
  // "more than 2% below its reference", "3% under fair value", "at least 1% above the mark"
  phrase(
    'gap beside the reference',
    String.raw`(?:${MOVES} )?(?:by )?(?:(${MORE}|${MORE_OR}) ?)?${PCT}( or more)? (?:(below|under|beneath|cheaper than|less than)|(above|over|more expensive than|more than)) ${AGAINST}`,
    (m) => {
      const size = percent(m[2] as string, m[3] as string);
      const strict = m[1] !== undefined && new RegExp(`^${MORE}$`, 'i').test(m[1]);
      return {
        kind: 'gap',
        direction: m[5] !== undefined ? 'below' : 'above',
        pct: m[5] !== undefined ? 0 - size : size,
        against: m[7] !== undefined ? 'reference' : 'mark',
        ...note(!strict),
      };
    },
  ),
  phrase(
    'gap closed',
    String.raw`(?:it )?(?:${MOVES} |reverts |returns |converges )(?:back )?(?:to|at) (?:(${TO_REFERENCE}|parity)|(${TO_MARK}))`,
    (m) => ({
      kind: 'gap',
      direction: 'above',
      pct: 0,
      against: m[2] === undefined ? 'reference' : 'mark',
      note: 'read as "the gap is above 0%"',
    }),
  ),
  phrase(
    'discount gone',
    String.raw`(?:the |its )?discount(?: (?:is|has))? (?:gone|closed|closes|vanished|vanishes|disappears|disappeared)`,
    () => ({
      kind: 'gap',
      direction: 'above',
      pct: 0,
      against: 'any',
      note: 'read as "the gap is above 0%"',
    }),
  ),
  phrase('beside the reference', String.raw`(?:${MOVES} )(?:back )?(?:(below|under)|(above|over)) ${AGAINST}`, (m) => ({
    kind: 'gap',
    direction: m[1] !== undefined ? 'below' : 'above',
    pct: 0,
    against: m[3] !== undefined ? 'reference' : 'mark',
  })),
];

const PRICES: readonly Phrase[] = [
  phrase(
    'price compared',
    String.raw`(?:(?:the |its )?(?:token )?price )?(?:${MOVES} )?(?:(${LESS}|${LESS_OR})|(${MORE}|${MORE_OR})) ?${USD}`,
    (m) => {
      const word = (m[1] ?? m[2] ?? '').toLowerCase();
      const price = m[3] !== undefined ? amount(m[3], m[4]) : amount(m[5] as string, m[6]);
      const bare =
        /^(?:at most|no more than|not more than|a maximum of|at least|no less than|not less than|a minimum of|more than|less than|up to)/i.test(
          m[0],
        );
      if (bare)
        return {
          kind: 'question',
          question: `Is "${m[0].trim()}" a price to wait for or the amount to invest? Write "price below $150" or "with $500".`,
        };
      return {
        kind: 'condition',
        condition: { type: m[1] !== undefined ? 'price_below' : 'price_above', price },
        ...note(new RegExp(`^(?:${MORE_OR}|${LESS_OR})$`).test(word)),
      };
    },
  ),
  phrase('price reached', String.raw`(?:(?:the |its )?price )?(?:it )?(?:is|reaches|hits|touches|trades at|is at) ${USD}`, (m) => ({
    kind: 'question',
    question: `Does "${m[0].trim()}" mean below or above that price? Write "price below …" or "price above …".`,
  })),
  phrase('at a price', String.raw`at ${USD}( or (?:less|lower|below|under)| or (?:more|higher|above))?`, (m) => {
    const price = m[1] !== undefined ? amount(m[1], m[2]) : amount(m[3] as string, m[4]);
    if (m[5] === undefined)
      return { kind: 'question', question: `Does "${m[0].trim()}" mean that price or lower? Write "price below …" or "price above …".` };
    const below = /less|lower|below|under/i.test(m[5]);
    return { kind: 'condition', condition: { type: below ? 'price_below' : 'price_above', price }, note: INCLUSIVE };
  }),
];

const TIMEFRAME = String.raw`(?: (?:on|in) (?:the |a )?(?:(\d{1,3}) ?-?(minutes?|mins?|m|hours?|h)(?![a-z])|(hourly|daily))(?: (?:bars?|chart|candles?|timeframe))?)?`;

/** The same before the name of an indicator: "1h RSI", "the hourly RSI". */
const TIMEFRAME_BEFORE = String.raw`(?:(?:(\d{1,3}) ?-?(minutes?|mins?|m|hours?|h)(?![a-z])|(hourly|daily)) )?`;

function timeframeOf(number: string | undefined, unit: string | undefined, word: string | undefined): { timeframe?: string } {
  if (number !== undefined) return { timeframe: `${number}${(unit as string).toLowerCase().startsWith('m') ? 'm' : 'h'}` };
  if (word === undefined) return {};
  return { timeframe: word.toLowerCase() === 'daily' ? '24h' : '1h' };
}

const INDICATORS: readonly Phrase[] = [
  phrase(
    'rsi',
    String.raw`(?:the |its |a |an )?${TIMEFRAME_BEFORE}(?:(\d{1,3})[- ](?:period|bar)s? )?rsi(?: ?\(?(\d{1,3})\)?(?= (?:${MOVES}|below|under|above|over|less|greater|<|>)))?(?: ${MOVES})? ?(?:(${LESS})|(${MORE})) ?(\d{1,2}(?:\.\d+)?)(?!\d| ?%)${TIMEFRAME}`,
    (m) => {
      const period = m[4] ?? m[5];
      const before = timeframeOf(m[1], m[2], m[3]);
      const after = timeframeOf(m[9], m[10], m[11]);
      if (before.timeframe !== undefined && after.timeframe !== undefined && before.timeframe !== after.timeframe)
        return { kind: 'question', question: `On which bars is "${m[0].trim()}" measured: ${before.timeframe} or ${after.timeframe}?` };
      return {
        kind: 'condition',
        condition: {
          type: m[6] !== undefined ? 'rsi_below' : 'rsi_above',
          period: Number(period ?? 14),
          value: Number(m[8]),
          ...before,
          ...after,
        },
        ...(period === undefined ? { note: 'the RSI has a period of 14 bars' } : {}),
      };
    },
  ),
  phrase(
    'ema cross',
    String.raw`(?:the )?(?:ema ?\(?(\d{1,3})\)?|(\d{1,3})[- ](?:period |bar )?ema) crosses (above|over|below|under) (?:the |its )?(?:ema ?\(?(\d{1,3})\)?|(\d{1,3})[- ](?:period |bar )?ema)${TIMEFRAME}`,
    (m) => {
      const first = Number(m[1] ?? m[2]);
      const second = Number(m[4] ?? m[5]);
      const up = /above|over/i.test(m[3] as string) === first < second;
      return {
        kind: 'condition',
        condition: {
          type: up ? 'ema_cross_up' : 'ema_cross_down',
          fast: Math.min(first, second),
          slow: Math.max(first, second),
          ...timeframeOf(m[6], m[7], m[8]),
        },
      };
    },
  ),
  phrase(
    'volatility',
    String.raw`(?:the |its )?(?:(\d{1,3})[- ](?:period|bar) )?(?:annuali[sz]ed )?volatility(?: ${MOVES})? ?${LESS} ?${PCT}${TIMEFRAME}`,
    (m) => ({
      kind: 'condition',
      condition: {
        type: 'volatility_below',
        period: Number(m[1] ?? 24),
        pct: percent(m[2] as string, m[3] as string),
        ...timeframeOf(m[4], m[5], m[6]),
      },
      ...(m[1] === undefined ? { note: 'the volatility is that of 24 bars, annualised' } : {}),
    }),
  ),
  phrase(
    'funding',
    String.raw`(?:the |its )?funding(?: rate)? percentile(?: ${MOVES})? ?(?:(${LESS})|(${MORE})) ?(\d{1,3}(?:\.\d+)?)(?: ?%)?(?: (?:over|of|in) (?:the )?(?:last )?(\d{1,3}) days?)?`,
    (m) => ({
      kind: 'condition',
      condition: {
        type: m[1] !== undefined ? 'funding_percentile_below' : 'funding_percentile_above',
        percentile: Number(m[3]),
        windowDays: Number(m[4] ?? 30),
      },
      ...(m[4] === undefined ? { note: 'the funding percentile is that of 30 days' } : {}),
    }),
  ),
  phrase('basis', String.raw`(?:the |its )?(?:perp(?:etual)? )?basis(?: ${MOVES})? ?(?:(${LESS})|(${MORE})) ?(-?)${PCT}`, (m) => ({
    kind: 'condition',
    condition: {
      type: m[1] !== undefined ? 'basis_below' : 'basis_above',
      pct: percent(m[4] as string, m[5] as string) * (m[3] === '-' ? -1 : 1),
    },
  })),
  phrase(
    'liquidity',
    String.raw`(?:the |its |a )?(?:pool )?(?:liquidity|pool depth|pool)(?: (?:is|of|has|holds|stays))? ?(?:(${MORE}|${MORE_OR})|(${LESS}|${LESS_OR})) ?${USD}(?: (?:of |in )?liquidity)?`,
    (m) => {
      const usd = m[3] !== undefined ? amount(m[3], m[4]) : amount(m[5] as string, m[6]);
      if (m[2] !== undefined)
        return { kind: 'question', question: `There is no condition for "${m[0].trim()}"; write "liquidity above …", or leave it out.` };
      return { kind: 'condition', condition: { type: 'liquidity_above', usd } };
    },
  ),
  phrase('oversold', String.raw`(?:it )?(?:is |gets )?(?:oversold|overbought)`, (m) => ({
    kind: 'question',
    question: `What does "${m[0].trim()}" mean? Write it as a number, for example "RSI below 30".`,
  })),
  phrase('named cross', String.raw`(?:a |the )?(?:golden|death) cross`, (m) => ({
    kind: 'question',
    question: `Which averages does "${m[0].trim()}" mean? Write "EMA 50 crosses above EMA 200".`,
  })),
];

const SEVERITY = String.raw`(?:(low|medium|high|critical)(?:[- ]severity)? )?`;
const LOOKBACK = String.raw`(?: (?:in|within|over|for|during) (?:the )?(?:last |past )?(\d{1,3}) ?(hours?|h|days?)(?![a-z]))?`;

function news(severity: string | undefined, number: string | undefined, unit: string | undefined): Record<string, unknown> {
  const hours = number === undefined ? 24 : Number(number) * ((unit as string).toLowerCase().startsWith('d') ? 24 : 1);
  return { minSeverity: severity?.toLowerCase() ?? 'high', lookbackHours: hours, includeRumors: false };
}

const newsNote = (severity: string | undefined, number: string | undefined): { note?: string } => {
  const said = [
    ...(severity === undefined ? ['events of high severity or worse'] : []),
    ...(number === undefined ? ['of the last 24 hours'] : []),
  ];
  return said.length === 0 ? {} : { note: `negative news means ${said.join(' ')}; rumors do not count` };
};

const EVENTS: readonly Phrase[] = [
  phrase(
    'no news',
    String.raw`(?:there (?:is|was|are) |with |has |have )?(?:no|without|absent)(?: any)? ${SEVERITY}(?:bad|negative|adverse) (?:news|events?|headlines?|filings?)${LOOKBACK}`,
    (m) => ({
      kind: 'condition',
      side: 'entry',
      condition: { type: 'no_negative_event', ...news(m[1], m[2], m[3]) },
      ...newsNote(m[1], m[2]),
    }),
  ),
  phrase(
    'news',
    String.raw`(?:on |there is |after )?(?:any )?${SEVERITY}(?:bad|negative|adverse) (?:news|events?|headlines?|filings?)(?: (?:appears?|comes? out|is published|breaks?))?${LOOKBACK}`,
    (m) => ({
      kind: 'condition',
      side: 'exit',
      condition: { type: 'negative_event', ...news(m[1], m[2], m[3]) },
      ...newsNote(m[1], m[2]),
    }),
  ),
  phrase(
    'session',
    String.raw`(?:only )?(?:during|in|within) (?:the )?(regular|pre-?market|post-?market|closed)(?: (?:session|hours|trading|market|trading hours))?|(?:only )?(?:while |when )?(?:the )?(?:us )?(?:stock )?(?:market|exchange|session) is (open|closed)`,
    (m) => {
      const word = (m[1] ?? (m[2] === 'open' ? 'regular' : 'closed')).toLowerCase();
      const session = word.startsWith('regular')
        ? 'REGULAR'
        : word.startsWith('pre')
          ? 'PRE_MARKET'
          : word.startsWith('post')
            ? 'POST_MARKET'
            : 'CLOSED';
      return { kind: 'condition', condition: { type: 'session_in', sessions: [session] } };
    },
  ),
];

const EXITS: readonly Phrase[] = [
  phrase(
    'stop loss',
    String.raw`(?:with |and |a |an |set |my |the )*(?:stop[- ]?loss|stop)(?: (?:at|of|is|below))? ?(?:a )?-?${PCT}(?: loss)?`,
    (m) => ({
      kind: 'condition',
      side: 'exit',
      anywhere: true,
      condition: { type: 'stop_loss', pct: percent(m[1] as string, m[2] as string) },
    }),
  ),
  phrase('stop loss first', String.raw`(?:with )?(?:a |an )?${PCT} stop(?:[- ]?loss)?`, (m) => ({
    kind: 'condition',
    side: 'exit',
    anywhere: true,
    condition: { type: 'stop_loss', pct: percent(m[1] as string, m[2] as string) },
  })),
  phrase(
    'take profit',
    String.raw`(?:with |and |a |an |set |my |the )*take[- ]?profits?(?: (?:at|of|is))? ?(?:a )?\+?${PCT}(?: (?:gain|profit))?`,
    (m) => ({
      kind: 'condition',
      side: 'exit',
      anywhere: true,
      condition: { type: 'take_profit', pct: percent(m[1] as string, m[2] as string) },
    }),
  ),
  phrase('take profit first', String.raw`(?:with )?(?:a |an )?${PCT} take[- ]?profit`, (m) => ({
    kind: 'condition',
    side: 'exit',
    anywhere: true,
    condition: { type: 'take_profit', pct: percent(m[1] as string, m[2] as string) },
  })),
  phrase(
    'held',
    String.raw`(?:hold|held|keep)(?: it| the position)? (?:for )?(?:at most|no longer than|no more than|not longer than|a maximum of|max(?:imum)?) ${COUNT} ?(h|hours?|days?|weeks?)(?![a-z])`,
    (m) => ({
      kind: 'condition',
      side: 'exit',
      anywhere: true,
      condition: { type: 'held_longer_than', hours: hoursOf(m[1] as string, m[2] as string) },
    }),
  ),
  phrase(
    'held after',
    String.raw`after (?:holding (?:it )?(?:for )?)?${COUNT} ?(h|hours?|days?|weeks?)(?: at the latest)?(?![a-z])`,
    (m) => ({
      kind: 'condition',
      side: 'exit',
      condition: { type: 'held_longer_than', hours: hoursOf(m[1] as string, m[2] as string) },
    }),
  ),
];

const COUNT_WORDS = ['a', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];

function counted(text: string): number {
  const word = text.toLowerCase();
  const place = COUNT_WORDS.indexOf(word === 'an' ? 'a' : word);
  return place < 0 ? numeric(text) : Math.max(1, place);
}

function hoursOf(number: string, unit: string): number {
  const word = unit.toLowerCase();
  return counted(number) * (word.startsWith('h') ? 1 : word.startsWith('d') ? 24 : 168);
}

const LIMITS: readonly Phrase[] = [
  phrase(
    'slippage',
    String.raw`(?:with |a |and |the )*(?:max(?:imum)? )?slippage(?: (?:budget|limit|tolerance))?(?: (?:of|is|at|to|below|under|at most|up to|limited to))* ?${PCT}`,
    (m) => ({
      kind: 'slippage',
      bps: Number((percent(m[1] as string, m[2] as string) * 100).toFixed(6)),
    }),
  ),
  phrase(
    'slippage first',
    String.raw`(?:with )?(?:at most |no more than |max(?:imum)? |up to )?(?:a )?${PCT}(?: of)? (?:max(?:imum)? )?slippage`,
    (m) => ({
      kind: 'slippage',
      bps: Number((percent(m[1] as string, m[2] as string) * 100).toFixed(6)),
    }),
  ),
  phrase(
    'allocation',
    String.raw`(?:with|using|allocate|allocating|invest|investing|put|commit|spend|risk|budget(?: of)?|allocation(?: of)?|size(?: of)?)(?: it)?(?: (?:up to|at most|no more than|a maximum of|max(?:imum)?|only|just))? ${USD}(?: (?:in total|of capital|into it|in it|into|on))?`,
    (m) => ({
      kind: 'allocation',
      usd: m[1] !== undefined ? amount(m[1], m[2]) : amount(m[3] as string, m[4]),
    }),
  ),
  phrase('allocation of', String.raw`(?:up to |at most |no more than )?${USD} (?:of|worth of|in|into|on)(?= )`, (m) => ({
    kind: 'allocation',
    usd: m[1] !== undefined ? amount(m[1], m[2]) : amount(m[3] as string, m[4]),
  })),
  phrase('money alone', String.raw`(?:for |up to )?${USD}`, (m) => ({
    kind: 'question',
    question: `Is "${m[0].trim()}" the amount to invest or a price to wait for? Write "with $500" or "price below $500".`,
  })),
  phrase(
    'until date',
    String.raw`(?:valid |good |open |runs? |active )?(?:until|till|expires?(?: on| at)?|expiring(?: on| at)?|through) (\d{4}-\d{2}-\d{2})(?:t(\d{2}:\d{2}(?::\d{2})?)z)?`,
    (m) => {
      const at = Date.parse(m[2] === undefined ? `${m[1]}T00:00:00Z` : `${m[1]}T${m[2].length === 5 ? `${m[2]}:00` : m[2]}Z`);
      if (Number.isNaN(at)) return { kind: 'question', question: `"${m[1]}" is no day of the calendar. Until when is the Take to run?` };
      return { kind: 'expiry', at };
    },
  ),
  phrase(
    'for so long',
    String.raw`(?:valid for|good for|open for|active for|runs? for|expires? (?:in|after)|expiring in|for the next|over the next|within the next) ${COUNT} ?(h|hours?|days?|weeks?)(?![a-z])`,
    (m, now) => ({
      kind: 'expiry',
      at: now + Math.round(hoursOf(m[1] as string, m[2] as string) * 3_600_000),
    }),
  ),
];

const ACTIONS: readonly Phrase[] = [
  phrase('short', String.raw`(?:go |sell )?short(?:ing)?(?![a-z])`, () => ({
    kind: 'question',
    question: 'A Take only opens long positions. Which asset is it to buy, and when?',
  })),
  phrase(
    'exit verb',
    String.raw`(?:then )?(?:sell(?: it| everything| all| out)?|exit(?: it)?(?: the position)?|close(?: it| the position)?|get out|take profits?|hold(?: it)? until|keep(?: it)? until|unwind(?: it)?)(?![a-z])`,
    () => ({ kind: 'action', side: 'exit' }),
  ),
  phrase(
    'entry verb',
    String.raw`(?:then )?(?:buy(?: it)?|go long|long|accumulate|enter(?: it)?|purchase|open a (?:long )?position in|get long|pick up)(?![a-z])`,
    () => ({ kind: 'action', side: 'entry' }),
  ),
];

const LINKS: readonly Phrase[] = [
  phrase('sentence', String.raw`[.;!\n]+`, () => ({ kind: 'link', word: 'sentence' })),
  phrase('comma', String.raw`[,:"'()]+`, () => ({ kind: 'link', word: 'filler' })),
  phrase('or', String.raw`(?:or|and/or|either)(?![a-z])`, () => ({ kind: 'link', word: 'or' })),
  phrase('and', String.raw`(?:and|plus|while also|but also|as well as|also|&)(?![a-z])`, () => ({ kind: 'link', word: 'and' })),
  phrase('when', String.raw`(?:but )?(?:only )?(?:when(?:ever)?|if|once|as soon as|provided(?: that)?|while|as long as)(?![a-z])`, () => ({
    kind: 'link',
    word: 'when',
  })),
  phrase('because', String.raw`(?:because|since|as i (?:think|believe)|my reason(?:ing)? is(?: that)?|rationale|thesis)(?![a-z])`, () => ({
    kind: 'rationale',
  })),
  phrase(
    'filler',
    String.raw`(?:please|i want to|i would like to|i'd like to|let's|lets|i'll|i will|the token|the asset|a position in|some|its|it|the|a|an|then|there|is|are|at|on|with|to|of|in|has|have|that|this|trades|trading|token|tokens|shares?|stock|i think|i believe|in my view|for)(?![a-z'])`,
    () => ({ kind: 'link', word: 'filler' }),
  ),
];

/** All phrases; of those that match at a place the longest is taken, the earlier one where two are as long. */
export const PHRASES: readonly Phrase[] = [...GAPS, ...INDICATORS, ...EVENTS, ...EXITS, ...PRICES, ...LIMITS, ...ACTIONS, ...LINKS];

/** One word of the text that no phrase begins with. */
export const WORD = /\d+(?:[.,]\d+)*%?|[^\s,;!?()"]+/y;

/** How a reading is shown. */
export function shownMeaning(meaning: Meaning, condition: ManifestCondition | null): string {
  switch (meaning.kind) {
    case 'action':
      return meaning.side === 'entry' ? 'opens a long position' : 'closes the position';
    case 'allocation':
      return `allocation of ${meaning.usd} USD`;
    case 'slippage':
      return `slippage budget of ${meaning.bps} basis points`;
    case 'expiry':
      return `expires at ${isoTime(meaning.at)}`;
    default:
      return condition === null ? meaning.kind : shownCondition(condition);
  }
}

/** `premium_below pct=-2`. */
export function shownCondition(condition: ManifestCondition): string {
  const fields = Object.entries(condition).filter(([name]) => name !== 'type');
  return [condition.type, ...fields.map(([name, value]) => `${name}=${Array.isArray(value) ? value.join('|') : String(value)}`)].join(' ');
}
