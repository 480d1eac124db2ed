/** Turns the phrases of a thesis into conditions, once the asset and the sides are known. */
import type { CatalogEntry } from '../catalog/catalog.ts';
import { readCondition } from '../conditions/index.ts';
import { Decimal } from '../values/decimal.ts';
import type { Problem } from '../values/field.ts';
import type { ManifestCondition } from '../manifest/manifest.ts';
import type { Reading } from './compile-thesis.ts';
import { DEFAULT_TIMEFRAME } from './read-take.ts';
import { type Meaning, type Side, shownCondition } from './thesis-phrases.ts';
import type { SidedCondition } from './thesis-sides.ts';

/** Condition of a phrase with its assumption, or a question. */
type Authored = { readonly condition: Readonly<Record<string, unknown>>; readonly assumed?: string } | { readonly question: string };

type GapMeaning = Extract<Meaning, { kind: 'gap' }>;
type LevelMeaning = Extract<Meaning, { kind: 'level' }>;

const DEFAULT_RSI_PERIOD = 14;

/** Returns the sign of the gap that the entry waits for, negative for a discount. Null if it waits for none. */
function entryGap(entry: readonly ManifestCondition[]): number | null {
  const gap = entry.find(({ type }) => /^(?:premium|gap_to_mark)_(?:below|above)$/.test(type));
  return gap === undefined ? null : Number(gap['pct']);
}

const positionChange = (pct: number, text: string): Authored => ({
  condition: { type: pct > 0 ? 'take_profit' : 'stop_loss', pct: Math.abs(pct) },
  assumed: `"${text}" is a ${pct > 0 ? 'gain' : 'loss'} of the position`,
});

/** Returns the condition of a gap of a size: a discount is entered when deeper, and left once it has shrunk to it. */
function sizedGap(meaning: GapMeaning, side: Side, { entry, exit }: Sides, text: string): Authored {
  const { pct, word } = meaning;
  const premium = (direction: 'below' | 'above', assumed?: string): Authored => ({
    condition: { type: `premium_${direction}`, pct },
    ...(assumed === undefined ? {} : { assumed }),
  });
  if (side === 'entry') {
    if (pct < 0) return premium('below');
    return { question: `Is "${text}" to be bought above or below that premium? Write "premium above …" or "premium below …".` };
  }
  const entered = entryGap(entry);
  if (word === 'bare') {
    // A bare "+6%" or "-4%" beyond the discount of the entry is the gain or loss of the position.
    const isPair = entered === null && exit.some(({ type }) => type === 'take_profit');
    if (pct > 0 || isPair || (entered !== null && pct < entered)) return positionChange(pct, text);
    if (entered === null || entered >= pct)
      return { question: `Is "${text}" a loss of the position or a discount? Write "stop loss …" or "discount below …".` };
  }
  if (pct < 0 && (entered === null || entered >= pct))
    return { question: `Is "${text}" a discount that has shrunk or that has grown? Write "discount below …" or "discount above …".` };
  return premium('above');
}

/** Returns the condition of a closed gap: a discount rises to zero, a premium falls to zero. */
function closedGap(side: Side, entry: readonly ManifestCondition[], text: string): Authored {
  if (side === 'entry')
    return { question: `Is "${text}" to be bought above or below it? Write "below its reference" or "above its reference".` };
  const gaps = entry.filter(({ type }) => /^(?:premium|gap_to_mark)_(?:below|above)$/.test(type));
  const below = gaps.some(({ type, pct }) => type.endsWith('_below') && Number(pct) <= 0);
  const above = gaps.some(({ type, pct }) => type.endsWith('_above') && Number(pct) >= 0);
  if (below === above) return { question: `From which side is "${text}" reached? Write "premium above 0%" or "premium below 0%".` };
  return { condition: { type: below ? 'premium_above' : 'premium_below', pct: 0 } };
}

/** Returns the condition of a gap for the asset's kind, or a question. */
function gapCondition(meaning: GapMeaning, side: Side, asset: CatalogEntry, sides: Sides, text: string): Authored {
  const { direction, pct } = meaning;
  if (direction === 'upper' && side === 'entry')
    return {
      question: `"${text}" also holds at any premium. Is a bound of the discount from above and from below meant? Write "discount between 0.5% and 1%".`,
    };
  const authored =
    direction === 'size'
      ? sizedGap(meaning, side, sides, text)
      : direction === 'parity'
        ? closedGap(side, sides.entry, text)
        : { condition: { type: `premium_${direction === 'below' ? 'below' : 'above'}`, pct } };
  if (asset.kind === 'tokenized_equity' && meaning.against !== 'mark') return checkedGap(authored, text);
  if (asset.kind === 'pre_ipo' && meaning.against !== 'reference')
    return 'question' in authored
      ? authored
      : checkedGap(
          { ...authored, condition: { ...authored.condition, type: String(authored.condition['type']).replace('premium', 'gap_to_mark') } },
          text,
        );
  // Without a suitable gap, a bare "+5%" or "-3%" at a sale is the gain or loss of the position.
  if (
    direction === 'size' &&
    meaning.word === 'bare' &&
    side === 'exit' &&
    pct !== 0 &&
    asset.kind !== 'tokenized_equity' &&
    asset.kind !== 'pre_ipo'
  )
    return positionChange(pct, text);
  const benchmark =
    asset.kind === 'tokenized_equity'
      ? 'a reference price and no issuer mark'
      : asset.kind === 'pre_ipo'
        ? 'an issuer mark and no reference price'
        : 'neither a reference price nor an issuer mark';
  return { question: `${asset.instrument} has ${benchmark}: what does "${text}" mean?` };
}

/** Asks about a discount above 100 %. */
function checkedGap(authored: Authored, text: string): Authored {
  if ('condition' in authored && Number(authored.condition['pct']) <= -100)
    return { question: `A discount is less than 100%: what does "${text}" mean?` };
  return authored;
}

/** Maximum ratio of a target or stop to the entry's price at which it is read as a price. */
const NEAR = 4;
/** The same of a stop or target that may as well mean dollars of the position. */
const CLOSE = 1.5;

/** Words that may as well mean dollars lost or earned: "stop loss $5", unlike "stop loss at $150". */
const OF_POSITION = /\b(loss(es)?|profits?|gains?)\W*\$?[\d.,]+\w*( ?(usd|dollars?|bucks))?$/i;
/** Words that mean dollars lost, whatever the price: "max loss $50". */
const OF_LOSS = /\bmax(imum)? loss|\bloss(es)? of\b/i;

/** Returns the condition of a price without a comparator: a target above the entry, or a stop below it. */
function levelCondition({ level, value, money }: LevelMeaning, side: Side, entry: readonly ManifestCondition[], text: string): Authored {
  if (level === 'limit') return { condition: { type: side === 'entry' ? 'price_below' : 'price_above', price: value } };
  if (side === 'entry')
    return { question: `Does "${text}" mean that price or lower, below or above it? Write "price below …" or "price above …".` };
  const prices = entry.flatMap(({ type, price }) => (type.startsWith('price_') ? [new Decimal(String(price))] : []));
  const within = (ratio: number): boolean => prices.some((price) => price.div(value).gt(1 / ratio) && price.div(value).lt(ratio));
  const near = within(NEAR);
  const isPercent = !money && !near && prices.every((price) => price.gt(new Decimal(value).times(NEAR)));
  if (level !== 'at' && isPercent && new Decimal(value).lte(50))
    return {
      condition: { type: level === 'stop' ? 'stop_loss' : 'take_profit', pct: Number(value) },
      assumed: `"${text}" is a percentage of the purchase price`,
    };
  if (!money && !near) return { question: `Is "${text}" a price or a percentage? Write "$150" or "5%".` };
  if (OF_LOSS.test(text) || (OF_POSITION.test(text) && !within(CLOSE)))
    return { question: `Is "${text}" a price, or dollars of the position? Write "stop at $150", "target $220" or "stop loss 5%".` };
  return { condition: { type: level === 'stop' ? 'price_below' : 'price_above', price: value } };
}

/** Returns the condition of "it crosses back down", with the averages of the entry. */
function crossCondition(direction: 'up' | 'down' | 'reverse', entry: readonly ManifestCondition[], text: string): Authored {
  const crosses = entry.filter(({ type }) => type.startsWith('ema_cross_'));
  const [cross] = crosses;
  if (cross === undefined || crosses.length > 1)
    return { question: `Which averages does "${text}" mean? Write "EMA 50 crosses above EMA 200".` };
  const type = direction === 'reverse' ? (cross.type === 'ema_cross_up' ? 'ema_cross_down' : 'ema_cross_up') : `ema_cross_${direction}`;
  return { condition: { ...cross, type } };
}

/** Completes an RSI without period or bars from another RSI of the thesis, else with 14 bars and the default timeframe. */
function completed(condition: Readonly<Record<string, unknown>>, known: readonly ManifestCondition[], text: string): Authored {
  const type = String(condition['type']);
  if (!type.startsWith('rsi_')) return { condition };
  const other = known.find((one) => one.type.startsWith('rsi_'));
  const assumed: string[] = [];
  const period = Number(condition['period'] ?? other?.['period'] ?? DEFAULT_RSI_PERIOD);
  const timeframe = condition['timeframe'] ?? other?.['timeframe'];
  if (condition['period'] === undefined) assumed.push(`the RSI has a period of ${period} bars`);
  if (condition['timeframe'] === undefined && timeframe !== undefined) assumed.push(`on bars of ${String(timeframe)}`);
  const { type: _type, value, ...rest } = condition;
  return {
    condition: { type, ...rest, period, value, ...(timeframe === undefined ? {} : { timeframe }) },
    ...(assumed.length === 0 ? {} : { assumed: `"${text}": ${assumed.join(', ')}` }),
  };
}

/** Reads the lower of two sale prices as the stop, if one is above and one below the purchase price: "under 300, sell at 360 or 270". */
function bracketed(sided: readonly SidedCondition[], entry: readonly ManifestCondition[]): readonly SidedCondition[] {
  const [bought] = entry.filter(({ type }) => type === 'price_below');
  const priced = sided.filter(({ item, side }) => side === 'exit' && item.meaning.kind === 'level' && item.meaning.level !== 'limit');
  if (bought === undefined || priced.length !== 2) return sided;
  const against = ({ item }: SidedCondition): number =>
    new Decimal((item.meaning as LevelMeaning).value).comparedTo(String(bought['price']));
  if (!priced.some((one) => against(one) > 0)) return sided;
  return sided.map((one) =>
    priced.includes(one) && against(one) < 0
      ? { ...one, item: { ...one.item, meaning: { ...(one.item.meaning as LevelMeaning), level: 'stop' as const } } }
      : one,
  );
}

function toAuthored({ item, side }: SidedCondition, asset: CatalogEntry, sides: Sides): Authored {
  const { meaning, text } = item;
  if (meaning.kind === 'gap') return gapCondition(meaning, side, asset, sides, text);
  if (meaning.kind === 'level') return levelCondition(meaning, side, sides.entry, text);
  if (meaning.kind === 'cross') return crossCondition(meaning.direction, sides.entry, text);
  // "sell under 110" after "buy under 120" is a stop, or a mistake for "over".
  if (side === 'exit' && meaning.condition['type'] === 'price_below' && sides.entry.some(({ type }) => type === 'price_below'))
    return { question: `Is "${text}" a stop-loss? Write "stop at …", or "sell above …".` };
  const done = completed(meaning.condition, [...sides.entry, ...sides.exit], text);
  return meaning.assumed === undefined ? done : { ...done, assumed: `"${text}": ${meaning.assumed}` };
}

interface Sides {
  readonly entry: ManifestCondition[];
  readonly exit: ManifestCondition[];
  readonly problems: Problem[];
}

/** Returns a question if a side has a type twice. Exits may repeat a type, because any one of them is enough. */
function contradicted(condition: ManifestCondition, sides: Sides, side: Side): string | null {
  const same = JSON.stringify(condition);
  const opposite = condition.type === 'ema_cross_up' ? 'ema_cross_down' : condition.type === 'ema_cross_down' ? 'ema_cross_up' : null;
  const other = sides[side].find(
    (one) => (one.type === condition.type && JSON.stringify(one) !== same) || (side === 'entry' && one.type === opposite),
  );
  if (side === 'exit' && condition.type.startsWith('price_') && other === undefined) {
    const entered = sides.entry.find(({ type }) => type.startsWith('price_'));
    if (entered !== undefined && new Decimal(String(entered['price'])).eq(String(condition['price'])))
      return `Is it to be bought and sold at the same price of ${String(condition['price'])}?`;
  }
  return other === undefined ? null : `Which one holds for the ${side}: ${shownCondition(other)} or ${shownCondition(condition)}?`;
}

/** Merges two session conditions, which must both pass, into the sessions that both name. Null for other conditions. */
function withinSessions(
  condition: ManifestCondition,
  entry: readonly ManifestCondition[],
): { readonly before: ManifestCondition; readonly both: ManifestCondition } | { readonly question: string } | null {
  const before = condition.type === 'session_in' ? entry.find(({ type }) => type === 'session_in') : undefined;
  if (before === undefined) return null;
  const named = condition['sessions'] as unknown as readonly string[];
  const sessions = (before['sessions'] as unknown as readonly string[]).filter((session) => named.includes(session));
  if (sessions.length === 0) return { question: `Which session is meant: ${shownCondition(before)} or ${shownCondition(condition)}?` };
  return { before, both: { ...before, sessions } as ManifestCondition };
}

/** Reads the conditions of both sides through the registry. The entry comes first, because the exit may depend on it. */
export function readSides(sided: readonly SidedCondition[], asset: CatalogEntry, reading: Reading): Sides {
  const sides: Sides = { entry: [], exit: [], problems: [] };
  const read = (one: SidedCondition): void => {
    const { side, item } = one;
    const authored = toAuthored(one, asset, sides);
    if ('question' in authored) {
      reading.questions.push(authored.question);
      return;
    }
    const condition = readCondition(authored.condition, side, DEFAULT_TIMEFRAME, `$.${side}`, sides.problems);
    if (condition === null) return;
    const narrowed = side === 'entry' ? withinSessions(condition, sides.entry) : null;
    if (narrowed !== null) {
      if ('question' in narrowed) reading.questions.push(narrowed.question);
      else sides.entry[sides.entry.indexOf(narrowed.before)] = narrowed.both;
      reading.understood.push({ phrase: item.text, as: `${side}: ${shownCondition(condition)}` });
      return;
    }
    const conflict = contradicted(condition, sides, side);
    if (conflict !== null) reading.questions.push(conflict);
    sides[side].push(condition);
    reading.understood.push({ phrase: item.text, as: `${side}: ${shownCondition(condition)}` });
    if (authored.assumed !== undefined) reading.assumed.push(authored.assumed);
    if ('timeframe' in condition && !('timeframe' in authored.condition))
      reading.assumed.push(`"${item.text}": on bars of ${DEFAULT_TIMEFRAME}`);
  };
  for (const one of sided) if (one.side === 'entry') read(one);
  for (const one of bracketed(sided, sides.entry)) if (one.side === 'exit') read(one);
  return sides;
}
