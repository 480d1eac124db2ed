/** The tables of the markets page. */
import { qualityBadge } from './aged-quality.js';
import { flagChips, qualityWord } from './decision-card.js';
import { fill, h } from './dom.js';
import { read } from './http.js';
import { exact } from './money.js';
import { createProblemNote } from './problem-note.js';
import { dataTable, factList, number } from './tables.js';
import { age, clockTime, dayAndTime, instrumentAddress, plain, priceText } from './words.js';

/** @typedef {import('./wire.ts').VenueState} VenueState */

/** @param {readonly VenueState[]} venues */
export function venueTable(venues) {
  return dataTable({
    caption: 'Market data feeds',
    head: ['venue', 'received', 'last message', 'clock offset', 'gaps', 'messages', 'rejected', 'requests left'],
    rows: venues.map((venue) => [
      h('span', {}, plain(venue.venue), venue.executable ? '' : h('small', { class: 'faint' }, ' not executable')),
      h('span', { title: venue.detail }, qualityBadge({ quality: venue.hearing }, 'hearing-')),
      venue.lastMessageAgeMs === null ? '–' : `${age(venue.lastMessageAgeMs)} ago`,
      venue.clockOffset === null
        ? h('span', { class: 'faint' }, '–')
        : h(
            'span',
            { title: `${plain(venue.clockOffset.method)}, ${venue.clockOffset.samples} samples` },
            number(`${venue.clockOffset.offsetMs} ms`),
          ),
      number(venue.gaps),
      number(venue.messages),
      number(venue.rejected),
      budgetList(venue.requestBudgets),
    ]),
  });
}

/** A line for each budget of each process. @param {VenueState['requestBudgets']} budgets */
function budgetList(budgets) {
  return h(
    'ul',
    { class: 'quote-list budget-list' },
    budgets.map(({ name, process, left, limit, windowMs, blockedUntil }) => {
      const per = ` per ${age(windowMs)}`;
      const blocked = blockedUntil === null ? '' : `, blocked until ${clockTime(blockedUntil)}`;
      return h('li', {}, `${name} (${process}) `, number(`${left}/${limit}`), per, blocked);
    }),
  );
}

/** @param {readonly import('./wire.ts').Ticker[]} tickers */
export function tickerTable(tickers) {
  return dataTable({
    caption: 'Spot exchange, last 24 hours',
    empty: 'No data yet.',
    head: ['instrument', 'last', 'change', 'low', 'high', 'volume in quote units', 'trades', 'age', 'quality'],
    rows: tickers.map((ticker) => [
      h('a', { href: instrumentAddress(`spotexchange:${ticker.instrument}`) }, ticker.instrument),
      price(ticker.lastPrice),
      percent(ticker.priceChangePct),
      price(ticker.lowPrice),
      price(ticker.highPrice),
      price(ticker.quoteVolume),
      number(ticker.trades),
      age(ticker.ageMs),
      statusOf(ticker),
    ]),
  });
}

/** @param {readonly import('./wire.ts').Perp[]} perps */
export function perpTable(perps) {
  return dataTable({
    caption: 'Perpetuals: mark, oracle and funding',
    empty: 'No data yet.',
    head: [
      'instrument',
      'mark',
      'oracle',
      'basis',
      'funding per hour',
      'per year',
      'next',
      'open interest',
      '24 h volume',
      'age',
      'quality',
    ],
    rows: perps.map((perp) => [
      h('a', { href: instrumentAddress(`evmvenue:${perp.instrument}`) }, perp.instrument),
      price(perp.markPrice),
      price(perp.oraclePrice),
      percent(perp.basisPct),
      number(perp.hourlyFunding),
      percent(perp.annualFundingPct),
      h('time', { datetime: perp.nextFundingAt }, clockTime(perp.nextFundingAt)),
      price(perp.openInterestNotional),
      price(perp.dayNotional),
      age(perp.ageMs),
      statusOf(perp),
    ]),
  });
}

/**
 * Prediction markets; opened up, what both venues say of the question.
 * @param {readonly import('./wire.ts').PredictionMarket[]} markets
 * @param {import('./shell.js').Context} context
 * @param {AbortSignal} signal
 */
export function predictionList(markets, context, signal) {
  if (markets.length === 0) return h('p', { class: 'faint table-empty' }, 'No data yet.');
  return markets.map((market) => {
    const inside = h('div', { class: 'research' });
    const [yes] = market.outcomes;
    const element = h(
      'details',
      { class: 'decision', 'data-market': market.id },
      h(
        'summary',
        {},
        h('strong', { 'data-column': 'question' }, market.question),
        market.subtitle === '' ? null : h('span', {}, market.subtitle),
        h('span', { class: 'badge', 'data-column': 'venue' }, plain(market.provider)),
        h('span', {}, `${yes?.label ?? 'yes'} `, number(`${yes?.bid ?? '–'} / ${yes?.ask ?? '–'}`)),
        h(
          'span',
          { class: 'faint', 'data-column': 'closes' },
          market.closesAt === null
            ? plain(market.status)
            : [`${plain(market.status)}, closes `, h('time', { datetime: market.closesAt }, dayAndTime(market.closesAt))],
        ),
        statusOf(market),
      ),
      inside,
    );
    element.addEventListener('toggle', () => {
      if (element.open && inside.childElementCount === 0) void research();
    });

    async function research() {
      fill(inside, h('p', { class: 'faint', role: 'status' }, 'Loading from both venues…'));
      try {
        fill(inside, researchParts(await read(`/v1/prediction-markets/${market.id}/research`, { signal })));
      } catch (error) {
        if (signal.aborted) return;
        const note = createProblemNote(context.fail);
        fill(inside, note.element, h('button', { type: 'button', onclick: () => void research() }, 'Retry'));
        note.show(error);
      }
    }
    return element;
  });
}

/** @param {import('./wire.ts').Research} research */
function researchParts({ at, corroboration, probability, low, high, disagreement, inputs, notes, criteria, differences }) {
  const derived = (/** @type {import('./wire.ts').DerivedNumber} */ { value, formula, why, inputs: from }) =>
    h('span', { title: `${formula} of ${from.join(', ')}` }, value === null ? why : number(value));
  return [
    factList([
      ['Probability', derived(probability)],
      ['Low', derived(low)],
      ['High', derived(high)],
      ['Corroboration', plain(corroboration)],
      ['Venues disagree', plain(disagreement.verdict)],
      ['Edge per contract', derived(disagreement.edgePerContract)],
      ['Riskless', disagreement.riskless === null ? '–' : disagreement.riskless ? 'yes' : 'no'],
      ['As of', dayAndTime(at)],
    ]),
    dataTable({
      caption: 'Inputs',
      empty: 'No data.',
      head: ['input', 'venue', 'value', 'observed', 'quality', 'counts'],
      rows: inputs.map((input) => [
        h('span', { title: input.id }, plain(input.kind)),
        plain(input.provider),
        number(input.value),
        h('time', { datetime: input.observedAt }, dayAndTime(input.observedAt)),
        qualityWord(input.quality),
        input.counts ? 'yes' : `no: ${input.why}`,
      ]),
    }),
    notes.length === 0 ? null : sentences(notes),
    dataTable({
      caption: 'Resolution criteria',
      empty: 'No criteria found.',
      head: ['venue', 'topic', 'criterion'],
      rows: criteria.flatMap(({ provider, criteria: parts }) => parts.map(({ aspect, text }) => [plain(provider), plain(aspect), text])),
    }),
    differences.length === 0
      ? null
      : dataTable({
          caption: 'Differences between the venues',
          head: ['topic', 'this venue', 'other venue', 'material'],
          rows: differences.map(({ aspect, ours, theirs, material }) => [plain(aspect), ours, theirs, material ? 'yes' : 'no']),
        }),
  ];
}

/** @param {import('./wire.ts').Regime} regime */
export function regimeTable({ regime, explanation, score, knownWeight, inputs }) {
  return [
    factList([
      ['Regime', h('strong', { 'data-regime': regime }, plain(regime))],
      ['Score', number(score)],
      ['Weight of known inputs', number(knownWeight)],
    ]),
    h('p', { class: 'table-empty' }, explanation),
    dataTable({
      caption: 'Inputs',
      head: ['input', 'value', 'age', 'state', 'weight', 'score', 'contribution'],
      rows: inputs.map((input) => [
        h('span', { title: input.description }, plain(input.name)),
        h('span', {}, number(input.value), ' ', h('small', { class: 'faint' }, input.value === null ? '' : input.unit)),
        input.ageMs === null ? '–' : age(input.ageMs),
        plain(input.state),
        number(input.weight),
        number(input.score),
        number(input.contribution),
      ]),
    }),
  ];
}

/** @param {readonly string[]} lines */
function sentences(lines) {
  return h(
    'ul',
    {},
    lines.map((line) => h('li', {}, line)),
  );
}

/** @param {string} text */
function price(text) {
  return exact(priceText(text), text);
}

/** @param {string} text */
function percent(text) {
  return exact(`${priceText(text)} %`, text);
}

/** @param {{ readonly quality: string, readonly flags: readonly string[] }} state */
function statusOf(state) {
  return h('span', {}, qualityBadge(state), ' ', flagChips(state.flags));
}
