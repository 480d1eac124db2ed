/** Implementation of `sevengate agents`. */
import type { Agent, Decision, EvaluationRun, Gates, Manifest, Operations } from '../../../clients/typescript/src/index.ts';
import { documentIn } from './given-document.ts';
import { columns, findAgent, spaced, type Terminal } from './terminal.ts';

export async function listAgents({ api, json, print }: Terminal): Promise<void> {
  const agents: Agent[] = [];
  for await (const agent of api.listAgents.items({ limit: 200 })) agents.push(agent);
  if (json) return print(JSON.stringify(agents));
  const rows = agents.map((agent) => [agent.name, agent.stage, formatStatus(agent), agent.autonomy, agent.id]);
  print(rows.length === 0 ? 'No agents yet. Create one: sevengate agents create <file>' : columns([HEAD, ...rows]));
}

const HEAD = ['NAME', 'STAGE', 'STATUS', 'AUTONOMY', 'ID'];

export async function showAgent({ api, json, print }: Terminal, given: string): Promise<void> {
  const { id } = await findAgent(api, given);
  const [agent, gates] = await Promise.all([api.getAgent({ id }), api.listGates({ id })]);
  if (json) return print(JSON.stringify(agent));
  const facts = [
    ['Stage', `${agent.stage}, ${gates.progress}`],
    ['Status', formatStatus(agent)],
    ['Autonomy', agent.autonomy],
    ['Manifest', `v${agent.manifestVersion} ${agent.manifestHash.slice(0, 12)}`],
    ['Created', `${agent.createdAt} by ${agent.createdBy}`],
    ['Next', inVerbs(gates.next)],
    ...gates.whyNoTrades.map((reason, i) => [i === 0 ? 'No trades' : '', reason]),
    ...agent.closing.map(({ instrument, waitingFor }) => [
      'Closing',
      `${instrument ?? 'all'}${waitingFor ? `: ${waitingFor.detail}` : ''}`,
    ]),
  ];
  print(`${agent.name}  ${agent.id}\n${columns(facts)}`);
}

/** Creates an agent from a manifest in JSON or YAML; `-` reads standard input. */
export async function createAgent({ api, json, print }: Terminal, file: string): Promise<void> {
  const agent = await api.createAgent({ body: documentIn(file) as Manifest | string });
  if (json) return print(JSON.stringify(agent));
  print(`Created ${agent.name} at ${agent.stage}, autonomy ${agent.autonomy}. It decides at each full minute.\n${agent.id}`);
}

/** Adds a version of the manifest, which sets the agent back to `draft`. */
export async function updateAgent({ api, json, print }: Terminal, given: string, file: string): Promise<void> {
  const { id } = await findAgent(api, given);
  const agent = await api.addAgentVersion({ id, body: documentIn(file) as Manifest | string });
  print(json ? JSON.stringify(agent) : `${agent.name} is at version ${agent.manifestVersion}, stage ${agent.stage}.`);
}

/** Creates a token and prints its text, which the service shows only once. */
export async function makeToken({ api, json, print }: Terminal, given: string, name: string): Promise<void> {
  const { id } = await findAgent(api, given);
  const made = await api.createAgentToken({ id, body: { name } });
  print(json ? JSON.stringify(made) : made.token);
}

/** Opens a signal hook and prints its URL, which the service shows only once. */
export async function openSignals({ api, json, print, note, url }: Terminal, given: string, file: string): Promise<void> {
  const { id } = await findAgent(api, given);
  const hook = await api.createSignalHook({ id, body: documentIn(file) as Operations['createSignalHook']['input']['body'] });
  if (json) return print(JSON.stringify(hook));
  print(`${url}${hook.path}`);
  note(`Senders that sign use ${url}${hook.signedPath} and the secret ${hook.signingSecret}`);
}

type Command = 'pauseAgent' | 'resumeAgent' | 'promoteAgent' | 'releaseAgent' | 'closeAgentPositions';

/** Sends an agent a command without further input. */
export async function commandAgent(terminal: Terminal, command: Command, given: string): Promise<void> {
  const { id } = await findAgent(terminal.api, given);
  printAgent(terminal, await terminal.api[command]({ id, body: {} }));
}

export async function closeAgent(terminal: Terminal, given: string, body: { instrument?: string; limitPrice?: string }): Promise<void> {
  const { id } = await findAgent(terminal.api, given);
  printAgent(terminal, await terminal.api.closeAgentPositions({ id, body }));
}

export async function setAutonomy(terminal: Terminal, given: string, autonomy: Agent['autonomy']): Promise<void> {
  const { id } = await findAgent(terminal.api, given);
  printAgent(terminal, await terminal.api.setAgentAutonomy({ id, body: { autonomy } }));
}

function printAgent({ json, print }: Terminal, agent: Agent): void {
  print(json ? JSON.stringify(agent) : `${agent.name}: ${agent.stage}, ${formatStatus(agent)}, autonomy ${agent.autonomy}`);
}

const formatStatus = ({ paused, pauseCause }: Pick<Agent, 'paused' | 'pauseCause'>): string =>
  paused ? `paused${pauseCause === null ? '' : ` (${spaced(pauseCause)})`}` : 'running';

/** Returns the command line's verb for a request of the API. */
const inVerbs = (next: string): string =>
  next.replaceAll(/POST \/v1\/agents\/:id\/(\w+)/g, (_, verb: string) => `sevengate agents ${verb.replaceAll('_', '-')}`);

/** Prints the newest decisions, oldest first. */
export async function listDecisions({ api, json, print }: Terminal, given: string, limit: number): Promise<void> {
  const { id } = await findAgent(api, given);
  const { items } = await api.listDecisions({ id, limit });
  if (json) return print(JSON.stringify(items));
  print(
    items.length === 0 ? 'No decisions yet. The first one comes at the next full minute.' : items.toReversed().map(decisionText).join('\n'),
  );
}

/** Prints decisions of one or all agents as they are made, until there were `count`. */
export async function watchAgent({ api, json, print }: Terminal, given: string | undefined, count: number): Promise<void> {
  const agent = given === undefined ? null : await findAgent(api, given);
  let left = count;
  for await (const { data } of api.feed('decisions', agent === null ? {} : { agentId: agent.id })) {
    print(json ? JSON.stringify(data) : `${agent === null ? `${data.agentId}  ` : ''}${decisionText(data)}`);
    if (--left <= 0) return;
  }
}

/** Formats a decision with its rules, one per line. */
export function decisionText({ slot, disposition, reason, instrument, rules }: Decision): string {
  const head = `${slot}  ${spaced(disposition)}${instrument === null ? '' : ` ${instrument}`}${reason === null ? '' : `: ${spaced(reason)}`}`;
  const rows = rules.map(({ passed, side, instrument: of, type, observed, threshold, unknown }) => [
    `  ${passed ? 'pass' : 'fail'}`,
    side,
    of,
    spaced(type),
    unknown === undefined ? String(observed ?? '–') : `unknown (${spaced(unknown.cause)})`,
    `against ${threshold ?? '–'}`,
  ]);
  return rows.length === 0 ? head : `${head}\n${columns(rows)}`;
}

/** Prints each gate with its failed checks. */
export async function showGates({ api, json, print }: Terminal, given: string): Promise<void> {
  const { id } = await findAgent(api, given);
  const gates = await api.listGates({ id });
  print(json ? JSON.stringify(gates) : gatesText(gates));
}

function gatesText({ gates, progress, next }: Gates): string {
  const rows = gates.map(({ from, to, state, passed, checks, problems }) => {
    const failed = checks.filter((check) => !check.passed).map(checkText);
    const why = state === 'ahead' ? '' : [...failed, ...problems].join('; ');
    return [`${from} → ${to}`, state === 'behind' ? 'passed' : state === 'ahead' ? 'ahead' : passed ? 'open' : 'closed', why];
  });
  return `${columns(rows)}\n${progress}. Next: ${inVerbs(next)}`;
}

const checkText = ({ name, rule, limit, observed }: Gates['gates'][number]['checks'][number]): string =>
  `${spaced(name)} ${observed ?? 'not known'}, must be ${spaced(rule)} ${limit ?? 'a limit that is not known'}`;

type Evaluation = 'backtestAgent' | 'stressTestAgent';

/** Starts a backtest or a stress test. With `wait` it waits for the end, and a run that does not pass sets exit code 1. */
export async function evaluateAgent(
  { api, json, print, note, wait }: Terminal,
  evaluation: Evaluation,
  given: string,
  options: { readonly from?: string; readonly to?: string; readonly look?: true; readonly wait?: true },
): Promise<void> {
  const { id } = await findAgent(api, given);
  const { wait: waits, ...asked } = options;
  const begun = evaluation === 'backtestAgent' ? await api.backtestAgent({ id, body: asked }) : await api.stressTestAgent({ id, body: {} });
  let run: EvaluationRun = begun;
  for (let said = ''; waits && ['queued', 'running'].includes(run.state); run = await api.getEvaluation({ id, runId: begun.id })) {
    const words = progressText(run);
    if (words !== said) note(words);
    said = words;
    await wait();
  }
  print(json ? JSON.stringify(run) : runText(run));
  if (waits && (run.state !== 'finished' || run.summary?.['passed'] === false)) process.exitCode = 1;
}

function progressText({ state, progress, remainingMs, waitingFor }: EvaluationRun): string {
  const done = progress === null ? '' : `, ${progress.done} of ${progress.total} ${progress.unit}`;
  const left = remainingMs === null ? '' : `, about ${Math.ceil(remainingMs / 1_000)} s left`;
  return `${state}${done}${left}${waitingFor === null ? '' : `, waiting: ${waitingFor.detail}`}`;
}

function runText({ id, evaluation, state, ending, summary }: EvaluationRun): string {
  const head = `${spaced(evaluation)} ${state}${ending === null ? '' : `: ${ending.detail}`}  ${id}`;
  const figures = Object.entries(summary ?? {}).filter(([, value]) => value === null || typeof value !== 'object');
  return [
    head,
    ...(figures.length === 0 ? [] : [columns(figures.map(([name, value]) => [`  ${inWords(name)}`, String(value ?? '–')]))]),
  ].join('\n');
}

/** Formats a metric's name: `maxDrawdownPct` becomes `max drawdown %`. */
const inWords = (name: string): string =>
  name
    .replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`)
    .replace(/ pct$/, ' %')
    .replace(/ usd$/, ' USD');
