/** The words of the thesis grammar: each concept with its spellings, as sources of regular expressions. docs/guides/takes.md lists them. */
import { QUANTITY_WORDS } from '../quantity.ts';

const BACK =
  '(?:(?:it |back |falls? |comes? |gets? |goes |is |trades? |climbs? |moves? |reverts? |returns? |converges? |recovers? |rises? |drops? )*(?:back|reverts?|returns?|recovers?|converges?)(?: (?:to|at|in line with|level with|on|up to|down to|within))*)';

/** Spellings by concept. Of the spellings that match at a place the longest is taken. */
export const WORDS: Readonly<Record<string, readonly string[]>> = {
  BUY: [
    'buy(?:s|ing)?',
    'bought',
    '(?:go |get |going )?long',
    'accumulat(?:e|ing)',
    'purchas(?:e|ing)',
    'enter(?:ing)?',
    'entry',
    'entries',
    'grab',
    'pick(?: it)? up',
    'open a (?:long )?position',
    'take a position',
    'bid',
    'scoop(?: up)?',
    'in:',
    'want in',
    '🟢',
    'get in',
    'load up(?: on)?',
    'add',
  ],
  SELL: [
    'sell(?:s|ing)?',
    'sold',
    'sale',
    'exit(?:s|ing)?',
    'clos(?:e|ing)(?: (?:it|out|the position|the trade))?',
    'to be closed',
    '(?:get |getting |go |be )?out',
    'unwind(?:ing)?',
    'leave',
    'liquidat(?:e|ion)',
    'let (?:it )?go',
    'part with',
    'flat(?:ten)?(?= (?:at|when|if|once) )',
    '(?:hold(?:ing)?|keep)(?: (?:it|the position|on))?(?: (?:until|till|til)| (?=to (?:par|parity|ref)))',
    'offer',
    'dump(?: it)?',
    '🔴',
    'take(?: the)? profits?(?= (?:when|if|once|as))',
    'done(?= (?:at|@|when) )',
    'cash out',
    'off ?load',
  ],
  SHORT: ['(?:go |sell )?short(?:ing)?(?! of )'],
  WHEN: [
    '(?:but |and )?(?:only )?(?:when(?:ever|evr)?|wen|if(?: and when)?|once|as soon as|provid(?:ed|ing)(?: that)?|while|as long as|should|where|in case|upon)',
    '(?:but |and )?only(?= at )',
  ],
  THEN: ['so', 'yet', 'but', 'then', 'otherwise', 'else'],
  AND: ['and', '&', 'plus(?! \\d)', 'also', 'as well as', 'together with', '(?<= )\\+(?= )', 'while also', 'but also'],
  OR: ['or', 'and/or'],
  NO_NEWS: [
    "(?:there (?:is|are|was|were|has been|have been)|there'?s|theres|with|has|have|had|been|as long as there is)? ?(?:no|without|absent)(?: any)?(?= [a-z- ]*(?:news|events?|headlines?|filings?))",
  ],
  NOT: ['do(?:es)? not', "don'?t", "won'?t", 'not', 'never', 'no'],
  UNLESS: ['at or (?:below|under)', 'underneath', 'unless'],
  BECAUSE: [
    'because',
    'since(?! the last)',
    'as (?=i )',
    'as i (?:think|believe)',
    'my (?:reason(?:ing)?|view|idea|thesis) (?:is|for)(?: that)?',
    'rationale',
    'thesis',
    'i (?:think|believe|expect|feel|like|reckon|suspect)(?: that)?',
    'i am (?:bullish|positive)',
    "i'm (?:bullish|positive)",
    'in my view',
    'in my opinion',
  ],
  LESS: [
    'below',
    'under',
    'undr',
    'beneath',
    'belo',
    'sub',
    '<',
    '<=',
    '=<',
    'short of',
    'inside of',
    'lower than',
    'smaller than',
    'narrower than',
    'cheaper than',
  ],
  LESSW: ['less than', 'fewer than'],
  MOSTW: [
    'at most',
    '(?:no|not) (?:more|longer|greater|higher|over) than',
    '(?:no|not) (?:above|over)',
    '(?:a )?max(?:imum)?(?: of)?',
    'up to',
    'limited to',
    'capped at',
    'within',
    'no higher than',
  ],
  MORE: [
    'at or (?:above|over)',
    'above',
    'over',
    'exceed(?:s|ing)',
    'beyond',
    '>',
    '>=',
    '=>',
    'higher than',
    'larger than',
    'greater than',
    'wider than',
    'deeper than',
    'bigger than',
    'north of',
    'breaks?(?= \\$)',
    'more expensive than',
    'tops',
  ],
  MOREW: ['more than'],
  LEASTW: ['at least', '(?:no|not) (?:less|lower|smaller) than', '(?:a )?min(?:imum)?(?: of)?'],
  OR_MORE: [
    'or (?:more|deeper|higher|wider|better|greater|larger|bigger|above|beyond)',
    'and (?:up|more|deeper|above|beyond)',
    '(?<=[%\\w])\\+(?=[ ,;.\\n]|$)',
    'plus(?=[,.;]|$)',
  ],
  OR_LESS: ['or (?:less|lower|below|under|cheaper|better(?= price))'],
  BETWEEN: ['(?:in )?between', '(?:in )?(?:the |a )?range(?: of)?', 'from(?= -?\\$?\\d[^,.;]* to )'],
  TO: ['to(?= -?\\$?\\d)'],
  DISC: ['discounts?', 'discounted', 'disc', 'dsc', 'shortfall'],
  PREM: ['premiums?', 'prem', 'premia'],
  GAP: ['gap', 'spread', 'difference'],
  CHEAP: ['cheap(?:er)?', 'off', 'undervalued by', 'cheaper than'],
  RICH: ['rich(?:er)?', 'expensive', 'dear(?:er)?', 'overvalued by'],
  REF: [
    "(?:the |its |their )?(?:reference(?: price)?|ref(?: price)?|fair[- ]value|fv|nav|(?:real |actual |listed |underlying |traded )?(?:share|stock)(?: price|'s (?:price|level|reference|quote|value))|share level|underlying(?! share| stock)|index(?! fund))",
  ],
  SHARE: ['(?:the )?(?:real |actual |listed |underlying |common )*(?:shares?|stocks?)(?! market)'],
  MARK: [
    "(?:the |its )?(?:(?:issuer(?:'s)?|latest|last)[- ])?(?:mark(?:s|ed)?(?: price)?)",
    "(?:the |its )?(?:last|latest|funding|previous)[- ](?:funding[- ])?round(?:'s)?(?:[- ](?:mark|price|valuation))?",
  ],
  PARITY: [
    'parity',
    'par',
    'even',
    'flat',
    '(?:the )?same price(?: as)?',
    'zero (?:premium|discount|gap)',
    '0 ?% (?:premium|discount|gap)',
    'no (?:discount|gap|premium)(?: (?:left|remains?))?',
  ],
  REGULAR: [
    '(?:only )?(?:(?:in|during|within|while) )?(?:the )?(?:regular|reg|rth|market hours|us hours|cash session|normal hours)(?=[\\s,.;)]|$)',
    '(?:us )?(?:stock )?(?:market|exchange|session) is open',
  ],
  PRE: [
    '(?:(?:in|during) )?(?:the )?pre[- ]?market',
    'pre(?= (?:or|and|market|session|,)|[,/])',
    'before the (?:market opens|open|opening bell)',
  ],
  POST: ['(?:(?:in|during) )?(?:the )?(?:post[- ]?market|after[- ]hours|extended hours)', 'post(?= |,)'],
  CLOSED: [
    '(?:(?:us )?(?:stock )?(?:market|exchange|session) )(?:is )?closed',
    '(?:(?:in|during) )?(?:the )?closed(?= (?:hours|session|market))',
    'closed(?=\\)|,? (?:only|session))',
  ],
  GONE: [
    '(?:is |has |have )?(?:all )?(?:gone|closed|closes|vanish(?:ed|es)|disappear(?:s|ed)|recovered|closing|closed up|eliminated|erased)',
    'turns positive',
    'gets? to zero',
    '(?:is |hits )zero',
  ],
  RECOVERY: ['(?:full )?recovery of (?:the )?(?:whole |entire |full )?discount'],
  BACK: [BACK],
  WIDENS: ['widens? to', 'deepens? to', 'grows? to'],
  NARROWS: ['narrows? to', 'shrinks? to', 'narrowed to', 'shrunk to'],
  LAST_DAY: ['(?:in|within|over|during|for) (?:the )?(?:last|past) day'],
  RSI: ['rsi', 'rsi(?=\\d)'],
  EMA: ['emas?', 'ema(?=\\d)'],
  PERIOD: ['[- ]?(?:periods?|bars?)'],
  CROSS_UP: ['bullish cross(?:over)?', 'crossover up', 'cross(?:es|ing|over)? (?:back )?(?:up|upwards?|above|over)(?: again)?'],
  CROSS_DOWN: ['bearish cross(?:over)?', 'cross(?:es|ing)? (?:back )?(?:down|downwards?|below|under)(?: again)?'],
  NAMED_CROSS: ['(?:golden|death) cross'],
  OVERSOLD: ['oversold', 'overbought'],
  REVERSE: ['(?:the )?(?:reverse|opposite) cross'],
  VOL: ['(?:annuali[sz]ed )?vol(?:atility)?'],
  FUNDING: ["funding(?: rate)?(?: percentile|'s percentile)"],
  BASIS: ['(?:perp(?:etual)? )?basis'],
  LIQ: ['(?:the )?(?:pool |available )?(?:liquidity|liq|depth)', '(?:the )?pool(?: (?:depth|liquidity|size|holds|has))?'],
  NEGATIVE: ['bad', 'negative', 'adverse'],
  NEWS: ['news', 'events?', 'headlines?', 'filings?'],
  LAST: [
    '(?:(?:in|within|over|during|for|of) )?(?:the )?(?:last|past|prior|previous|preceding)',
    '(?:in|within|over|for)(?= (?:\\d+|twelve|six|two|three|a|one) ?(?:h|hours?|d|days?|weeks?|wk)(?![a-z]))',
  ],
  LOW: ['low(?:[- ]severity)?'],
  MEDIUM: ['medium(?:[- ]severity)?'],
  HIGH: ['high(?:[- ]severity)?', 'severe(?:ly)?', 'major', 'serious', 'material'],
  CRITICAL: ['critical(?:[- ]severity)?'],
  SEVERITY: ['(?:of )?severity', 'or worse', 'or higher(?! \\d)'],
  WEEKEND: ['(?:on |over |at )?(?:a |the )?weekends?'],
  OUTSIDE: ['outside(?: of)?'],
  HOURS: ['(?:trading )?(?:hours?|sessions?)', 'trading'],
  STOP: [
    '(?:hard |protective |a |my )*stop(?:[- ]?loss(?:es)?)?(?:[- ]out)?',
    's/?l',
    'bail(?: out)?',
    'max(?:imum)? loss',
    'cut(?: it| losses)?',
    'abandon',
    '🛑',
  ],
  LOSS: ['loss(?:es)?', 'los(?:es|ing)', 'down', 'drawdown'],
  TAKE: ['take[- ]?profits?', 't/?p', 'target(?:s|ing)?', '(?:profit |price )target', 'pt', '🎯'],
  GAIN: ['(?:in )?(?:profits?|gains?)', 'up'],
  HIGHER: ['higher'],
  FROM_COST: ['(?:from|below|above|under|over|on|of) (?:my |the )?(?:cost|entry(?: price)?|purchase price|purchase)'],
  HOLD: ['(?:hold(?:ing)?|held|keep)(?: (?:it|the position))?', 'time[- ]stop', 'time[- ]exit', 'give up'],
  AFTER: ['after', 'have gone by', 'ha(?:ve|s) passed'],
  VALID: [
    '(?:order )?(?:is )?(?:valid|good|open|live|active|runs?|stands|works|working|gtc|ttl|expir(?:y|es?|ing|ation)|lasts?|lapses?|validity)(?: (?:for|in|within|after|at|on|until|till|til|through|thru|to|by|up to))?',
    'gtd',
    '(?:for|over|within) the next',
    'cancel(?:led|s)?(?: (?:it|the order))?(?: (?:after|by|at|on|in))?',
    'scrap it(?: (?:after|by))?',
  ],
  UNTIL: ['(?:until|till|til|through|thru)(?= )'],
  ORDER: ['order'],
  SLIP: ['slip(?:page|age)?(?: (?:budget|limit|tolerance|cap))?', 'slippage'],
  SIZE: [
    'size',
    'budget',
    'allocat(?:e|ing|ion)',
    'invest(?:ing|ment)?',
    'cash',
    'capital',
    'amount',
    'spend(?:ing)?',
    'commit(?:ting)?',
    'put(?:ting)?',
    'stake',
    'deploy(?:ing)?',
    'notional',
    'total',
    'throw(?:ing)?',
    'use',
    'take(?= \\$\\d)',
    '💵',
    '🛒',
    'funded with',
    'drop(?= \\$?\\d)',
  ],
  WITH: ['with', 'w/?(?= )', 'using', 'for', 'to the (?:value|tune) of', 'worth'],
  RISK: ['risk(?:ing)?'],
  WORTH: ['worth', 'in total', 'altogether', 'max(?:imum)?', 'total'],
  ACTUALLY: ['(?:no )?actually(?:,)?(?: make (?:it|that))?', 'make (?:it|that)'],
  PRICE: ['(?:the |its |token )*(?:price|tok(?:en)? price)', 'costs?', '(?:buy )?zone', 'quoted'],
  MINUS: ['minus', 'less(?= \\d)'],
  PLUS: ['plus(?= \\d)'],
  PERP: ['(?:the )?(?:perp(?:etual)?s?)'],
};

/** Words without a meaning of their own in a thesis. */
const FILLERS = [
  ...[
    'please',
    'pls',
    'plz',
    'i want(?: to)?',
    "i(?: would|'d| wd|d)(?: like to)?",
    "let'?s",
    'let us(?: try)?',
    'lets',
    "i'?ll",
    'i will',
    'i am',
    "i'?m",
    'i',
    'me',
    'my',
    'we',
    'would',
    'could',
    'can',
    'will be',
    'to be',
    'be',
  ],
  ...[
    "(?:the )?tokens?(?:'s)?",
    'tkn',
    'tok',
    '(?:the )?asset',
    'position',
    'in',
    'some',
    'its',
    'the',
    'an?',
    'there',
    'on',
    'to',
    'of',
    'ha(?:s|ve)',
    'that',
    'this',
    'these',
  ],
  ...['come out', 'comes? out', 'came out', 'appears?', 'appeared', 'reported', 'published', 'has been', 'been'],
  ...[
    'as',
    'by',
    'from',
    'vs\\.?',
    'versus',
    'against',
    'relative to',
    'compared (?:to|with)',
    'than',
    'only',
    'just',
    'still',
    'once again',
    'again',
    'right',
    'ok(?:ay)?',
    'of it',
    'into(?: it)?',
    'them',
    'which',
    'each',
  ],
  ...[
    'chart',
    'bars',
    'candles?',
    'timeframe',
    'basis(?= of)',
    'real(?= (?:share|stock))',
    'entirely',
    'both',
    'either',
    'again',
    'protected',
    'if nothing happens',
    'if (?:it is |its )?(?:not filled|unfilled)',
    'exactly',
    'yo',
    'hey',
    'hi',
    'trade',
    'idea',
    'setup',
    'plan',
    'alert',
    'signal',
    'order(?=:)',
    'offered',
    'want',
  ],
];

/** Fillers as well, but an amount behind one is a level, not what is invested. */
const MOTIONS = [
  ...[
    'it',
    "it'?s",
    'is',
    "there(?:'s| is)",
    'are',
    'was',
    '@',
    'at',
    'trad(?:es?|ing)',
    'gets?',
    'goes',
    'moves?',
    'stands?',
    'sits',
    'falls?',
    'drops?',
    'dips?(?= (?:to|below|under|beneath|more|at|buy))',
    'sinks',
    'slips(?= )',
  ],
  ...[
    'declines?',
    'rises',
    'climbs',
    'jumps',
    'breaks',
    'comes',
    'widens',
    'narrows',
    'shrinks',
    'reaches',
    'hits',
    'touches',
    'prints',
    'commands',
    'near',
    'around',
  ],
];

const BREAKS: Readonly<Record<string, readonly string[]>> = {
  END: ['[.;!?\\n]+'],
  SLASH: ['/'],
  DASH: ['-(?=\\$?\\d)'],
  COMMA: [',', '[|•·]', '—', '-(?= )', '\\p{Extended_Pictographic}\\uFE0F?(?:\\u20E3)?'],
  SPACE: ['[:"\'()=\\u200d\\ufe0f×→]+', '-+>', '\\[|\\]', '\\*+'],
};

export interface Word {
  readonly concept: string;
  readonly length: number;
}

/** Sources that end with a letter: the word has to end there too. */
const ENDED = /(?:[a-z?]|[^d]\))$/i;

const compiled: readonly (readonly [concept: string, pattern: RegExp])[] = [
  ...Object.entries({ ...WORDS, SPACE: FILLERS, MOTION: MOTIONS }).flatMap(([concept, sources]) =>
    sources.map((source): readonly [string, RegExp] => [
      concept,
      new RegExp(`(?:${source})${ENDED.test(source) ? "(?![a-z0-9'])" : ''}`, 'iyu'),
    ]),
  ),
  ...Object.entries(BREAKS).flatMap(([concept, sources]) =>
    sources.map((source): readonly [string, RegExp] => [concept, new RegExp(source, 'iyu')]),
  ),
];

/** The patterns that may match at a character: those that begin with another letter are left out. */
const byFirst = new Map<string, readonly (readonly [concept: string, pattern: RegExp])[]>();

function patternsAt(first: string): readonly (readonly [concept: string, pattern: RegExp])[] {
  const key = first.toLowerCase();
  const known = byFirst.get(key);
  if (known !== undefined) return known;
  const fitting = compiled.filter(([, { source }]) => !/^\(\?:[a-z](?![?|])/.test(source) || source[3] === key || source.includes('|'));
  byFirst.set(key, fitting);
  return fitting;
}

/** The longest word of the grammar at a place of the text. */
export function wordAt(text: string, at: number): Word | null {
  let best: Word | null = null;
  for (const [concept, pattern] of patternsAt(text[at] ?? '')) {
    pattern.lastIndex = at;
    const length = pattern.exec(text)?.[0].length ?? 0;
    if (length > (best?.length ?? 0)) best = { concept, length };
  }
  return best;
}

/** Every single word that the grammar is written with, in lower case: none of them may name a token. */
export const GRAMMAR_WORDS: ReadonlySet<string> = new Set(
  [...QUANTITY_WORDS, ...[...Object.values(WORDS).flat(), ...FILLERS, ...MOTIONS].flatMap(spellingsOf)].map((word) => word.toLowerCase()),
);

/** The letters of a source between its signs, with each optional ending on and off. */
function spellingsOf(source: string): string[] {
  const plain = source.replaceAll(/\(\?[=!][^()]*(?:\([^()]*\)[^()]*)*\)/g, ' ').replaceAll(/\\./g, ' ');
  const endings = [...plain.matchAll(/([a-z]+)\(\?:([a-z|[\]]+)\)/gi)].flatMap(([, stem = '', ends = '']) =>
    ends.split('|').map((end) => stem + end),
  );
  const optional = [...plain.matchAll(/([a-z]*)([a-z])\?/gi)].flatMap(([, stem = '', last = '']) => [stem, stem + last]);
  return [...endings, ...optional, ...(plain.match(/[a-z]+/gi) ?? [])].filter((word) => word.length > 0);
}
