/** The simulated evaluations of one agent: the buttons that begin them, how far they are, how they ended, and their reports. */
import { foldedActorChart } from './actor-chart.js';
import { drawdownOf } from './backtest-figures.js';
import { h, mark, say } from './dom.js';
import { change, read } from './http.js';
import { lazyChart } from './lazy-chart.js';
import { createProblemNote } from './problem-note.js';
import { summaryWords } from './run-words.js';
import { sweepForm } from './sweep-form.js';
import { workLine } from './work-line.js';
import { dayAndTime, plain } from './words.js';

/** @typedef {import('./wire.ts').EvaluationRun} Run */

const MACHINE = 'evaluation@1';
const RUNS_SHOWN = 10;
const GATHER_MS = 120;

/**
 * @param {object} options
 * @param {import('./shell.js').Context} options.context
 * @param {string} options.id The agent.
 * @param {AbortSignal} options.signal
 * @param {() => void} options.onEnded Called where a run has ended: its evidence may open a gate.
 */
export function evaluationsPanel({ context, id, signal, onEnded }) {
  const { me, fail } = context;
  const mayRun = me.permissions.includes('trade:execute');
  /** @type {number | undefined} */
  let gathering;
  const note = h('p', { class: 'faint', role: 'status' }, 'Loading…');
  const problem = createProblemNote(fail);
  const runs = runList((run) => runItem({ context, id, run, signal, cancel: mayRun ? cancel : null }));
  const starts = evaluationStarts({ mayRun, begin });

  /** @param {'backtest' | 'stress_test' | 'sweep'} what @param {object | undefined} request */
  async function begin(what, request) {
    starts.enable(false);
    problem.clear();
    try {
      include(await change('POST', `/v1/agents/${id}/${what}`, request));
    } catch (error) {
      problem.show(error);
    } finally {
      starts.enable(mayRun);
    }
  }

  /** @param {string} runId */
  async function cancel(runId) {
    problem.clear();
    try {
      include(await change('POST', `/v1/agents/${id}/evaluations/${runId}/cancel`));
    } catch (error) {
      problem.show(error);
      void refresh();
    }
  }

  async function refresh() {
    try {
      /** @type {import('./wire.ts').Page<Run>} */
      const page = await read(`/v1/agents/${id}/evaluations?limit=${RUNS_SHOWN}`, { signal });
      for (const run of page.items.toReversed()) include(run);
      say(note, runs.size() === 0 ? 'No evaluations yet. Start a backtest above.' : '');
    } catch (error) {
      if (signal.aborted) return;
      say(note, 'The evaluations could not be loaded.');
      fail(error);
    }
  }

  /** @param {Run} run */
  function include(run) {
    runs.include(run);
    say(note, '');
  }

  const head = h('div', { class: 'panel-head' }, h('h2', {}, 'Evaluations'), note, h('span', { class: 'space' }), starts.buttons);
  return {
    element: h('div', { class: 'panel evaluations-panel' }, head, problem.element, starts.options, starts.sweep, runs.element),
    refresh,
    /** @param {import('./wire.ts').News<'agents'>} data */
    receive(data) {
      if (!('runId' in data)) return;
      if (data.what === 'evaluation_progress') return runs.progress(data);
      clearTimeout(gathering);
      gathering = setTimeout(() => void refresh(), GATHER_MS);
      if (data.what !== 'evaluation_queued' && data.what !== 'evaluation_running') onEnded();
    },
    end() {
      clearTimeout(gathering);
      runs.end();
    },
  };
}

/**
 * Creates the starts of runs, with the range of a backtest or a sweep.
 * @param {object} options
 * @param {boolean} options.mayRun
 * @param {(what: 'backtest' | 'stress_test' | 'sweep', request: object | undefined) => Promise<void>} options.begin
 */
function evaluationStarts({ mayRun, begin }) {
  const needs = mayRun ? null : 'Requires trade:execute';
  const from = h('input', { type: 'date' });
  const to = h('input', { type: 'date' });
  const look = h('input', { type: 'checkbox' });
  const backtest = button('Backtest', 'Simulates the manifest over more than five years of bars', () =>
    begin('backtest', backtestRequest()),
  );
  const stress = button('Stress test', 'Simulates flash crash, weekend gap, liquidity freeze and de-peg', () =>
    begin('stress_test', undefined),
  );
  const sweep = sweepForm({ mayRun, onBegin: (request) => void begin('sweep', { ...stretch(), ...request }) });

  /** @param {string} text @param {string} title @param {() => Promise<void>} call */
  function button(text, title, call) {
    return h('button', { type: 'button', disabled: !mayRun, title: needs ?? title, onclick: () => void call() }, text);
  }

  function stretch() {
    return {
      ...(from.value === '' ? {} : { from: `${from.value}T00:00:00Z` }),
      ...(to.value === '' ? {} : { to: `${to.value}T00:00:00Z` }),
    };
  }

  function backtestRequest() {
    const request = { ...stretch(), ...(look.checked ? { look: true } : {}) };
    return Object.keys(request).length === 0 ? undefined : request;
  }

  return {
    buttons: [backtest, stress],
    sweep: sweep.element,
    options: h(
      'details',
      { class: 'options' },
      h('summary', {}, 'Another period for the backtest or sweep'),
      h(
        'div',
        { class: 'filters' },
        h('label', {}, 'From ', from),
        h('label', {}, 'To ', to),
        h('label', {}, look, ' exploratory: a shorter period that does not count for a gate'),
      ),
    ),
    /** @param {boolean} isEnabled */
    enable(isEnabled) {
      for (const one of [backtest, stress, sweep.button]) one.disabled = !isEnabled;
    },
  };
}

/** The newest runs. @param {(run: Run) => ReturnType<typeof runItem>} make */
function runList(make) {
  const element = h('ul', { class: 'run-list' });
  /** The oldest first. @type {Map<string, ReturnType<typeof runItem>>} */
  const items = new Map();

  /** @param {string} id */
  function drop(id) {
    items.get(id)?.end();
    items.get(id)?.element.remove();
    items.delete(id);
  }

  return {
    element,
    size: () => items.size,
    /** @param {Run} run */
    include(run) {
      const known = items.get(run.id);
      if (known !== undefined) return known.update(run);
      const item = make(run);
      items.set(run.id, item);
      element.prepend(item.element);
      for (const oldest of [...items.keys()].slice(0, -RUNS_SHOWN)) drop(oldest);
    },
    /** @param {import('./wire.ts').EvaluationProgress} progress */
    progress: (progress) => items.get(progress.runId)?.progress(progress),
    end() {
      for (const item of items.values()) item.end();
    },
  };
}

const ENDED = ['finished', 'refused', 'cancelled', 'failed'];

/**
 * @param {object} options
 * @param {import('./shell.js').Context} options.context
 * @param {string} options.id
 * @param {Run} options.run
 * @param {AbortSignal} options.signal
 * @param {((runId: string) => Promise<void>) | null} options.cancel Null where one may not.
 */
function runItem({ context, id, run: first, signal, cancel }) {
  let run = first;
  const badge = h('span', { class: 'badge' });
  const name = plain(first.evaluation);
  const work = runWork(name);
  const words = h('p', { class: 'run-words' });
  const report = reportLink(id, first);
  const stop = h(
    'button',
    { type: 'button', disabled: cancel === null, title: cancel === null ? 'Requires trade:execute' : null },
    'Cancel',
  );
  stop.addEventListener('click', async () => {
    stop.disabled = true;
    await cancel?.(first.id);
    stop.disabled = cancel === null;
  });
  const chart = foldedActorChart(() => ({ context, actorId: first.id, machine: MACHINE, value: run.state }));
  const details = h('details', { ontoggle: () => chart.unfold(details.open) }, h('summary', {}, 'State chart'), chart.element);
  const course = runCourse(id, first, signal);
  const element = h(
    'li',
    { 'data-run': first.id },
    h(
      'div',
      { class: 'run-head' },
      h('strong', {}, name),
      badge,
      h('span', { class: 'faint' }, `manifest v${first.manifestVersion} · ${dayAndTime(first.createdAt)} by ${first.requestedBy}`),
      h('span', { class: 'space' }),
      report,
      stop,
    ),
    work.element,
    words,
    course?.element,
    details,
  );

  function draw() {
    const hasEnded = ENDED.includes(run.state);
    mark(element, 'data-state', run.state);
    mark(badge, 'class', `badge run-${run.state}`);
    say(badge, plain(run.state));
    stop.hidden = hasEnded;
    work.show(run);
    report.hidden = run.state !== 'finished';
    if (course !== null) course.element.hidden = report.hidden;
    say(
      words,
      run.ending !== null ? `${plain(run.ending.code)}: ${run.ending.detail}` : run.summary === null ? '' : summaryWords(run.summary),
    );
    words.hidden = words.textContent === '';
    chart.stand(run.state);
  }
  draw();

  return {
    element,
    /** @param {Run} read */
    update(read) {
      // A late answer must not bring an ended run back to life.
      if (ENDED.includes(run.state) && !ENDED.includes(read.state)) return;
      run = read;
      draw();
    },
    /** @param {import('./wire.ts').EvaluationProgress} told */
    progress(told) {
      if (!ENDED.includes(run.state)) work.show(told);
    },
    end() {
      chart.unfold(false);
      course?.end();
    },
  };
}

/** Creates the progress of a run, with a link to the fetch that it waits for. @param {string} name */
function runWork(name) {
  const line = workLine(name);
  const awaited = h('a', { href: '#/runtime/work', hidden: true });
  return {
    element: h('div', {}, line.element, awaited),
    /** @param {import('./work-line.js').Work & { readonly waitsForWork: string | null }} far */
    show(far) {
      line.show(far);
      awaited.hidden = far.waitsForWork === null;
      say(awaited, far.waitsForWork === null ? '' : `Data fetch no. ${far.waitsForWork}, which this run waits for`);
    },
  };
}

/** Backtests and sweeps have pages of the console, a stress test one of its own. @param {string} id @param {Run} run */
function reportLink(id, { id: runId, evaluation }) {
  if (evaluation === 'agreement') return h('span', {}, '');
  const address =
    evaluation !== 'stress_test'
      ? { href: `#/reports/${id}/${runId}` }
      : { href: `/v1/agents/${id}/evaluations/${runId}/report`, target: '_blank', rel: 'noopener' };
  return h('a', { ...address, hidden: true }, 'Report');
}

/** The equity of a backtest by day; null for another evaluation. @param {string} id @param {Run} run @param {AbortSignal} signal */
function runCourse(id, run, signal) {
  if (run.evaluation !== 'backtest') return null;
  return lazyChart({
    title: 'Equity in US dollars, with drawdown',
    address: () => `/v1/agents/${id}/evaluations/${run.id}`,
    courseOf: daysCourse,
    empty: 'Not enough days for a chart.',
    signal,
  });
}

/** @param {import('./api.ts').EvaluationRunDetail} run @returns {import('./lazy-chart.js').Course | null} */
function daysCourse({ result }) {
  const { daily = [], capitalUsd = '0' } =
    /** @type {{ readonly daily?: readonly { readonly date: string, readonly equityUsd: string, readonly highUsd: string }[], readonly capitalUsd?: string }} */ (
      result ?? {}
    );
  if (daily.length === 0) return null;
  return {
    points: daily.map(({ date, equityUsd }) => ({ at: Date.parse(date), value: Number(equityUsd), text: equityUsd })),
    drawdown: drawdownOf({ daily, capitalUsd }),
    decimals: 2,
    base: Number(capitalUsd),
  };
}
