/** The page of a finished backtest or sweep: its report, as a file too, and beside a backtest a second one. */
import { agentNames } from './agent-names.js';
import { backtestReport } from './backtest-report.js';
import { fill, h, say } from './dom.js';
import { read } from './http.js';
import { sentenceOf } from './problem-note.js';
import { provenanceWords } from './run-words.js';
import { sweepReport } from './sweep-report.js';
import { differenceTable } from './versions-panel.js';
import { dayAndTime } from './words.js';

/** @typedef {import('./wire.ts').EvaluationRun} Run */
/** @typedef {import('./backtest-report.js').Report} Report */
/** @typedef {{ readonly agentId: string, readonly runId: string }} RunId */

const RUNS_OFFERED = 50;

/**
 * @param {import('./shell.js').Context} context
 * @param {string} agentId
 * @param {string} runId The address may end with `?with=<agent>/<run>`: the run that stands beside it.
 * @returns {import('./shell.js').View}
 */
export function reportView({ fail }, agentId, runId) {
  const abort = new AbortController();
  const { signal } = abort;
  const own = { agentId, runId };
  const title = h('h1', {}, 'Backtest');
  const note = h('p', { class: 'faint', role: 'status' }, 'Loading…');
  const place = h('div', {});
  const beside = chooser({ own, signal, fail, onChosen: compare });
  let end = () => {};

  /** @param {RunId | null} other */
  function compare(other) {
    const [page = ''] = location.hash.split('?');
    history.replaceState(null, '', `${page}${other === null ? '' : `?with=${other.agentId}/${other.runId}`}`);
    void show();
  }

  async function show() {
    const other = runOfAddress();
    say(note, 'Loading…');
    try {
      const [names, ...runs] = await Promise.all([
        agentNames(signal, [agentId, ...(other === null ? [] : [other.agentId])]),
        readRun(own, signal),
        other && readRun(other, signal),
      ]);
      if (runs[0]?.evaluation === 'sweep') {
        const drawn = drawSweep(runs[0], names, { title, note, place });
        end = drawn.end;
        beside.element.hidden = true;
        return;
      }
      const [first, second = null] = runs.map((run) => run && reportOf(run, names));
      if (!first) return say(note, 'No report yet. The report appears when the backtest finishes.');
      if (other !== null && !second) return say(note, 'The other run has no result yet.');
      say(title, `Backtest: ${first.title}, manifest v${first.manifestVersion}`);
      end();
      const drawn = backtestReport(first, second);
      end = drawn.end;
      fill(place, drawn.element);
      say(note, provenanceWords(runs[0]?.provenance ?? null));
      beside.show(names, other);
      if (other !== null && second) await tellVersions([own, other], drawn.element, [first, second], signal);
    } catch (error) {
      if (!signal.aborted) say(note, sentenceOf(error));
    }
  }

  void show();
  return {
    title: 'Backtest',
    element: h('section', { class: 'page report-page' }, headOf(own, title, note), beside.element, place),
    end() {
      abort.abort();
      end();
    },
  };
}

/**
 * @param {import('./api.ts').EvaluationRunDetail} run
 * @param {ReadonlyMap<string, string>} names
 * @param {{ readonly title: HTMLElement, readonly note: HTMLElement, readonly place: HTMLElement }} parts
 */
function drawSweep({ agentId, manifestVersion, resultHash, summary, result, provenance }, names, { title, note, place }) {
  if (result === null || resultHash === null) {
    say(note, 'No report yet. The report appears when the sweep finishes.');
    return { end: () => {} };
  }
  const name = names.get(agentId) ?? 'an agent';
  say(title, `Sweep: ${name}, manifest v${manifestVersion}`);
  const drawn = sweepReport({
    title: name,
    manifestVersion,
    resultHash,
    summary: /** @type {Report['summary']} */ (summary ?? {}),
    result: /** @type {import('./wire.ts').SweepResult} */ (result),
  });
  fill(place, drawn.element);
  say(note, provenanceWords(provenance));
  return drawn;
}

/** @param {RunId} own @param {HTMLElement} title @param {HTMLElement} note */
function headOf({ agentId, runId }, title, note) {
  const file = `/v1/agents/${agentId}/evaluations/${runId}/report`;
  return h(
    'div',
    { class: 'page-head' },
    title,
    note,
    h('span', { class: 'space' }),
    h('a', { href: `#/agents/${agentId}/gates` }, 'Agent'),
    h('a', { href: file, download: `report-${runId}.html` }, 'Download report'),
  );
}

/**
 * Shows how the second run's manifest differs, before the figures.
 * @param {readonly [RunId, RunId]} ids
 * @param {HTMLElement} element
 * @param {readonly [Report, Report]} both
 * @param {AbortSignal} signal
 */
async function tellVersions([own, other], element, [first, second], signal) {
  const section = h('section', { class: 'panel', 'aria-label': 'Manifests' });
  const head = h('div', { class: 'panel-head' }, h('h2', {}, 'Manifests'));
  const isSameAgent = own.agentId === other.agentId;
  const [from, to] = [first.manifestVersion, second.manifestVersion];
  if (isSameAgent && from === to) fill(section, head, h('p', { class: 'faint table-empty' }, `Both runs use manifest version ${from}.`));
  else {
    const against = isSameAgent ? '' : `&against=${other.agentId}`;
    const { comparison } = await read(`/v1/agents/${own.agentId}/versions?limit=1&from=${from}&to=${to}${against}`, { signal });
    const words = isSameAgent
      ? `From version ${from} to version ${to}`
      : `From ${first.title} version ${from} to ${second.title} version ${to}`;
    fill(section, head, differenceTable(comparison, words));
  }
  element.querySelector('.panel')?.before(section);
}

/** @returns {RunId | null} */
function runOfAddress() {
  const [agentId = '', runId = ''] = (new URLSearchParams(location.hash.split('?')[1] ?? '').get('with') ?? '').split('/');
  return agentId === '' || runId === '' ? null : { agentId, runId };
}

/** @param {RunId} ids @param {AbortSignal} signal @returns {Promise<import('./api.ts').EvaluationRunDetail>} */
function readRun({ agentId, runId }, signal) {
  return read(`/v1/agents/${encodeURIComponent(agentId)}/evaluations/${encodeURIComponent(runId)}`, { signal });
}

/**
 * @param {import('./api.ts').EvaluationRunDetail} run
 * @param {ReadonlyMap<string, string>} names
 * @returns {Report | null} Null where it is no finished backtest.
 */
function reportOf({ agentId, evaluation, manifestVersion, resultHash, summary, result }, names) {
  if (evaluation !== 'backtest' || result === null || resultHash === null || summary === null) return null;
  return {
    title: names.get(agentId) ?? 'an agent',
    manifestVersion,
    resultHash,
    summary: /** @type {Report['summary']} */ (summary),
    result: /** @type {Report['result']} */ (result),
  };
}

/**
 * Creates the choice of the second run: an agent, and one of its finished backtests.
 * @param {{ readonly own: RunId, readonly signal: AbortSignal, readonly fail: (error: unknown) => void, readonly onChosen: (other: RunId | null) => void }} options
 */
function chooser({ own, signal, fail, onChosen }) {
  const agent = h('select', { onchange: () => void offer(agent.value, '') });
  const run = h('select', { onchange: () => onChosen(run.value === '' ? null : { agentId: agent.value, runId: run.value }) });

  /** @param {string} agentId @param {string} chosen */
  async function offer(agentId, chosen) {
    try {
      /** @type {import('./wire.ts').Page<Run>} */
      const { items } = await read(`/v1/agents/${agentId}/evaluations?limit=${RUNS_OFFERED}`, { signal });
      const runs = items.filter(({ id, evaluation, state }) => evaluation === 'backtest' && state === 'finished' && id !== own.runId);
      fill(
        run,
        h('option', { value: '' }, runs.length === 0 ? 'no other finished backtests' : 'no other run'),
        runs.map((one) => h('option', { value: one.id }, runWords(one))),
      );
      run.value = runs.some(({ id }) => id === chosen) ? chosen : '';
    } catch (error) {
      if (!signal.aborted) fail(error);
    }
  }

  return {
    element: h('div', { class: 'filters' }, h('label', {}, 'Compare with ', agent), h('label', {}, 'run of ', run)),
    /** @param {ReadonlyMap<string, string>} names @param {RunId | null} other */
    show(names, other) {
      if (agent.childElementCount !== names.size)
        fill(
          agent,
          [...names].map(([id, name]) => h('option', { value: id }, name)),
        );
      agent.value = other?.agentId ?? own.agentId;
      void offer(agent.value, other?.runId ?? '');
    },
  };
}

/** @param {Run} run */
function runWords({ createdAt, manifestVersion, request }) {
  const { from, to } = /** @type {{ readonly from?: string, readonly to?: string }} */ (request);
  return `${dayAndTime(createdAt)}, manifest v${manifestVersion}, ${String(from).slice(0, 10)} to ${String(to).slice(0, 10)}`;
}
