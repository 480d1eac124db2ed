/** The quotes of every venue as they are received: bid and ask, how old, how good, and which kind of silence it is where there is one. */
import { flagChips, qualityWord } from './decision-card.js';
import { fill, h, mark, say } from './dom.js';
import { instrumentName } from './outcome-names.js';
import { age, plain, quoteText, SILENCES } from './words.js';

/** @typedef {import('./wire.ts').QuoteRow} QuoteRow */

const VENUES = ['spotchain', 'spotexchange', 'evmvenue', 'reference', 'prediction'];
const MARKED_MS = 700;

/**
 * @param {import('./shell.js').Context} context
 * @returns {import('./shell.js').View}
 */
export function quotesView({ feed, fail }) {
  /** @type {Map<string, ReturnType<typeof venueTable>>} */
  const tables = new Map();
  /** @type {Map<string, QuoteRow>} */
  let waiting = new Map();
  let scheduled = 0;
  let wanted = '';
  let onlySilent = false;

  const note = h('p', { class: 'faint', role: 'status' }, 'Listening…');
  const place = h('div', { class: 'venues' });
  const nothing = h('p', { class: 'faint', role: 'status', hidden: true }, 'No instrument is like this.');
  const search = h('input', {
    type: 'search',
    placeholder: 'Instrument',
    'aria-label': 'Instrument',
    oninput: (/** @type {Event} */ event) => seek(event.target),
  });
  const element = h(
    'section',
    { class: 'page quotes' },
    h('div', { class: 'page-head' }, h('h1', {}, 'Quotes'), note),
    h(
      'div',
      { class: 'filters' },
      search,
      h(
        'label',
        {},
        h('input', { type: 'checkbox', onchange: (/** @type {Event} */ event) => restrict(event.target) }),
        ' only what is not live',
      ),
      h(
        'span',
        { class: 'legend' },
        SILENCES.map(([kind, word]) => h('span', { class: `chip chip-${kind}` }, word)),
      ),
    ),
    nothing,
    place,
  );

  /** @param {EventTarget | null} target */
  function seek(target) {
    wanted = target instanceof HTMLInputElement ? target.value.trim().toLowerCase() : '';
    filter();
  }

  /** @param {EventTarget | null} target */
  function restrict(target) {
    onlySilent = target instanceof HTMLInputElement && target.checked;
    filter();
  }

  function filter() {
    const shown = [...tables.values()].reduce((sum, table) => sum + table.filter(wanted, onlySilent), 0);
    nothing.hidden = shown > 0 || tables.size === 0;
  }

  /** @param {QuoteRow} quote */
  function take(quote) {
    waiting.set(`${quote.venue}:${quote.instrument}`, quote);
    if (scheduled === 0) scheduled = requestAnimationFrame(draw);
  }

  function draw() {
    scheduled = 0;
    const now = feed.now();
    const changes = waiting;
    waiting = new Map();
    for (const quote of changes.values()) tableOf(quote.venue).take(quote, now);
    filter();
    let count = 0;
    let live = 0;
    for (const table of tables.values()) {
      count += table.count();
      live += table.live();
    }
    say(note, `${count} instruments, ${live} live`);
  }

  /** @param {string} venue */
  function tableOf(venue) {
    let table = tables.get(venue);
    if (table === undefined) {
      table = venueTable(venue);
      tables.set(venue, table);
      const order = (/** @type {string} */ name) => (VENUES.indexOf(name) + VENUES.length + 1) % (VENUES.length + 1);
      const sorted = [...tables].sort(([a], [b]) => order(a) - order(b));
      fill(
        place,
        sorted.map(([, each]) => each.element),
      );
    }
    return table;
  }

  const stop = feed.subscribe({
    channel: 'quotes',
    refuse: (detail) => fail(new Error(detail)),
    receive: ({ type, data }) => {
      if (type === 'snapshot') for (const quote of data) take(quote);
      else for (const quote of [data].flat()) take(quote);
    },
  });
  const ticking = setInterval(() => {
    for (const table of tables.values()) table.tick(feed.now());
  }, 500);

  return {
    element,
    title: 'Quotes',
    list: { label: 'Instrument', search },
    end() {
      stop();
      clearInterval(ticking);
      cancelAnimationFrame(scheduled);
    },
  };
}

/** @param {string} venue */
function venueTable(venue) {
  const isReference = venue === 'reference';
  const body = h('tbody', {});
  const about = h('span', { class: 'faint' });
  const element = h(
    'div',
    { class: 'panel venue', 'data-venue': venue },
    h('div', { class: 'panel-head' }, h('h2', {}, plain(venue)), about),
    h(
      'table',
      { class: 'quote-table' },
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          (isReference ? ['Share', 'Price', '±'] : ['Instrument', 'Bid', 'Ask'])
            .concat('Age', 'Quality')
            .map((title) => h('th', { scope: 'col' }, title)),
        ),
      ),
      body,
    ),
  );
  /** @type {Map<string, ReturnType<typeof quoteLine>>} */
  const lines = new Map();
  return {
    element,
    count: () => lines.size,
    live: () => [...lines.values()].filter((line) => line.quality() === 'live').length,
    /** @param {QuoteRow} quote @param {number} now */
    take(quote, now) {
      let line = lines.get(quote.instrument);
      if (line === undefined) {
        line = quoteLine(venue, quote.instrument);
        lines.set(quote.instrument, line);
        const after = [...lines.keys()].filter((name) => name > quote.instrument).sort()[0];
        body.insertBefore(line.element, after === undefined ? null : (lines.get(after)?.element ?? null));
      }
      line.take(quote, now);
      say(about, isReference ? 'reference prices, never executable' : (quote.source.split(':', 1)[0] ?? ''));
    },
    /** @param {string} wanted @param {boolean} onlySilent */
    filter(wanted, onlySilent) {
      let shown = 0;
      for (const [instrument, line] of lines) {
        const hidden = !instrument.toLowerCase().includes(wanted) || (onlySilent && line.quality() === 'live');
        line.element.hidden = hidden;
        if (!hidden) shown++;
      }
      element.hidden = shown === 0;
      return shown;
    },
    /** @param {number} now */
    tick(now) {
      for (const line of lines.values()) line.tick(now);
    },
  };
}

/**
 * @param {string} venue
 * @param {string} instrument
 */
function quoteLine(venue, instrument) {
  const isReference = venue === 'reference';
  const first = h('td', { class: 'number price' });
  const second = h('td', { class: 'number price' });
  const old = h('td', { class: 'number age' });
  const quality = h('td', { class: 'quality-cell' });
  const element = h(
    'tr',
    { 'data-instrument': instrument },
    h('th', { scope: 'row' }, instrumentName(`${venue}:${instrument}`)),
    first,
    second,
    old,
    quality,
  );
  /** @type {QuoteRow | null} */
  let shown = null;
  let words = '';

  /**
   * @param {Element} cell
   * @param {string | null | undefined} price
   * @param {string | null | undefined} before
   */
  function write(cell, price, before) {
    if (price === before) return;
    writePrice(cell, price);
    if (before === null || before === undefined || price === null || price === undefined) return;
    flash(cell, Number(price) >= Number(before) ? 'up' : 'down');
  }

  return {
    element,
    quality: () => shown?.quality ?? '',
    /** @param {QuoteRow} quote @param {number} now */
    take(quote, now) {
      const before = shown;
      shown = quote;
      if (isReference) {
        write(first, quote.referencePrice, before?.referencePrice);
        write(second, quote.confidence, before?.confidence);
      } else {
        write(first, quote.bid, before?.bid);
        write(second, quote.ask, before?.ask);
      }
      const next = [quote.quality, ...quote.flags].join(' ');
      if (next !== words) {
        words = next;
        fill(quality, qualityWord(quote.quality), ' ', flagChips(quote.flags));
        mark(element, 'data-quality', quote.quality);
      }
      this.tick(now);
    },
    /** @param {number} now */
    tick(now) {
      if (shown !== null) say(old, age(now - Date.parse(shown.feedUpdatedAt ?? shown.receivedAt)));
    },
  };
}

/**
 * @param {Element} cell
 * @param {string | null | undefined} price
 */
function writePrice(cell, price) {
  say(cell, price === null || price === undefined ? '–' : quoteText(price));
  mark(cell, 'title', price ?? null);
}

/**
 * Only for the eye: a price is shown as the text that it came as.
 * @param {Element} cell
 * @param {'up' | 'down'} way
 */
function flash(cell, way) {
  cell.animate([{ backgroundColor: `var(--${way}-wash)` }, { backgroundColor: 'transparent' }], {
    duration: MARKED_MS,
    easing: 'ease-out',
  });
}
