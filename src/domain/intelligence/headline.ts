/** Reads category and tone of a headline from plain words, if its provider gives neither. Without such a word both are null. */
import type { Direction } from './report.ts';

/** A category of `readCategory`, and if its words alone are bad or good news. */
interface Sign {
  readonly words: RegExp;
  readonly category: string;
  readonly tone: Direction | null;
}

/** Gravest first: the first match determines a headline's category. */
const SIGNS: readonly Sign[] = [
  { words: /\b(bankrupt(cy)?|chapter (7|11)|insolven(t|cy)|liquidation proceedings)\b/i, category: 'bankruptcy', tone: 'negative' },
  { words: /\b(delist(s|ed|ing)?|trading (is )?suspended|suspension of trading)\b/i, category: 'delisting', tone: 'negative' },
  { words: /\b(restate(s|d|ment)?|non-reliance|accounting irregularit)/i, category: 'restatement', tone: 'negative' },
  {
    words: /\b(cyber ?(attack|incident|security incident)|data breach|ransomware|hack(s|ed|ers?)?\b)/i,
    category: 'cyber_incident',
    tone: 'negative',
  },
  {
    words:
      /\b(ceo|cfo|coo|chief \w+ officer|chair(man|woman)?|senior officer|top manager)\b.{0,60}\b(resigns?|steps? down|quits?|leaves?|ousted|fired|departs?|departure)\b|\b(resigns?|quits?|leaves?|departs?)\b.{0,40}\b(ceo|cfo|coo|chief \w+ officer)\b/i,
    category: 'executive_departure',
    tone: 'negative',
  },
  { words: /\bauditor\b.{0,40}\b(resigns?|dismiss(es|ed)|replaced|changes?)\b/i, category: 'auditor_change', tone: 'negative' },
  {
    words:
      /\b(sec|doj|ftc|regulators?|authorit(y|ies)|antitrust|prosecutors?|justice department)\b.{0,60}\b(charges?|sues?|probes?|investigat(es?|ion|ing)|inquiry|subpoenas?|fines?|lawsuit|looking into)\b|\b(subpoena|indict(ed|ment)|fraud|class action|recalls?|halts? (sales|production))\b/i,
    category: 'regulatory_action',
    tone: 'negative',
  },
  {
    words: /\b(acqui(res?|red|sition)|merg(er|es|ing)|takeover|buyout|to buy|divest(s|iture)?|material agreement|deal signed)\b/i,
    category: 'mna',
    tone: null,
  },
  {
    words: /\b(raises? \$|funding round|series [a-h]\b|share offering|convertible notes|private placement)/i,
    category: 'fundraising',
    tone: null,
  },
  { words: /\b(earnings|quarterly|results|q[1-4]|eps|revenue|guidance|outlook|profit)\b/i, category: 'results', tone: null },
  {
    words: /\b(upgrad(es?|ed)|downgrad(es?|ed)|price target|rating|analysts?|initiates? coverage|reiterat)/i,
    category: 'analyst',
    tone: null,
  },
  { words: /\b(launch(es|ed)?|unveils?|announces? (a )?new|introduces?|rolls? out)\b/i, category: 'product', tone: null },
];

const BAD =
  /\b(miss(es|ed)?|below|plunges?|tumbles?|slumps?|falls? short|cuts?|lower(s|ed)?|downgrad(es?|ed)|warn(s|ed|ing)?|loss(es)?|weak|halt(s|ed)?|fails?|declin(es?|ed))\b/i;
const GOOD = /\b(beats?|above|tops?|surges?|soars?|rais(es|ed)|upgrad(es?|ed)|record|strong|wins?|approv(es|ed|al)|jumps?)\b/i;

/** Returns category and tone for `readCategory` and `readTone`, or null if the words are not reliable. */
export function readHeadline(headline: string): { readonly category: string | null; readonly tone: Direction | null } {
  const sign = SIGNS.find(({ words }) => words.test(headline));
  const [bad, good] = [BAD.test(headline), GOOD.test(headline)];
  // Words of both kinds give no tone.
  const tone = sign?.tone ?? (bad === good ? null : bad ? 'negative' : 'positive');
  return { category: sign?.category ?? null, tone };
}
