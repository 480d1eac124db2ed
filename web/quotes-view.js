/** The quotes of every venue as they are received: bid and ask, how old, how good, and which kind of silence it is where there is one. */
import { ageOf, agedQuality, describe, qualityBadge } from './aged-quality.js';
import { flagChips } from './decision-card.js';
import { fill, h, mark, say } from './dom.js';
import { instrumentName } from './outcome-names.js';
import { age, plain, quoteText, SILENCES } from './words.js';

/** @typedef {import('./wire.ts').QuoteRow} QuoteRow */
/** @typedef {import('./aged-quality.js').Feed} Feed */

const VENUES = ['spotchain', 'spotexchange', 'evmvenue', 'reference', 'prediction'];
const MARKED_MS = 700;

/**
 * @param {import('./shell.js').Context} context
 * @returns {import('./shell.js').View}
 */
export function quotesView({ feed, fail }) {
  /** The newest of each since the last frame of the screen. @type {Map<string, QuoteRow>} */
  let waiting = new Map();
  let scheduled = 0;
  const note = h('p', { class: 'faint', role: 'status' }, 'Waiting for data…');
  const nothing = h('p', { class: 'faint', role: 'status', hidden: true }, 'No matching instruments.');
  const tables = venueTables(feed);
  const filters = quoteFilters(restrict);

  function restrict() {
    nothing.hidden = tables.filter(filters.wanted(), filters.isOnlySilent()) > 0 || tables.isEmpty();
  }

  /** @param {QuoteRow} quote */
  function take(quote) {
    waiting.set(`${quote.venue}:${quote.instrument}`, quote);
    if (scheduled === 0) scheduled = requestAnimationFrame(draw);
  }

  function draw() {
    scheduled = 0;
    const changes = waiting;
    waiting = new Map();
    tables.take([...changes.values()]);
    restrict();
    say(note, tables.words());
  }

  const stop = feed.subscribe({
    channel: 'quotes',
    refuse: (detail) => fail(new Error(detail)),
    receive: ({ data }) => [data].flat().forEach(take),
  });
  const ticking = setInterval(() => {
    tables.tick();
    restrict();
    if (!tables.isEmpty()) say(note, tables.words());
  }, 500);

  return {
    element: h(
      'section',
      { class: 'page quotes' },
      h('div', { class: 'page-head' }, h('h1', {}, 'Quotes'), note),
      filters.element,
      nothing,
      tables.element,
    ),
    title: 'Quotes',
    list: { label: 'Instrument', search: filters.search },
    end() {
      stop();
      clearInterval(ticking);
      cancelAnimationFrame(scheduled);
    },
  };
}

/** Creates the search and the filters by kind of silence. @param {() => void} onChange */
function quoteFilters(onChange) {
  const search = h('input', { type: 'search', placeholder: 'Instrument', 'aria-label': 'Instrument', oninput: onChange });
  const silent = h('input', { type: 'checkbox', onchange: onChange });
  const legend = SILENCES.map(([kind, word]) => h('span', { class: `chip chip-${kind}` }, word));
  return {
    search,
    element: h('div', { class: 'filters' }, search, h('label', {}, silent, ' not live only'), h('span', { class: 'legend' }, legend)),
    wanted: () => search.value.trim().toLowerCase(),
    isOnlySilent: () => silent.checked,
  };
}

/** The tables of all venues, which come as their first quote does, in the order of {@link VENUES}. @param {Feed} feed */
function venueTables(feed) {
  /** @type {Map<string, ReturnType<typeof venueTable>>} */
  const tables = new Map();
  const element = h('div', { class: 'venues' });

  /** @param {string} venue */
  function tableOf(venue) {
    let table = tables.get(venue);
    if (table === undefined) {
      table = venueTable(venue, feed);
      tables.set(venue, table);
      const order = (/** @type {string} */ name) => (VENUES.indexOf(name) + VENUES.length + 1) % (VENUES.length + 1);
      const sorted = [...tables].sort(([a], [b]) => order(a) - order(b));
      fill(
        element,
        sorted.map(([, each]) => each.element),
      );
    }
    return table;
  }

  /** @param {(table: ReturnType<typeof venueTable>) => number} each */
  const sumOf = (each) => [...tables.values()].reduce((sum, table) => sum + each(table), 0);

  return {
    element,
    isEmpty: () => tables.size === 0,
    /** @param {readonly QuoteRow[]} quotes */
    take(quotes) {
      for (const quote of quotes) tableOf(quote.venue).take(quote);
    },
    /** @returns how many rows are shown. @param {string} wanted @param {boolean} onlySilent */
    filter: (wanted, onlySilent) => sumOf((table) => table.filter(wanted, onlySilent)),
    words: () => `${sumOf((table) => table.count())} instruments, ${sumOf((table) => table.live())} live`,
    tick() {
      for (const table of tables.values()) table.tick();
    },
  };
}

/** @param {string} venue @param {Feed} feed */
function venueTable(venue, feed) {
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
    /** @param {QuoteRow} quote */
    take(quote) {
      let line = lines.get(quote.instrument);
      if (line === undefined) {
        line = quoteLine(venue, quote.instrument, feed);
        lines.set(quote.instrument, line);
        const after = [...lines.keys()].filter((name) => name > quote.instrument).sort()[0];
        body.insertBefore(line.element, after === undefined ? null : (lines.get(after)?.element ?? null));
      }
      line.take(quote);
      say(about, isReference ? 'reference prices, not tradable' : (quote.source.split(':', 1)[0] ?? ''));
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
    tick() {
      for (const line of lines.values()) line.tick();
    },
  };
}

/**
 * @param {string} venue
 * @param {string} instrument
 * @param {Feed} feed
 */
function quoteLine(venue, instrument, feed) {
  const isReference = venue === 'reference';
  const first = h('td', { class: 'number price' });
  const second = h('td', { class: 'number price' });
  const old = h('td', { class: 'number age' });
  const badge = qualityBadge();
  const quality = h('td', { class: 'quality-cell' }, badge);
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
    quality: () => (shown === null ? '' : agedQuality(shown, feed)),
    /** @param {QuoteRow} quote */
    take(quote) {
      const before = shown;
      shown = quote;
      if (isReference) {
        write(first, quote.referencePrice, before?.referencePrice);
        write(second, quote.confidence, before?.confidence);
      } else {
        write(first, quote.bid, before?.bid);
        write(second, quote.ask, before?.ask);
      }
      describe(badge, quote);
      if (quote.flags.join(' ') !== words) {
        words = quote.flags.join(' ');
        fill(quality, badge, ' ', flagChips(quote.flags));
      }
      this.tick();
    },
    tick() {
      if (shown === null) return;
      say(old, age(ageOf(shown, feed.now())));
      mark(element, 'data-quality', this.quality());
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
 * Flashes a cell. For display only: a price is shown as the text that it came as.
 * @param {Element} cell
 * @param {'up' | 'down'} way
 */
function flash(cell, way) {
  cell.animate([{ backgroundColor: `var(--${way}-wash)` }, { backgroundColor: 'transparent' }], {
    duration: MARKED_MS,
    easing: 'ease-out',
  });
}
