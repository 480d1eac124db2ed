/** Phrases of the thesis grammar: patterns of tokens and their meaning. docs/guides/takes.md lists them. */
import { Decimal, plainDecimal } from '../values/decimal.ts';
import type { ManifestCondition } from '../manifest/manifest.ts';
import { type EpochMs, HOUR_MS, isoTime } from '../values/time.ts';
import type { Token } from './thesis-tokens.ts';

export type Side = 'entry' | 'exit';

/**
 * Meaning of a phrase. `gap` and `level` become conditions once the asset and the side are known. A condition with a `side` makes sense
 * only there. With `anywhere` it means that side wherever it appears in a sentence.
 */
export type Meaning =
  | { readonly kind: 'action'; readonly side: Side }
  | {
      readonly kind: 'gap';
      /** `size`: the side determines the direction. `parity`: the gap is closed. `upper`: at most that discount. */
      readonly direction: 'below' | 'above' | 'size' | 'parity' | 'upper';
      readonly pct: number;
      readonly against: 'any' | 'reference' | 'mark';
      /** `bare`: a signed percentage without a word for what it measures. */
      readonly word: 'discount' | 'premium' | 'bare';
    }
  /** `limit`: that price or a better one, which is lower for a buyer and higher for a seller. */
  | { readonly kind: 'level'; readonly level: 'at' | 'limit' | 'stop' | 'target'; readonly value: string; readonly money: boolean }
  | {
      readonly kind: 'condition';
      readonly condition: Readonly<Record<string, unknown>>;
      readonly side?: Side;
      readonly anywhere?: true;
      readonly assumed?: string;
    }
  | { readonly kind: 'cross'; readonly direction: 'up' | 'down' | 'reverse' }
  | { readonly kind: 'allocation'; readonly usd: string; readonly final: boolean; readonly assumed?: string }
  | { readonly kind: 'slippage'; readonly bps: number; readonly assumed?: string }
  | { readonly kind: 'expiry'; readonly at: EpochMs }
  | { readonly kind: 'link'; readonly word: 'and' | 'or' | 'when' | 'then' | 'comma' | 'sentence' | 'filler' }
  | { readonly kind: 'asset' }
  | { readonly kind: 'rationale' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'question'; readonly question: string };

interface Phrase {
  readonly pattern: RegExp;
  readonly read: (tokens: readonly Token[], now: EpochMs) => Meaning | readonly Meaning[];
}

/** Groups of token kinds, in lower case in the patterns. */
const GROUPS: Readonly<Record<string, string>> = {
  less: '(LESS|LESSW|MOSTW)',
  more: '(MORE|MOREW|LEASTW)',
  cmp: '(LESS|LESSW|MOSTW|MORE|MOREW|LEASTW)',
  ref: '(REF|SHARE)',
  bench: '(ASSET? (REF|SHARE|MARK))',
  pct: '(PCT|NPCT|PPCT)',
  money: '(USD|KNUM)',
  amount: '(USD|KNUM|NUM)',
  gap: '((DISC|PREM|GAP) ASSET?)',
  to: '(TO|AND|DASH)',
  sev: '(LOW|MEDIUM|HIGH|CRITICAL)',
  sess: '(REGULAR|PRE|POST|CLOSED)',
  break: '(COMMA|END|SLASH)',
  ormore: '(OR_MORE|OR_DEEPER|OR_BETTER|OR_LESS)',
  alone: '(?=COMMA|END|SLASH|$)',
  first: '(?<=^|COMMA|END|SLASH)',
};

/** Declares a phrase of token kinds. In the matched text each kind ends with `~`. */
function phrase(shape: string, read: Phrase['read']): Phrase {
  const source = shape
    .replace(/[a-z]+/g, (name) => GROUPS[name] ?? name)
    .replace(/[A-Z_]+/g, '(?:$&~)')
    .replace(/ /g, '')
    .replace(/\((?!\?)/g, '(?:');
  return { pattern: new RegExp(source, 'y'), read };
}

const GREATER = ['MORE', 'MOREW', 'LEASTW'];
const SMALLER = ['LESS', 'LESSW', 'MOSTW'];
const PERCENTS = ['PCT', 'NPCT', 'PPCT'];
const AMOUNTS = ['USD', 'KNUM', 'NUM'];

const all = (tokens: readonly Token[], kinds: readonly string[]): Token[] => tokens.filter(({ kind }) => kinds.includes(kind));
const has = (tokens: readonly Token[], ...kinds: readonly string[]): boolean => tokens.some(({ kind }) => kinds.includes(kind));
const joinText = (tokens: readonly Token[]): string => tokens.map(({ text }) => text).join(' ');
const question = (text: string): Meaning => ({ kind: 'question', question: text });
const filler: Meaning = { kind: 'link', word: 'filler' };
const action = (side: Side): Meaning => ({ kind: 'action', side });

function percent(token: Token | undefined): number {
  return Number(token?.value);
}

function readNumber(tokens: readonly Token[], ...kinds: readonly string[]): number {
  return percent(all(tokens, kinds)[0]);
}

function against(tokens: readonly Token[]): 'any' | 'reference' | 'mark' {
  return has(tokens, 'MARK') ? 'mark' : has(tokens, 'REF', 'SHARE') ? 'reference' : 'any';
}

type GapMeaning = Extract<Meaning, { kind: 'gap' }>;
const PARITY = (tokens: readonly Token[]): GapMeaning => ({
  kind: 'gap',
  direction: 'parity',
  pct: 0,
  against: against(tokens),
  word: 'bare',
});

/** Reads a gap of a size, with its word and comparison. */
function sized(tokens: readonly Token[], word: 'discount' | 'premium', compared: 'greater' | 'smaller' | 'none'): Meaning {
  const size = readNumber(tokens, ...PERCENTS);
  if (size < 0 && compared !== 'none' && word === 'discount')
    return question(`A discount is written without a minus: what does "${joinText(tokens)}" mean?`);
  if (word === 'premium' && has(tokens, 'OR_DEEPER') && !/wider|beyond/i.test(joinText(tokens)))
    return question(`Is "${joinText(tokens)}" above or below that premium? Write "premium above …" or "premium below …".`);
  const pct = word === 'discount' ? 0 - Math.abs(size) : size;
  const base = { kind: 'gap', pct, against: against(tokens), word } as const;
  if (compared === 'none') return { ...base, direction: pct === 0 ? 'parity' : 'size' };
  if (word === 'premium') return { ...base, direction: compared === 'greater' ? 'above' : 'below' };
  return { ...base, direction: compared === 'greater' ? 'below' : 'upper' };
}

/** Returns the comparison of a gap, by the comparator that is not the word of the gap itself, or by "or more". */
function compared(tokens: readonly Token[]): 'greater' | 'smaller' | 'none' {
  return has(tokens, ...GREATER, 'OR_MORE', 'OR_DEEPER') ? 'greater' : has(tokens, ...SMALLER, 'OR_LESS') ? 'smaller' : 'none';
}

function gapWord(tokens: readonly Token[]): Meaning {
  if (has(tokens, 'GAP')) {
    const value = readNumber(tokens, ...PERCENTS);
    if (value > 0) return question(`Is "${joinText(tokens)}" a discount or a premium? Write one of these words.`);
    return signedGap(tokens, 'premium');
  }
  return sized(tokens, has(tokens, 'DISC') ? 'discount' : 'premium', compared(tokens));
}

/** Reads "at least 2% below its reference": the comparator before the number compares, the word after it gives the direction. */
function besideReference(tokens: readonly Token[]): Meaning {
  const place = tokens.findIndex(({ kind }) => PERCENTS.includes(kind));
  const before = tokens.slice(0, place);
  const rest = tokens.slice(place);
  const direction = tokens.find(
    (token, i) => ['CHEAP', 'RICH'].includes(token.kind) || (i > place && ['LESS', 'LESSW', 'MORE', 'MOREW'].includes(token.kind)),
  );
  const word = direction?.kind === 'RICH' || direction?.kind.startsWith('MORE') ? 'premium' : 'discount';
  // A lower price is further below, and less far above.
  const isCheaper = /or cheaper/i.test(joinText(rest));
  if (isCheaper)
    return sized(
      tokens.filter(({ kind }) => kind !== 'OR_LESS'),
      word,
      word === 'discount' ? 'greater' : 'smaller',
    );
  const how = has(rest, 'OR_MORE', 'OR_DEEPER') ? 'greater' : has(rest, 'OR_LESS') ? 'smaller' : compared(before);
  return sized(tokens, word, how);
}

/** Reads "below its reference by no less than 1.1%". */
function referenceFirst(tokens: readonly Token[]): Meaning {
  const [first, ...rest] = tokens;
  return sized(
    tokens,
    first?.kind === 'MORE' || first?.kind === 'MOREW' || first?.kind === 'RICH' ? 'premium' : 'discount',
    compared(rest),
  );
}

/** Reads a signed gap. "-18% or deeper" is further below. "-18% or more" is ambiguous. */
function signedGap(tokens: readonly Token[], word: 'bare' | 'premium'): Meaning {
  const pct = readNumber(tokens, ...PERCENTS);
  if (pct < 0 ? has(tokens, 'OR_MORE', 'OR_LESS') : has(tokens, 'OR_DEEPER'))
    return question(`Is "${joinText(tokens)}" further below or above it? Write "discount of at least …" or "premium above …".`);
  const how = has(tokens, 'OR_DEEPER') ? 'smaller' : compared(tokens);
  const base = { kind: 'gap', pct, against: against(tokens) } as const;
  if (how === 'none')
    return pct === 0
      ? { ...base, direction: 'parity', word: 'bare' }
      : { ...base, direction: 'size', word: pct < 0 && word !== 'bare' ? 'discount' : word };
  return { ...base, direction: how === 'greater' ? 'above' : 'below', word: 'premium' };
}

/** Reads two bounds as two conditions. */
function gapRange(tokens: readonly Token[]): Meaning | readonly Meaning[] {
  const [a, b] = all(tokens, [...PERCENTS, 'NUM']).map(percent) as [number, number];
  const base = { kind: 'gap', against: against(tokens), word: 'premium' } as const;
  const unsigned = a >= 0 && b >= 0;
  const isDiscount = has(tokens, 'DISC', 'LESS', 'LESSW', 'CHEAP');
  if (unsigned && !isDiscount && !has(tokens, 'PREM', 'MORE', 'MOREW', 'RICH'))
    return question(`Is "${joinText(tokens)}" a discount or a premium? Write one of these words.`);
  if (a < 0 !== b < 0 && isDiscount) return question(`Which bounds does "${joinText(tokens)}" mean?`);
  const bounds = (isDiscount && unsigned ? [0 - a, 0 - b] : [a, b]).sort((x, y) => x - y) as [number, number];
  // If only the first number lacks the unit, it has the second one's: "0.5-1.5%", but not "30-80 bps" read as 30 %.
  const units = all(tokens, PERCENTS);
  if (units.length === 1 && /bp|basis|bip/i.test((units[0] as Token).text)) {
    const bare = all(tokens, ['NUM'])[0] as Token;
    const scaled = Number(new Decimal(bare.value as string).div(100));
    return gapRange(
      tokens.map((token) => (token === bare ? { ...token, kind: 'PCT', value: String(scaled), text: `${token.text} bps` } : token)),
    );
  }
  return [
    { ...base, direction: 'below', pct: bounds[1] },
    { ...base, direction: 'above', pct: bounds[0] },
  ];
}

const GAPS: readonly Phrase[] = [
  phrase('gap bench? (BETWEEN)? (NUM|pct) to pct gap? bench?', gapRange),
  phrase('MOTION? BETWEEN? (NUM|pct) to pct (gap|LESS|LESSW|MORE|MOREW|CHEAP|RICH) bench?', gapRange),
  phrase('gap bench? BACK? cmp pct bench?', gapWord),
  phrase('DISC bench? DOWN_TO PCT', (t) => sized(t, 'discount', 'smaller')),
  phrase('gap bench? BACK? (PARITY|ZERO)', PARITY),
  phrase('cmp pct gap bench?', gapWord),
  phrase('pct ormore? gap ormore? bench?', gapWord),
  phrase('gap bench? pct ormore? bench?', gapWord),
  phrase('gap bench? BACK? cmp ZERO', (t) => ({ ...signedGap(t, 'premium'), pct: 0 }) as Meaning),
  phrase('cmp? pct ormore? (LESS|LESSW|MORE|MOREW|CHEAP|RICH) bench? ormore?', besideReference),
  phrase('(LESS|LESSW|MORE|MOREW|CHEAP|RICH) bench cmp? pct ormore?', referenceFirst),
  phrase('(LESS|MORE|LESSW|MOREW) bench (?!cmp)', (t) => ({
    kind: 'gap',
    direction: has(t, 'LESS', 'LESSW') ? 'below' : 'above',
    pct: 0,
    against: against(t),
    word: 'premium',
  })),
  phrase('bench (NPCT|PPCT) ormore?', (t) => signedGap(t, 'premium')),
  phrase('bench MINUS PCT', (t) => sized(t, 'discount', 'none')),
  phrase('bench PLUS PCT', (t) => sized(t, 'premium', 'none')),
  phrase('cmp? (NPCT|PPCT) ormore? bench', (t) => signedGap(t, 'premium')),
  phrase('NOT (LESS|MORE) bench (?!cmp)', (t) => ({
    kind: 'gap',
    direction: has(t, 'MORE') ? 'below' : 'above',
    pct: 0,
    against: against(t),
    word: 'premium',
  })),
  phrase('(NPCT|PPCT) ormore?', (t) => signedGap(t, 'bare')),
  phrase('(NPCT SLASH PPCT|PPCT SLASH NPCT)', (t) => all(t, PERCENTS).map((one) => signedGap([one], 'bare'))),
  phrase('cmp NPCT', (t) => signedGap(t, 'bare')),
  phrase('cmp? (PCT|ZERO)', (t) => {
    const zero = has(t, 'ZERO') || readNumber(t, 'PCT') === 0;
    if (!zero) return question(`What is "${joinText(t)}" measured from? Write "2% discount", "take profit 2%" or "stop loss 2%".`);
    return compared(t) === 'none' ? PARITY(t) : { ...PARITY(t), direction: compared(t) === 'greater' ? 'above' : 'below', word: 'premium' };
  }),
  phrase('BACK? PCT bench', (t) =>
    /within/i.test(joinText(t))
      ? { kind: 'gap', direction: 'above', pct: 0 - readNumber(t, 'PCT'), against: against(t), word: 'premium' }
      : question(`Is "${joinText(t)}" below or above it?`),
  ),
  phrase('DISC WIDENS PCT', (t) => sized(t, 'discount', 'greater')),
  phrase('DISC? NARROWS less? PCT', (t) => sized(t, 'discount', 'smaller')),
  phrase('GAP bench? NARROWS (NPCT|PPCT|PCT)', (t) =>
    readNumber(t, ...PERCENTS) < 0
      ? { kind: 'gap', direction: 'above', pct: readNumber(t, ...PERCENTS), against: against(t), word: 'premium' }
      : question(`Is "${joinText(t)}" a discount or a premium? Write one of these words.`),
  ),
  phrase('gap bench? GONE', PARITY),
  phrase('RECOVERY', PARITY),
  phrase('BACK? PARITY bench?', PARITY),
  phrase('ZERO gap', PARITY),
  phrase('PARITY (OR_LESS|OR_MORE)', (t) => ({ ...PARITY(t), direction: has(t, 'OR_LESS') ? 'below' : 'above', word: 'premium' })),
  phrase('BACK bench PARITY? (?!cmp)', PARITY),
  phrase('SELL (WHEN|ASSET|BACK)* ASSET? (REF|MARK) (?!cmp|AT|USD|KNUM|NUM|pct|PLUS|MINUS)', (t) => [action('exit'), PARITY(t)]),
  phrase('SELL (WHEN|BACK|MOTION)* ZERO gap?', (t) => [action('exit'), PARITY(t)]),
  phrase('TAKE (PARITY|REF|MARK)', (t) => [action('exit'), PARITY(t)]),
];

function level(kind: 'at' | 'limit' | 'stop' | 'target', tokens: readonly Token[]): Meaning {
  const token = all(tokens, [...AMOUNTS, 'NNUM'])[0] as Token;
  return { kind: 'level', level: kind, value: (token.value as string).replace('-', ''), money: token.kind !== 'NUM' };
}

function price(direction: 'below' | 'above', token: Token | undefined): Meaning {
  return { kind: 'condition', condition: { type: `price_${direction}`, price: token?.value } };
}

const SHARE_PRICE = (t: readonly Token[]): Meaning =>
  question(
    `Is "${joinText(t)}" the price of the share or of the token? A Take watches the token: write "token price below …", or its discount to the share.`,
  );

const PRICES: readonly Phrase[] = [
  phrase('ref PRICE? AT? cmp? MOTION? amount', SHARE_PRICE),
  phrase('PRICE? cmp amount PRICE? ref', SHARE_PRICE),
  phrase('PRICE? (LESS|MORE) amount PRICE?', (t) => price(has(t, 'LESS') ? 'below' : 'above', all(t, AMOUNTS)[0])),
  // "under 2,750 but not under 2,500".
  phrase('NOT MOTION? (LESS|MORE) amount', (t) => price(has(t, 'MORE') ? 'below' : 'above', all(t, AMOUNTS)[0])),
  // Requires an allocation of its own. Without one the service asks for it.
  phrase('ASSET PRICE? BETWEEN NUM to NUM', (t) => {
    const [a, b] = all(t, ['NUM']).sort((x, y) => new Decimal(x.value as string).cmp(y.value as string));
    return [{ kind: 'asset' }, price('below', b), price('above', a)];
  }),
  phrase('PRICE MOTION? cmp amount', (t) => price(has(t, ...SMALLER) ? 'below' : 'above', all(t, AMOUNTS)[0])),
  phrase('(WITH|MOTION|PRICE)* amount OR_BETTER', (t) => level('limit', t)),
  phrase('BUY (MOTION|PRICE)* amount OR_BETTER', (t) => [action('entry'), level('limit', t)]),
  phrase('SELL (MOTION|PRICE)* amount OR_BETTER', (t) => [action('exit'), level('limit', t)]),
  phrase('LIMIT (MOTION|PRICE)* amount OR_BETTER?', (t) => level('limit', t)),
  phrase('(WITH|MOTION|PRICE)* amount (OR_LESS|OR_MORE)', (t) => price(has(t, 'OR_LESS') ? 'below' : 'above', all(t, AMOUNTS)[0])),
  phrase('BUY (MOTION|PRICE)* amount (OR_LESS|OR_MORE)', (t) => [
    action('entry'),
    price(has(t, 'OR_LESS') ? 'below' : 'above', all(t, AMOUNTS)[0]),
  ]),
  phrase('PRICE BETWEEN? amount to amount PRICE?', (t) => {
    const [a, b] = all(t, AMOUNTS).sort((x, y) => new Decimal(x.value as string).cmp(y.value as string));
    return [price('below', b), price('above', a)];
  }),
  phrase('(PRICE|MOTION)* DOWN_TO amount', (t) => price('below', all(t, AMOUNTS)[0])),
  phrase('(PRICE|MOTION) MOTION? amount', (t) => level('at', t)),
  phrase('SELL (PRICE|MOTION)* amount', (t) => [action('exit'), level('at', t)]),
  phrase('SELL (PRICE|MOTION)* amount (OR_LESS|OR_MORE)', (t) => [
    action('exit'),
    price(has(t, 'OR_LESS') ? 'below' : 'above', all(t, AMOUNTS)[0]),
  ]),
  phrase('SELL amount (WORTH|WITH)', (t) =>
    question(`Is "${joinText(t)}" a price, or a part of the position? A Take sells all of it at once.`),
  ),
  phrase('STOP LOSS? (PRICE|MOTION)* LESS? amount', (t) => level('stop', t)),
  phrase('TAKE (PRICE|MOTION)* MORE? amount', (t) => level('target', t)),
  phrase('(LESSW|MOREW|LEASTW) amount', (t) =>
    question(`Is "${joinText(t)}" a price to wait for or the amount to invest? Write "price below $150" or "with $500".`),
  ),
];

function timeframe(tokens: readonly Token[]): { readonly timeframe?: string } | { readonly question: string } {
  const lengths = [...new Set(all(tokens, ['DUR']).map(({ value }) => Math.round(Number(value) * 60)))];
  const shown = lengths.map((minutes) => (minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`));
  if (shown.length > 1) return { question: `On which bars is "${joinText(tokens)}" measured: ${shown.join(' or ')}?` };
  return shown[0] === undefined ? {} : { timeframe: shown[0] };
}

/** Reads an RSI, whose period is before it, between it and the comparator, or at the end with "periods". */
function rsi(tokens: readonly Token[]): Meaning | readonly Meaning[] {
  const bars = timeframe(tokens);
  if ('question' in bars) return question(bars.question);
  const place = tokens.findIndex(({ kind }) => GREATER.includes(kind) || SMALLER.includes(kind) || kind === 'BETWEEN');
  const before = all(tokens.slice(0, place), ['NUM']);
  const after = all(tokens.slice(place), ['NUM']);
  const bounds = has(tokens, 'BETWEEN') ? 2 : 1;
  const periods = [...before, ...after.slice(bounds)].map(({ value }) => Number(value));
  if (new Set(periods).size > 1) return question(`Which period does the RSI in "${joinText(tokens)}" have?`);
  const common = { ...(periods[0] === undefined ? {} : { period: periods[0] }), ...bars };
  const condition = (type: string, value: number): Meaning => ({ kind: 'condition', condition: { type, value, ...common } });
  if (bounds === 2) {
    const [low, high] = after
      .slice(0, 2)
      .map(({ value }) => Number(value))
      .sort((a, b) => a - b) as [number, number];
    return [condition('rsi_above', low), condition('rsi_below', high)];
  }
  return condition(has(tokens, ...SMALLER) ? 'rsi_below' : 'rsi_above', Number(after[0]?.value));
}

function emaCross(tokens: readonly Token[]): Meaning {
  const bars = timeframe(tokens);
  if ('question' in bars) return question(bars.question);
  const cross = tokens.findIndex(({ kind }) => kind === 'CROSS_UP' || kind === 'CROSS_DOWN');
  const [first, second] = all(tokens, ['NUM']).map(({ value }) => Number(value)) as [number, number];
  const isPair = all(tokens.slice(0, cross), ['NUM']).length !== 1;
  if (first === second || (isPair && first > second)) return question(`Which of the averages in "${joinText(tokens)}" is the fast one?`);
  const up = (tokens[cross]?.kind === 'CROSS_UP') === first < second;
  return {
    kind: 'condition',
    condition: { type: up ? 'ema_cross_up' : 'ema_cross_down', fast: Math.min(first, second), slow: Math.max(first, second), ...bars },
  };
}

const ONE_EMA = '(EMA NUM PERIOD?|NUM PERIOD? EMA)';
const CROSS = '(CROSS_UP|CROSS_DOWN)';

const INDICATORS: readonly Phrase[] = [
  phrase('(DUR|NUM|PERIOD)* RSI (NUM|DUR|PERIOD|COMMA|SLASH|DASH|MOTION|BACK)* cmp NUM (DUR|PERIOD)* (COMMA? NUM PERIOD)?', rsi),
  phrase('(DUR|NUM|PERIOD)* RSI (NUM|DUR|PERIOD|COMMA|SLASH|DASH|MOTION)* BETWEEN NUM to NUM (DUR|PERIOD)* (COMMA? NUM PERIOD)?', rsi),
  phrase(`DUR? EMA NUM (SLASH|AND) EMA? NUM DUR? ${CROSS} DUR? PERIOD?`, emaCross),
  phrase(`DUR? NUM (SLASH|AND) NUM DUR? PERIOD? EMA DUR? ${CROSS} DUR? PERIOD?`, emaCross),
  phrase(`DUR? ${ONE_EMA} DUR? ${CROSS} ${ONE_EMA} DUR? PERIOD?`, emaCross),
  phrase(`DUR? NUM SLASH NUM ${CROSS} DUR? PERIOD?`, (t) => ({ ...emaCross(t), assumed: 'the averages are exponential ones' }) as Meaning),
  phrase(`DUR? ${ONE_EMA} (MORE|LESS) ${ONE_EMA} DUR? CROSS_WORD DUR?`, (t) =>
    emaCross(
      t.map((one) => (one.kind === 'MORE' ? { ...one, kind: 'CROSS_UP' } : one.kind === 'LESS' ? { ...one, kind: 'CROSS_DOWN' } : one)),
    ),
  ),
  phrase(`${CROSS} EMA? NUM (SLASH|AND) EMA? NUM EMA? DUR? PERIOD?`, emaCross),
  phrase(`${CROSS}|REVERSE`, (t) => ({
    kind: 'cross',
    direction: has(t, 'REVERSE') ? 'reverse' : has(t, 'CROSS_UP') ? 'up' : 'down',
  })),
  phrase('(NUM PERIOD)? VOL MOTION? less pct (DUR PERIOD?)?', (t) => {
    const bars = timeframe(t);
    if ('question' in bars) return question(bars.question);
    const period = all(t, ['NUM'])[0]?.value;
    return {
      kind: 'condition',
      side: 'entry',
      condition: { type: 'volatility_below', period: Number(period ?? 24), pct: readNumber(t, ...PERCENTS), ...bars },
      ...(period === undefined ? { assumed: 'the volatility is that of 24 bars, annualised' } : {}),
    };
  }),
  phrase('(FUNDING MOTION? cmp (NUM|PCT)|FUND_RATE MOTION? cmp NUM PERCENTILE) ((LAST|MORE)? DUR)?', (t) => {
    const days = all(t, ['DUR'])[0]?.value;
    return {
      kind: 'condition',
      condition: {
        type: has(t, ...SMALLER) ? 'funding_percentile_below' : 'funding_percentile_above',
        percentile: readNumber(t, 'NUM', 'PCT'),
        windowDays: days === undefined ? 30 : Number(days) / 24,
      },
      ...(days === undefined ? { assumed: 'the funding percentile is that of 30 days' } : {}),
    };
  }),
  phrase('FUND_RATE MOTION? BOTTOM (NUM|PCT) PERCENTILE?', (t) => ({
    kind: 'condition',
    condition: { type: 'funding_percentile_below', percentile: readNumber(t, 'NUM', 'PCT'), windowDays: 30 },
    assumed: 'the funding percentile is that of 30 days',
  })),
  phrase('BASIS MOTION? NEGATIVE', () => ({ kind: 'condition', condition: { type: 'basis_below', pct: 0 } })),
  phrase('BASIS MOTION? cmp (pct|ZERO)', (t) => ({
    kind: 'condition',
    condition: { type: has(t, ...SMALLER) ? 'basis_below' : 'basis_above', pct: readNumber(t, ...PERCENTS, 'ZERO') },
  })),
  phrase('LIQ MOTION? more money LIQ?', (t) => liquidity(t)),
  phrase('LIQ MOTION? money OR_MORE', (t) => liquidity(t)),
  phrase('more? money LIQ LEASTW?', (t) =>
    has(t, ...GREATER) ? liquidity(t) : question(`Does "${joinText(t)}" mean at least that? Write "liquidity above …".`),
  ),
  phrase('LIQ MOTION? less amount', (t) =>
    question(`There is no condition for "${joinText(t)}"; write "liquidity above …", or leave it out.`),
  ),
  phrase('OVERSOLD', (t) => question(`What does "${joinText(t)}" mean? Write it as a number, for example "RSI below 30".`)),
  phrase('NAMED_CROSS', (t) => question(`Which averages does "${joinText(t)}" mean? Write "EMA 50 crosses above EMA 200".`)),
];

function liquidity(tokens: readonly Token[]): Meaning {
  return { kind: 'condition', side: 'entry', condition: { type: 'liquidity_above', usd: all(tokens, ['USD', 'KNUM'])[0]?.value } };
}

function news(tokens: readonly Token[], type: 'no_negative_event' | 'negative_event'): Meaning {
  const severity = all(tokens, ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'])[0]?.kind.toLowerCase();
  const hours = all(tokens, ['DUR'])[0]?.value;
  if (type === 'negative_event' && severity === undefined)
    return question(`How severe must the news behind "${joinText(tokens)}" be? Write "low", "medium", "high" or "critical" before it.`);
  const assumed = [
    ...(severity === undefined ? ['events of high severity or worse'] : []),
    ...(hours === undefined ? ['of the last 24 hours'] : []),
  ];
  return {
    kind: 'condition',
    side: type === 'negative_event' ? 'exit' : 'entry',
    condition: { type, minSeverity: severity ?? 'high', lookbackHours: Number(hours ?? 24), includeRumors: false },
    ...(assumed.length === 0 ? {} : { assumed: `negative news means ${assumed.join(' ')}; rumors do not count` }),
  };
}

const SESSIONS: Readonly<Record<string, string>> = { REGULAR: 'REGULAR', PRE: 'PRE_MARKET', POST: 'POST_MARKET', CLOSED: 'CLOSED' };

function sessions(tokens: readonly Token[]): Meaning {
  const named = has(tokens, 'OUTSIDE') ? ['PRE_MARKET', 'POST_MARKET', 'CLOSED'] : tokens.flatMap(({ kind }) => SESSIONS[kind] ?? []);
  if (has(tokens, 'AND') && named.includes('REGULAR') && named.includes('CLOSED'))
    return question(`Which one holds: the sessions of "${joinText(tokens)}" are never at the same time?`);
  return { kind: 'condition', side: 'entry', condition: { type: 'session_in', sessions: [...new Set(named)] } };
}

/** Reads "not in pre-market or after-hours" as every other session. */
function sessionsBut(tokens: readonly Token[]): Meaning {
  const named = tokens.flatMap(({ kind }) => SESSIONS[kind] ?? []);
  const left = Object.values(SESSIONS).filter((session) => !named.includes(session));
  return { kind: 'condition', side: 'entry', condition: { type: 'session_in', sessions: left } };
}

const EVENTS: readonly Phrase[] = [
  phrase('NO_NEWS (sev|SEVERITY|NEGATIVE)* (sev|NEGATIVE) (SEVERITY)? NEWS (sev|SEVERITY)* (LAST? DUR)?', (t) =>
    news(t, 'no_negative_event'),
  ),
  phrase('(THEN)? NOT WHEN (sev|SEVERITY|NEGATIVE)* NEGATIVE NEWS (sev|SEVERITY)* (LAST? DUR|LAST_DAY)?', (t) =>
    news(t, 'no_negative_event'),
  ),
  phrase('(sev|SEVERITY|NEGATIVE)* NEGATIVE NEWS (sev|SEVERITY)* (LAST? DUR|LAST_DAY)?', (t) => news(t, 'negative_event')),
  phrase('HOURS? sess ((COMMA|OR|AND|SLASH)* sess)* HOURS?', sessions),
  phrase('NOT WHEN? HOURS? sess ((OR|SLASH)? sess)* HOURS?', (t) => sessionsBut(t)),
  // The start of a session is also a moment to sell.
  phrase('sess HOURS? OPENS', (t) => ({
    kind: 'condition',
    condition: { type: 'session_in', sessions: t.flatMap(({ kind }) => SESSIONS[kind] ?? []) },
  })),
  phrase('OUTSIDE REGULAR HOURS? (THEN? sess ((COMMA|OR|AND)* sess)*)?', sessions),
  phrase('WEEKEND CLOSED', sessions),
];

function exitAt(type: 'stop_loss' | 'take_profit', tokens: readonly Token[]): Meaning {
  const pct = Math.abs(readNumber(tokens, ...PERCENTS));
  if (pct === 0) return question(`"${joinText(tokens)}" would sell at once: at how many percent is it meant?`);
  return { kind: 'condition', side: 'exit', anywhere: true, condition: { type, pct } };
}

/** Reads gains and losses without "stop" or "take profit" as those of the position in a sale. Elsewhere they are a question. */
const positionAt = (type: 'stop_loss' | 'take_profit', tokens: readonly Token[]): Meaning => ({
  kind: 'condition',
  side: 'exit',
  condition: { type, pct: Math.abs(readNumber(tokens, ...PERCENTS)) },
});

const pairAt = (tokens: readonly Token[]): readonly Meaning[] => {
  const [gain, loss] = ['GAIN', 'LOSS'].map((kind) => [tokens[tokens.findIndex((one) => one.kind === kind) + 1] as Token]);
  const asPercent = ([one]: readonly Token[] = []): readonly Token[] => (one === undefined ? [] : [{ ...one, kind: 'PCT' }]);
  return [positionAt('take_profit', asPercent(gain)), { kind: 'link', word: 'or' }, positionAt('stop_loss', asPercent(loss))];
};

const held = (tokens: readonly Token[], anywhere: boolean): Meaning => ({
  kind: 'condition',
  side: 'exit',
  ...(anywhere ? { anywhere: true as const } : {}),
  condition: { type: 'held_longer_than', hours: Number(plainDecimal(all(tokens, ['DUR'])[0]?.value ?? '0')) },
});

const EXITS: readonly Phrase[] = [
  phrase('STOP LOSS? (MOTION|ASSET)* (PCT|NPCT) LOSS? FROM_COST?', (t) => exitAt('stop_loss', t)),
  phrase('STOP MOTION? NNUM', (t) => level('stop', t)),
  phrase('STOP WHEN? ASSET? LOSS (PCT|NPCT)', (t) => exitAt('stop_loss', t)),
  phrase('(PCT|NPCT) STOP LOSS?', (t) => exitAt('stop_loss', t)),
  phrase('(PCT|NPCT) LOSS FROM_COST?', (t) => positionAt('stop_loss', t)),
  phrase('LOSS (PCT|NPCT)', (t) => positionAt('stop_loss', t)),
  phrase('TAKE MOTION? (PCT|PPCT) GAIN? FROM_COST?', (t) => exitAt('take_profit', t)),
  phrase('(PCT|PPCT) TAKE', (t) => exitAt('take_profit', t)),
  phrase('(PCT|PPCT) GAIN FROM_COST?', (t) => positionAt('take_profit', t)),
  phrase('GAIN (PCT|PPCT)', (t) => positionAt('take_profit', t)),
  phrase('SELL (PCT|PPCT) (HIGHER|MORE FROM_COST)', (t) => [action('exit'), positionAt('take_profit', t)]),
  phrase('HOLD (MOSTW|AFTER|WITH|LAST|ASSET)* DUR', (t) => held(t, true)),
  phrase('NOT HOLD ASSET? (AFTER|LAST|MORE|MOREW)? DUR', (t) => held(t, true)),
  phrase('AFTER HOLD ASSET? DUR', (t) => held(t, false)),
  // "or 4h" may also be the bars of an indicator.
  phrase('OR DUR (?=COMMA|END|SLASH|$)', (t) =>
    /^or (?:\d+ ?[mh]|hourly|daily)$/i.test(joinText(t))
      ? question(`Is "${joinText(t)}" how long it is held? Write "or after …".`)
      : [{ kind: 'link', word: 'or' }, held(t, false)],
  ),
  // "up eight percent or down four": the second number has the unit of the first.
  phrase('GAIN (PCT|PPCT) OR LOSS NUM', (t) => pairAt(t)),
  phrase('LOSS (PCT|NPCT) OR GAIN NUM', (t) => pairAt(t)),
  phrase('MOSTW HOLD DUR', (t) => held(t, true)),
  phrase('SELL (LAST|AFTER) DUR', (t) => [action('exit'), held(t, false)]),
  phrase('(AFTER|MOSTW) DUR', (t) => held(t, false)),
  phrase('DUR AFTER', (t) => held(t, false)),
  phrase('DUR HOLD', (t) => held(t, true)),
];

/** Slippage budget in basis points above which the author is asked, because it is rarely meant. */
const HIGH_SLIPPAGE_BPS = 1_000;

function slip(tokens: readonly Token[]): Meaning {
  const bps = Number(new Decimal(all(tokens, PERCENTS)[0]?.value ?? '0').times(100));
  if (bps > HIGH_SLIPPAGE_BPS) return question(`"${joinText(tokens)}" is a slippage budget of ${bps} basis points: which one is meant?`);
  return { kind: 'slippage', bps };
}

const allocation = (tokens: readonly Token[]): Meaning => {
  const token = all(tokens, AMOUNTS)[0] as Token;
  return {
    kind: 'allocation',
    usd: token.value as string,
    final: has(tokens, 'ACTUALLY'),
    ...(token.kind === 'USD' ? {} : { assumed: `"${token.text}" is an amount of ${token.value} US dollars` }),
  };
};

const MONEY_RANGE = (t: readonly Token[]): Meaning => question(`Which amount is to be invested: "${joinText(t)}" names two?`);
const TOKENS_OR_DOLLARS = (t: readonly Token[]): Meaning =>
  question(`Is "${joinText(t)}" an amount in US dollars? Write it with its currency, for example $500.`);

const LIMITS: readonly Phrase[] = [
  phrase('MOSTW? SLIP MOTION? cmp* MOTION? PCT', slip),
  phrase('MOSTW? PCT (MOSTW|WORTH)? SLIP (MOSTW|WORTH)?', slip),
  phrase('MOSTW? SLIP cmp? NUM (?!OR)', (t) => ({
    kind: 'slippage',
    bps: readNumber(t, 'NUM'),
    assumed: `the slippage budget of ${readNumber(t, 'NUM')} is in basis points`,
  })),
  phrase('SLIP cmp? (NUM|PCT) OR (NUM|PCT)', (t) => question(`Which slippage budget holds: "${joinText(t)}" names two?`)),
  phrase('(SIZE|WITH) (SIZE|WITH|MOTION|MOSTW|LESS|ASSET)* amount (WORTH|SIZE|WITH)*', allocation),
  phrase('amount (WORTH|SIZE)', allocation),
  phrase('money MOSTW (?=COMMA|END|SLASH|$)', allocation),
  phrase('MOSTW money (WORTH|SIZE|WITH)*', allocation),
  phrase('BUY ASSET? (SIZE|WITH|MOSTW)* money (WORTH|SIZE|WITH)*', (t) => [
    action('entry'),
    ...(has(t, 'ASSET') ? [{ kind: 'asset' } as const] : []),
    allocation(t),
  ]),
  phrase('money (WITH (?!amount|MOTION))?', allocation),
  phrase('first NUM alone', allocation),
  phrase('BUY NUM (?!ASSET|SLASH|PERIOD|RSI|EMA|DUR)', (t) => [action('entry'), allocation(t)]),
  phrase('BUY NUM ASSET', (t) => [action('entry'), TOKENS_OR_DOLLARS(t)]),
  phrase('NUM ASSET', TOKENS_OR_DOLLARS),
  phrase('BUY ASSET? (NUM|KNUM) SHARE', (t) => [action('entry'), TOKENS_OR_DOLLARS(t)]),
  phrase('(SIZE|WITH)* (NUM|KNUM) SHARE', TOKENS_OR_DOLLARS),
  phrase('ACTUALLY amount', allocation),
  phrase('RISK MOSTW? amount', (t) =>
    question(`Is "${joinText(t)}" the amount to invest, or the most that may be lost? Write "with $500" and "stop loss 5%".`),
  ),
  phrase('(SIZE|WITH|BUY)* BETWEEN? amount (TO|DASH) amount', MONEY_RANGE),
  phrase('(SIZE|WITH|BUY)* BETWEEN amount AND amount', MONEY_RANGE),
  phrase('OR UNTIL (?!DATE|DUR)', () => [{ kind: 'link', word: 'or' }, action('exit')]),
  phrase('(VALID|UNTIL) (VALID|UNTIL|MOSTW)* (DUR|DATE)', expiry),
  phrase('(VALID|UNTIL) (VALID|UNTIL|MOSTW)* (DUR|DATE) OR (DUR|DATE)', (t) =>
    question(`Until when is it valid: "${joinText(t)}" names two?`),
  ),
  phrase('(DUR|DATE) (ORDER|VALID) (?!DUR|DATE)', expiry),
  // An order without an end gets a Take's default life, which the answer names.
  phrase('VALID (?!DUR|DATE)', (t) => (/^gtc$/i.test(joinText(t)) ? filler : question(`Until when: "${joinText(t)}"?`))),
];

function expiry(tokens: readonly Token[], now: EpochMs): Meaning {
  const date = all(tokens, ['DATE'])[0];
  if (date !== undefined) return { kind: 'expiry', at: date.at as EpochMs };
  return { kind: 'expiry', at: now + Math.round(Number(all(tokens, ['DUR'])[0]?.value) * HOUR_MS) };
}

const LINKS: Readonly<Record<string, Meaning>> = {
  BUY: action('entry'),
  SELL: action('exit'),
  SHORT: question('A Take only opens long positions. Which asset is it to buy, and when?'),
  END: { kind: 'link', word: 'sentence' },
  COMMA: { kind: 'link', word: 'comma' },
  SLASH: { kind: 'link', word: 'comma' },
  OR: { kind: 'link', word: 'or' },
  AND: { kind: 'link', word: 'and' },
  WHEN: { kind: 'link', word: 'when' },
  THEN: { kind: 'link', word: 'then' },
  BECAUSE: { kind: 'rationale' },
  WITH: filler,
  SIZE: filler,
  WORTH: filler,
  SHARE: filler,
  PERP: filler,
  PRICE: filler,
  MOTION: filler,
  ASSET: { kind: 'asset' },
};

/** Alternatives for what Takes cannot do. */
const INSTEAD: Readonly<Record<string, string>> = {
  LEVERAGE: 'a Take buys without leverage. Write the amount to invest, for example "with $500".',
  OPTION: 'a Take buys the asset itself and no options. Name the asset, an amount, and when to buy and sell.',
  TRAILING: 'the stop of a Take does not move. Write "stop loss 5%", or "stop at $150".',
  PARTLY: 'a Take buys once and sells all of it at once. Write one entry and one exit, and another Take for the other part.',
  REPEATED: 'a Take buys once. Write one purchase, and another Take for each further one.',
  PORTION: 'a Take invests an amount in US dollars. Write it, for example "with $500".',
};

/** All phrases. The longest match at a place counts, and the earlier one if two are equally long. */
export const PHRASES: readonly Phrase[] = [
  ...GAPS,
  ...INDICATORS,
  ...EVENTS,
  ...EXITS,
  ...PRICES,
  ...LIMITS,
  ...Object.entries(LINKS).map(([kind, meaning]) => phrase(kind, () => meaning)),
  ...Object.entries(INSTEAD).map(([kind, words]) => phrase(kind, (t) => question(`"${joinText(t)}": ${words}`))),
];

/** Describes a reading. */
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

/** Formats a condition, such as `premium_below pct=-2`. */
export function shownCondition(condition: ManifestCondition): string {
  const fields = Object.entries(condition).filter(([name]) => name !== 'type');
  return [condition.type, ...fields.map(([name, value]) => `${name}=${Array.isArray(value) ? value.join('|') : String(value)}`)].join(' ');
}
