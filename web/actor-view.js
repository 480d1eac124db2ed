/** The past of one actor of any kind: a scrubber over its steps, the chart lit as it was, why each step went as it did, the price of then, and what if. */
import { actorTitle, pageOfActor, tradedBy } from './actor-subject.js';
import { CandlePanel } from './candle-panel.js';
import { drawChart } from './chart-drawing.js';
import { fitChart } from './chart-fit.js';
import { fill, h, mark, say } from './dom.js';
import { Refused, read } from './http.js';
import { layoutOf } from './machine-layouts.js';
import { titlePage } from './page-title.js';
import { sentenceOf } from './problem-note.js';
import { stepAccount } from './step-account.js';
import { createStepList, STEP_HEIGHT } from './step-list.js';
import { TimeLanes } from './time-lanes.js';
import { WhatIfPanel } from './what-if-panel.js';
import { countText, dayAndTime, plain, stateText, zoneWord } from './words.js';

/** @typedef {import('./api.ts').ActorDetail} ActorDetail */
/** @typedef {import('./wire.ts').Step} Step */
/** @typedef {import('./wire.ts').StateValue} StateValue */
/** @typedef {{ readonly from: StateValue | null, readonly to: StateValue, readonly event: string }} Taken */

const PLAY_MS = 700;
/** Delay before a step's account is read. While a user scrubs, none are. */
const SETTLED_MS = 120;
/** Padding of the chart's place, in pixels. */
const PADDING = 14;
/** Steps of an exported test unless told otherwise. */
const EXPORTED = 10;

class ActorPage {
  /** @type {ActorDetail | null} */
  #actor = null;
  /** The version that is looked at; follows the newest step while `#follows`. */
  #version = 0;
  #follows = true;
  #isRevealed = false;
  /** @type {ReturnType<typeof drawChart> | null} */
  #chart = null;
  #machine = '';
  /** @type {CandlePanel | null} */
  #candles = null;
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #playing;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #settling;
  #asking = new AbortController();
  #abort = new AbortController();
  heading = h('h1', {}, '…');
  about = h('p', { class: 'faint' });
  moment = h('p', { class: 'moment', role: 'status' });
  scrubber = h('input', {
    type: 'range',
    min: 1,
    max: 1,
    value: 1,
    'aria-label': 'Step',
    oninput: () => this.#look(Number(this.scrubber.value)),
  });
  play = button('▶', 'Play', () => this.#playOrPause());
  chartPlace = h(
    'div',
    { class: 'chart-place', tabindex: '0', role: 'region', 'aria-label': 'State chart at this step' },
    h('p', { class: 'faint' }, 'Drawing…'),
  );
  account = h('div', { class: 'panel account-place', tabindex: '0', role: 'region', 'aria-label': 'Step details' });
  candlePlace = h('div', {});
  lanes = new TimeLanes((at) => void this.#lookAt(at));
  from = h('input', { type: 'number', min: 0, value: 0, 'aria-label': 'After version', oninput: () => this.#aimExport() });
  to = h('input', { type: 'number', min: 1, value: 1, 'aria-label': 'Up to version', oninput: () => this.#aimExport() });
  download = h('a', { download: '' }, 'Export as test');

  /** @param {import('./shell.js').Context} context @param {string} id @param {string} version Of the address; the newest where there is none. */
  constructor(context, id, version) {
    this.context = context;
    this.id = id;
    this.title = 'Time travel';
    const { signal } = this.#abort;
    const { cache, list } = createStepList({
      id,
      label: 'Steps, newest first',
      signal,
      choose: (version) => this.#look(version),
      onChange: () => this.#changed(),
      onError: (error) => this.#failed(error),
    });
    this.cache = cache;
    this.steps = list;
    this.whatIf = new WhatIfPanel({ id, fail: context.fail, light: (taken) => this.#light(taken, true) });
    this.element = this.#page();
    this.sized = new ResizeObserver(() => this.#fit());
    this.sized.observe(this.chartPlace);
    this.stop = context.feed.subscribe({
      channel: 'inspect',
      params: { actorId: id },
      begin: () => void this.#open(Number(version) || 0),
      receive: ({ at, data }) => {
        if (data.version <= this.cache.last) return;
        this.cache.add({ version: data.version, at, machine: data.machine, event: data.event, from: data.from, to: data.to, cause: null });
        if (this.#follows) this.#look(this.cache.last);
      },
    });
  }

  #page() {
    return h(
      'section',
      { class: 'page time-travel' },
      h('p', { class: 'trail' }, h('a', { href: '#/runtime/actors' }, '← Actors')),
      h('div', { class: 'page-head' }, this.heading, this.about),
      h(
        'div',
        { class: 'panel scrubber' },
        button('⇤', 'First step', () => this.#look(1)),
        button('‹', 'One step earlier', () => this.#look(this.#version - 1)),
        this.play,
        button('›', 'One step later', () => this.#look(this.#version + 1)),
        button('⇥', 'Newest step', () => this.#look(this.cache.last)),
        this.scrubber,
        this.moment,
      ),
      this.lanes.element,
      h(
        'div',
        { class: 'time-grid' },
        h('div', { class: 'panel' }, this.steps.element),
        h('div', { class: 'panel chart-panel' }, this.chartPlace),
        h('div', { class: 'time-side' }, this.account, this.whatIf.element),
      ),
      this.candlePlace,
      this.#exportPanel(),
    );
  }

  /** A narrow window shows the chart as large as it is, and scrolls. */
  #fit() {
    const note = this.chartPlace.querySelector('.chart-note');
    const { clientWidth, clientHeight } = this.chartPlace;
    const room = { width: clientWidth - 2 * PADDING - 1, height: clientHeight - 2 * PADDING - (note?.clientHeight ?? 0) - PADDING };
    if (this.#chart !== null && matchMedia('(min-width: 861px)').matches) fitChart(this.#chart.element, room);
  }

  #exportPanel() {
    return h(
      'div',
      { class: 'panel export' },
      h('div', { class: 'panel-head' }, h('h2', {}, 'Export as test')),
      h(
        'p',
        { class: 'faint' },
        'Downloads a vitest file for test/exported. It fails if the state chart ever takes these steps differently.',
      ),
      h('p', {}, 'after ', this.from, ' up to ', this.to, ' ', this.download),
    );
  }

  /** @param {number} version Of the address; 0 for none. */
  async #open(version) {
    try {
      /** @type {ActorDetail} */
      const actor = await read(`/v1/actors/${this.id}`, { signal: this.#abort.signal });
      const isFirst = this.#actor === null;
      this.#actor = actor;
      this.cache.reach(actor.version);
      this.#describe(actor);
      if (isFirst) {
        this.lanes.show(lifeOf(actor), [], []);
        void this.#drawCandles(actor);
      }
      this.#look(isFirst && version > 0 ? version : this.#follows ? actor.version : this.#version);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** @param {ActorDetail} actor */
  #describe(actor) {
    void actorTitle(actor).then((title) => {
      if (this.#abort.signal.aborted) return;
      this.title = title;
      titlePage(title);
      say(this.heading, title);
    });
    const page = pageOfActor(actor);
    fill(
      this.about,
      `${actor.machine}, ${plain(actor.status)} · `,
      h('code', { title: actor.id }, actor.id.slice(-12)),
      page === null ? null : ' · ',
      page === null ? null : h('a', { href: page }, 'its page'),
    );
  }

  /** @param {ActorDetail} actor */
  async #drawCandles(actor) {
    const { signal } = this.#abort;
    try {
      const traded = await tradedBy(actor, signal);
      if (traded === null || traded.instruments.length === 0 || signal.aborted) return;
      this.#candles = new CandlePanel({
        context: this.context,
        ...traded,
        timeframe: '5m',
        onDrawn: ({ span, bars, marks }) => {
          // The newest step may have come after the last bar has closed.
          const last = Math.max(span.to, lifeOf(this.#actor ?? actor).to);
          this.lanes.show({ from: span.from, to: last }, bars, marks);
          this.lanes.setSteps(this.cache.known());
        },
      });
      fill(this.candlePlace, h('div', { class: 'panel' }, this.#candles.element));
      this.#point();
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Scrolls the list to the step, once the list is as long as the history. */
  #reveal() {
    const list = this.steps.element;
    const [top, height] = [(this.cache.last - this.#version) * STEP_HEIGHT, list.clientHeight];
    if (top < list.scrollTop || top + STEP_HEIGHT > list.scrollTop + height) list.scrollTop = top - (height - STEP_HEIGHT) / 2;
    this.#isRevealed = list.scrollHeight >= this.cache.last * STEP_HEIGHT;
  }

  #changed() {
    this.lanes.setSteps(this.cache.known());
    if (!this.#isRevealed) requestAnimationFrame(() => this.#reveal());
    mark(this.scrubber, 'max', String(Math.max(1, this.cache.last)));
    this.#draw();
  }

  /** At the step that an instant found the actor in. @param {number} at */
  async #lookAt(at) {
    try {
      this.#look(await this.cache.versionAt(at));
      // What is pointed at is the instant itself, which may lie long after the step.
      this.lanes.pointAt(at);
      this.#candles?.pointAt(at);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** @param {number} version */
  #look(version) {
    const bounded = Math.min(Math.max(1, version), Math.max(1, this.cache.last));
    this.#follows = bounded === this.cache.last;
    if (bounded === this.#version) return;
    this.#version = bounded;
    this.cache.want(bounded, bounded);
    // A link may have been followed in this moment: then the address is another page's already, and stays.
    const own = `#/actors/${this.id}`;
    if (location.hash.startsWith(own)) history.replaceState(null, '', `${own}${this.#follows ? '' : `/${bounded}`}`);
    mark(this.scrubber, 'max', String(this.cache.last));
    this.scrubber.value = String(bounded);
    this.from.value = String(Math.max(0, bounded - EXPORTED));
    this.to.value = String(bounded);
    this.#aimExport();
    this.steps.show(bounded);
    this.#reveal();
    this.#asking.abort();
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => void this.#ask(bounded), SETTLED_MS);
    this.#draw();
  }

  #draw() {
    const step = this.cache.at(this.#version);
    mark(this.chartPlace, 'data-past', this.#follows ? null : String(this.#version));
    mark(this.element, 'data-version', String(this.#version));
    const place = `step ${countText(this.#version)} of ${countText(this.cache.last)}`;
    if (step === undefined) say(this.moment, `${place}: quarantined or released`);
    if (!step) return;
    // Who asked stands first in a cause; the id of the request after it is for a log.
    const by = step.cause === null ? '' : `, by ${step.cause.replace(/ [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, '')}`;
    say(this.moment, `${place}, ${dayAndTime(step.at)} ${zoneWord()}${by}`);
    this.moment.title = step.cause ?? '';
    this.#light(null, false);
    this.#point();
  }

  #point() {
    const step = this.cache.at(this.#version);
    if (!step) return;
    const at = this.#follows ? null : Date.parse(step.at);
    this.#candles?.pointAt(at);
    this.lanes.pointAt(at);
  }

  /** Lights the chart as a branch leaves it; null for the step that is looked at. @param {Taken | null} taken @param {boolean} animate */
  #light(taken, animate) {
    mark(this.chartPlace, 'data-branch', taken === null ? null : '');
    const step = this.cache.at(this.#version);
    if (!step) return;
    if (step.machine !== this.#machine) void this.#drawMachine(step.machine);
    const shown = taken ?? { from: step.from, to: step.to, event: step.event.type };
    this.#chart?.show(shown.to, shown, animate);
  }

  /** @param {string} machine */
  async #drawMachine(machine) {
    this.#machine = machine;
    this.#chart = null;
    try {
      const made = drawChart(await layoutOf(machine));
      if (this.#abort.signal.aborted || this.#machine !== machine) return;
      this.#chart = made;
      fill(this.chartPlace, made.element);
      this.#fit();
      this.#light(null, false);
    } catch (error) {
      if (this.#abort.signal.aborted) return;
      const step = this.cache.at(this.#version);
      // A machine of an earlier version of the service: its words are still true.
      fill(
        this.chartPlace,
        h('p', {}, step ? stateText(step.to) : ''),
        h('p', { class: 'faint' }, `This version of the service cannot draw state chart ${machine}.`),
      );
      if (!(error instanceof Refused && error.status === 404)) this.#failed(error);
    }
  }

  /** @param {number} version */
  async #ask(version) {
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    try {
      /** @type {import('./api.ts').StepAccount} */
      const account = await read(`/v1/actors/${this.id}/steps/${version}`, { signal });
      if (signal.aborted) return;
      fill(this.account, stepAccount(account));
      this.whatIf.leaveFrom(version, account.takes);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Refused && error.signedOut) return this.context.fail(error);
      fill(this.account, h('p', { class: 'problem account' }, sentenceOf(error)));
      this.whatIf.leaveFrom(version, []);
    }
  }

  #playOrPause() {
    const isPlaying = this.#playing !== undefined;
    clearInterval(this.#playing);
    this.#playing = isPlaying ? undefined : setInterval(() => this.#playOn(), PLAY_MS);
    say(this.play, isPlaying ? '▶' : '❚❚');
    mark(this.play, 'aria-label', isPlaying ? 'Play' : 'Pause');
    if (!isPlaying && this.#follows) this.#look(1);
  }

  #playOn() {
    if (this.#version >= this.cache.last) this.#playOrPause();
    else this.#look(this.#version + 1);
  }

  #aimExport() {
    mark(this.download, 'href', `/v1/actors/${this.id}/test?from=${Number(this.from.value)}&to=${Number(this.to.value)}`);
  }

  /** @param {unknown} error */
  #failed(error) {
    if (this.#abort.signal.aborted) return;
    if (error instanceof Refused && error.status === 404 && this.#actor === null) {
      fill(this.element, h('h1', {}, 'Actor not found'), h('p', { class: 'faint' }, 'It may belong to another organization.'));
      return;
    }
    this.context.fail(error);
  }

  end() {
    this.#abort.abort();
    this.#asking.abort();
    clearInterval(this.#playing);
    clearTimeout(this.#settling);
    this.sized.disconnect();
    this.steps.end();
    this.#candles?.end();
    this.stop();
  }
}

/** From its beginning to its last change. @param {ActorDetail} actor */
function lifeOf({ createdAt, changedAt }) {
  return { from: Date.parse(createdAt), to: Math.max(Date.parse(changedAt), Date.parse(createdAt) + 1_000) };
}

/** @param {string} sign @param {string} label @param {() => void} onclick */
function button(sign, label, onclick) {
  return h('button', { type: 'button', 'aria-label': label, title: label, onclick }, sign);
}

/**
 * @param {import('./shell.js').Context} context
 * @param {string} id
 * @param {string} version
 * @returns {import('./shell.js').View}
 */
export function actorView(context, id, version) {
  return new ActorPage(context, id, version);
}
