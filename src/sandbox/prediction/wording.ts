/** Wording of a seeded question at each venue: titles, rules and the sources that they name. */
import type { SeededQuestion } from './seeded-questions.ts';

const NAMES: Readonly<Record<string, string>> = { BTC: 'Bitcoin', ETH: 'Ethereum', SOL: 'Solana' };

function findName({ asset, share }: SeededQuestion): string {
  return share ? asset : (NAMES[asset] ?? asset);
}

function dollars(value: number): string {
  return `$${value.toLocaleString('en-US', { maximumFractionDigits: 8 })}`;
}

function describeLevel({ comparator, threshold, upper, measure }: SeededQuestion): string {
  if (measure === 'any_time') return `reach ${dollars(threshold)}`;
  if (comparator === 'between') return `be between ${dollars(threshold)} and ${dollars(upper ?? threshold)}`;
  return `be ${comparator === 'at_or_above' ? 'at or above' : comparator} ${dollars(threshold)}`;
}

function describeTime({ resolvesAt, measure }: SeededQuestion): string {
  const text = new Date(resolvesAt).toUTCString();
  return `${measure === 'any_time' ? 'by' : 'on'} ${text.slice(5, 16)}, ${text.slice(17, 22)} UTC`;
}

/** Words a question for Polymarket, where the texts contain everything. */
export function polymarketWords(question: SeededQuestion): { title: string; rules: string; source: string } {
  const name = findName(question);
  const title = question.share
    ? `Will ${name} close ${describeLevel(question).replace('be ', '')} ${describeTime(question)}?`
    : `Will the price of ${name} ${describeLevel(question)} ${describeTime(question)}?`;
  const source = question.share
    ? `https://www.nasdaq.com/market-activity/stocks/${question.asset.toLowerCase()}`
    : `https://www.binance.com/en/trade/${question.asset}_USDT`;
  const measured = question.share ? 'official closing price' : 'close of the one-minute candle';
  const condition =
    question.measure === 'any_time'
      ? `This market will resolve to "Yes" if any hourly ${measured} of ${name} up to the time in the title is equal to or above the price in the title.`
      : `This market will resolve to "Yes" if the ${measured} of ${name} at the time in the title satisfies the title, a price equal to the one in the title counting as "No".`;
  const rules = [
    condition,
    'Otherwise, this market will resolve to "No".',
    `The resolution source for this market is ${question.share ? 'the Nasdaq official closing price' : `Binance, specifically the ${question.asset}/USDT pair`}.`,
    'If the source is unavailable for more than a day, a consensus of credible reporting will be used.',
  ].join('\n\n');
  return { title, rules, source };
}

/** Words a question for Kalshi, where fields contain the level and the texts repeat it. */
export function kalshiWords(question: SeededQuestion): {
  title: string;
  subtitle: string;
  rulesPrimary: string;
  rulesSecondary: string;
  sources: readonly { readonly name: string; readonly url: string }[];
} {
  const name = findName(question);
  const subtitle = describeLevel(question).replace('be ', '');
  const sources = question.share
    ? [{ name: 'Nasdaq', url: 'https://www.nasdaq.com' }]
    : [{ name: 'CF Benchmarks', url: 'https://www.cfbenchmarks.com' }];
  return {
    title: question.share ? `${name} close ${describeTime(question)}?` : `${name} price ${describeTime(question)}?`,
    subtitle,
    rulesPrimary: `If the price of ${name} published by ${sources[0]?.name} ${describeTime(question)} is ${subtitle}, then the market resolves to Yes.`,
    rulesSecondary: 'If no price is published, the exchange may use the last one before, at its discretion.',
    sources,
  };
}
