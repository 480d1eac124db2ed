/** Preview of a manifest that is being written. Simulated only when somebody asks: each preview counts as a trial. */
import { drawdownOf } from './backtest-figures.js';
import { fill, h, mark, say } from './dom.js';
import { workOut } from './http.js';
import { gain, money } from './money.js';
import { sentenceOf } from './problem-note.js';
import { dataTable, factList, number } from './tables.js';
import { dayAndTime, dayOf, numberText, plain, priceText, symbolOf } from './words.js';

/** @typedef {import('./api.ts').BacktestPreview} Preview */
/** @typedef {NonNullable<Preview['result']>} Result */

const AGAIN_MS = 1_500;
const TRADES_SHOWN = 20;
/** Endings that another question mends by itself. */
const ASK_AGAIN = ['out_of_time', 'busy'];

export class BacktestPreview {
  #days = h('select', { 'aria-label': 'Preview period', onchange: () => this.#outdate() }, [
    h('option', { value: '' }, 'longest available'),
    ...[7, 30, 90, 365].map((count) => h('option', { value: String(count) }, `${count} days`)),
  ]);
  #run = h('button', { type: 'button', onclick: () => this.#ask() }, 'Run preview');
  #note = h('p', { class: 'faint', role: 'status' }, 'The preview appears here when you run it.');
  #place = h('div', { class: 'preview-result' });
  #asked = '';
  /** @type {AbortController | null} */
  #asking = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #soon;
  /** @type {{ readonly element: HTMLElement, end(): void } | null} */
  #chart = null;

  /**
   * @param {object} options
   * @param {() => Record<string, unknown>} options.manifest The payload as it stands in the form.
   * @param {string} options.agentId The agent that is edited; empty if it is a new one.
   * @param {AbortSignal} options.signal Ends it.
   */
  constructor({ manifest, agentId, signal }) {
    this.manifest = manifest;
    this.agentId = agentId;
    signal.addEventListener('abort', () => this.#end());
    this.element = h(
      'section',
      { class: 'panel backtest-preview', 'aria-label': 'Preview' },
      h(
        'div',
        { class: 'panel-head' },
        h('h2', {}, 'Preview'),
        h('span', { class: 'badge' }, 'does not count for a gate'),
        this.#days,
        this.#run,
      ),
      h(
        'p',
        { class: 'faint' },
        'Simulates these rules on recent bars. Every manifest you try counts as a trial: the more trials, the less a good result proves.',
      ),
      this.#note,
      this.#place,
    );
  }

  /** Its name decides nothing: a change of it alone asks nothing. */
  #rules() {
    return JSON.stringify({ ...this.manifest(), name: '', description: '' });
  }

  /** A field has changed. */
  change() {
    if (this.#asked !== '' && this.#rules() !== this.#asked) this.#outdate();
  }

  /** Ends what is being simulated: it would be of other rules, or of another stretch. */
  #outdate() {
    if (this.#asked === '') return;
    clearTimeout(this.#soon);
    this.#asking?.abort();
    mark(this.#place, 'data-outdated', '');
    say(this.#note, 'The rules have changed. Run the preview again.');
  }

  #ask() {
    clearTimeout(this.#soon);
    this.#asking?.abort();
    this.#asking = new AbortController();
    void this.#work(this.#asking.signal);
  }

  #end() {
    clearTimeout(this.#soon);
    this.#asking?.abort();
    this.#chart?.end();
  }

  /** @param {number} ms */
  #askIn(ms) {
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => this.#ask(), ms);
  }

  /** @param {AbortSignal} signal */
  async #work(signal) {
    const manifest = this.manifest();
    // A missing name hinders nothing. One that is there is sent, so that the manifest counts once as a trial when it is backtested.
    const body = { ...manifest, name: manifest['name'] || 'Preview' };
    this.#asked = this.#rules();
    say(this.#note, 'Simulating…');
    const days = this.#days.value;
    const query = new URLSearchParams({
      draft: 'true',
      ...(this.agentId === '' ? {} : { agentId: this.agentId }),
      ...(days === '' ? {} : { days }),
    });
    try {
      /** @type {Preview} */
      const preview = await workOut(`/v1/backtests/preview?${query}`, body, signal);
      const { equityChart } = await import('./equity-chart.js');
      if (signal.aborted) return;
      this.#clear();
      if (preview.result === null) this.#showEnding(preview);
      else this.#show(preview, preview.result, equityChart);
    } catch (error) {
      if (signal.aborted) return;
      this.#clear();
      say(this.#note, sentenceOf(error));
    }
  }

  #clear() {
    this.#chart?.end();
    this.#chart = null;
    fill(this.#place);
    mark(this.#place, 'data-outdated', null);
  }

  /** @param {Preview} preview */
  #showEnding({ ending, problems, missing }) {
    const isUnfinished = ending?.code === 'manifest_invalid';
    say(this.#note, isUnfinished ? 'Complete the manifest first:' : `The preview failed: ${ending?.detail ?? ''}.`);
    fill(this.#place, [unfinishedList(problems), missingList(missing)]);
    if (ending !== null && ASK_AGAIN.includes(ending.code)) this.#askIn(AGAIN_MS);
  }

  /** @param {Preview} preview @param {Result} result @param {typeof import('./equity-chart.js').equityChart} equityChart */
  #show({ missing, whyNoTrades, tookMs }, result, equityChart) {
    const { bars, timeframe, from, to, daily, capitalUsd } = result;
    const took = `took ${(tookMs / 1_000).toFixed(1)} s`;
    say(this.#note, `${priceText(String(bars))} bars of ${timeframe} from ${dayOf(from)} to ${dayOf(to)}, ${took}.`);
    this.#chart = equityChart({
      label: 'Preview equity in US dollars, with drawdown',
      points: daily.map(({ date, equityUsd }) => ({ at: Date.parse(date), value: Number(equityUsd), text: equityUsd })),
      decimals: 2,
      lower: { title: 'drawdown %', points: drawdownOf({ daily, capitalUsd }) },
      base: Number(capitalUsd),
    });
    const parts = [mainFacts(result), this.#chart.element, whyNone(whyNoTrades), missingList(missing)];
    fill(this.#place, [...parts, tradeTable(result), ruleTable(result)]);
  }
}

/** @param {Result} result */
function mainFacts({ finalEquityUsd, returnPct, benchmarkReturnPct, maxDrawdownPct, closedTrades, openTrades, hitRatePct }) {
  return factList([
    ['Final equity (USD)', money(finalEquityUsd)],
    ['P&L', percent(returnPct)],
    ['Buy and hold', percent(benchmarkReturnPct)],
    ['Max drawdown', percent(maxDrawdownPct)],
    ['Trades', `${closedTrades} closed, ${openTrades} open`],
    ['Win rate', hitRatePct === null ? '–' : percent(hitRatePct)],
  ]);
}

/** @param {number} value */
function percent(value) {
  return `${value.toFixed(2)} %`;
}

/** @param {readonly string[]} reasons */
function whyNone(reasons) {
  if (reasons.length === 0) return null;
  return h(
    'div',
    { class: 'why-none' },
    h('h3', {}, 'Why no trades?'),
    h(
      'ul',
      {},
      reasons.map((reason) => h('li', {}, plain(reason))),
    ),
  );
}

/** @param {Preview['missing']} missing */
function missingList(missing) {
  if (missing.length === 0) return null;
  return h(
    'div',
    {},
    h('h3', {}, 'Data gaps'),
    h(
      'ul',
      {},
      missing.map(({ text }) => h('li', {}, text)),
    ),
  );
}

/** @param {Preview['problems']} problems */
function unfinishedList(problems) {
  if (problems.length === 0) return null;
  return h(
    'ul',
    {},
    problems.map(({ path, problem, allowed }) => h('li', {}, `${path.replace('$.', '')}: ${problem}. Allowed: ${allowed}.`)),
  );
}

/** @param {Result} result */
function tradeTable({ trades }) {
  return dataTable({
    caption: trades.length > TRADES_SHOWN ? `Last ${TRADES_SHOWN} trades` : 'Trades',
    empty: 'No trades.',
    head: ['bought', 'instrument', 'quantity', 'price', 'sold', 'price', 'USD', 'rule'],
    rows: trades
      .slice(-TRADES_SHOWN)
      .toReversed()
      .map(({ instrument, decidedAt, entryPrice, exitDecidedAt, exitPrice, quantity, profitUsd, exitedBy }) => [
        h('time', { datetime: decidedAt }, dayAndTime(decidedAt)),
        symbolOf(instrument),
        number(quantity),
        number(entryPrice),
        exitDecidedAt === null ? 'open' : h('time', { datetime: exitDecidedAt }, dayAndTime(exitDecidedAt)),
        exitPrice === null ? '–' : number(exitPrice),
        profitUsd === null ? '–' : gain(profitUsd),
        exitedBy.map(plain).join(', '),
      ]),
  });
}

/** @param {Result} result */
function ruleTable({ rules }) {
  return dataTable({
    caption: 'How often each rule passed',
    head: ['rule', 'side', 'evaluated', 'passed', 'unknown'],
    rows: rules.map(({ side, type, threshold, evaluated, passed, unknown }) => [
      `${plain(type)}${threshold === null ? '' : ` ${typeof threshold === 'number' ? numberText(threshold) : threshold}`}`,
      side,
      number(String(evaluated)),
      number(String(passed)),
      number(String(unknown)),
    ]),
  });
}
