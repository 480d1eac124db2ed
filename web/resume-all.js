/** Resumes the paused agents of the organization that one chooses, one after the other; each answer stands beside its agent. */
import { askDialog } from './ask-dialog.js';
import { h, say } from './dom.js';
import { change, pagesOf } from './http.js';
import { sentenceOf } from './problem-note.js';
import { plain } from './words.js';

/** @typedef {import('./wire.ts').Agent} Agent */
/** @typedef {{ readonly agent: Agent, readonly box: HTMLInputElement, readonly answer: HTMLElement, readonly element: HTMLElement }} Row */

const PER_PAGE = 200;

/** @param {import('./shell.js').Context} context */
export async function askResumeAll({ notify, fail }) {
  try {
    const rows = (await pausedAgents()).map(rowOf);
    if (rows.length === 0) return notify('No paused agents.');
    askDialog({
      title: 'Resume agents',
      text: 'Each agent continues at the stage where it was paused. Release quarantined agents on their own page.',
      fields: [h('ul', { class: 'resume-list' }, ...rows.map(({ element }) => element))],
      confirm: 'Resume selected',
      fail,
      async carryOut() {
        const resumed = await resumeEach(rows);
        notify(`Resumed: ${resumed} ${resumed === 1 ? 'agent' : 'agents'}.`);
      },
    });
  } catch (error) {
    fail(error);
  }
}

async function pausedAgents() {
  /** @type {Agent[]} */
  const found = [];
  /** @type {AsyncGenerator<import('./wire.ts').Page<Agent>>} */
  const pages = pagesOf(`/v1/agents?limit=${PER_PAGE}`);
  for await (const { items } of pages) found.push(...items.filter(({ paused }) => paused));
  return found;
}

/** @param {Agent} agent @returns {Row} */
function rowOf(agent) {
  const isQuarantined = agent.pauseCause === 'quarantine';
  const box = h('input', { type: 'checkbox', disabled: isQuarantined });
  box.checked = !isQuarantined;
  const answer = h('span', { class: 'faint', role: 'status' }, agent.pauseCause === null ? '' : plain(agent.pauseCause));
  return { agent, box, answer, element: h('li', {}, h('label', {}, box, ` ${agent.name} `), answer) };
}

/**
 * @param {readonly Row[]} rows
 * @throws Error if one was refused; those that were resumed are chosen no more.
 */
async function resumeEach(rows) {
  let resumed = 0;
  let refused = 0;
  for (const { agent, box, answer } of rows.filter((row) => row.box.checked)) {
    try {
      // One after the other: a refusal says which one it is of.
      // oxlint-disable-next-line no-await-in-loop
      await change('POST', `/v1/agents/${agent.id}/resume`);
      box.checked = false;
      say(answer, 'resumed');
      resumed++;
    } catch (error) {
      say(answer, sentenceOf(error));
      refused++;
    }
  }
  if (refused > 0) throw new Error(`${resumed} resumed, ${refused} refused. See the reason next to each agent.`);
  return resumed;
}
