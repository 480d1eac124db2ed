// Every operation of the API is on a page, or on a list with the reason why it is not.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OPERATIONS } from '../../clients/typescript/src/api.ts';

const WEB = new URL('../../web/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, WEB), 'utf8');
const textOf = (names: readonly string[]): string => names.map(read).join('\n');

/** Pages of the console that put an address together: the file, and the text in it that names the operation. */
const COMPOSED: { readonly [operation: string]: readonly [file: string, text: string] } = {
  pauseAgent: ['agent-actions.js', "'pause'"],
  releaseAgent: ['agent-actions.js', "'release'"],
  backtestAgent: ['evaluations-panel.js', "begin('backtest'"],
  sweepAgent: ['evaluations-panel.js', "begin('sweep'"],
  stressTestAgent: ['evaluations-panel.js', "begin('stress_test'"],
  retryActivity: ['interventions.js', "'retry'"],
  resetActor: ['interventions.js', "'reset'"],
  releaseActor: ['interventions.js', "'release'"],
  depositIntoVault: ['vault-panel.js', "pay('deposit'"],
  withdrawFromVault: ['vault-panel.js', "pay('withdraw'"],
  submitLaunchClaim: ['launch-claims.js', 'address}/submit'],
  publishTake: ['take-actions.js', 'address}/publish'],
  disarmTake: ['take-actions.js', 'address}/disarm'],
  closeTake: ['take-actions.js', 'address}/close'],
  listTakeDecisions: ['take-view.js', 'address}/decisions?'],
  explainTakeDecision: ['take-view.js', '/explain`'],
  listTakeHistory: ['take-view.js', 'address}/history?'],
  getLeaderboardCsv: ['leaderboard-view.js', '/csv?window='],
};

/** Operations that programs use, and why a page does not need them. */
const FOR_MACHINES: { readonly [operation: string]: string } = {
  getHealth: 'a probe of the machine that runs the service',
  getReadiness: 'a probe; people read the same on the page of venues and of the runtime',
  getMetrics: 'Prometheus reads it',
  getOpenApi: '/docs shows it',
  getAsyncApi: '/docs shows it',
  openInspector: 'Stately Inspector connects to it',
  streamEvents: 'for programs; pages use the socket',
  listQuotes: 'pages receive the same over the feed',
  getOrderBook: 'pages receive the same over the feed',
  proposeTrade: "an outside agent's code calls it",
  getOutsideProposal: "an outside agent's code reads it",
  getOutsideContext: "an outside agent's code reads it",
  getBriefContext: "an outside agent's code reads it",
  openReplaySession: "an outside agent's code calls it",
  getReplaySession: "an outside agent's code reads it; people see the run among the evaluations",
  answerReplayStep: "an outside agent's code calls it",
  abandonReplaySession: "an outside agent's code calls it; people cancel the run",
  receiveSignal: 'an alert of a chart is sent to it',
  callMcp: 'a client of the Model Context Protocol calls it',
  getMarketOrder: 'the list of orders shows the same',
  getDecision: 'the list of decisions shows the same',
  getWork: 'the list of work shows the same',
  getTakeChart: 'the page of its actor draws the same chart',
  getLeaderboardWalletCsv: 'the CSV of the leaderboard covers its wallets',
  getVaultCourse: 'deprecated: getVaultPriceHistory replaces it',
  getLaunchCourse: 'deprecated: getLaunchPriceHistory replaces it',
  getBridgeTransferCourse: 'deprecated: getBridgeTransferTimeline replaces it',
};

const console_ = textOf(readdirSync(WEB).filter((name) => name.endsWith('.js')));
const terminal = textOf(
  readdirSync(new URL('terminal/', WEB), { recursive: true })
    .map(String)
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `terminal/${name}`),
);
const HOLE = /\$\{(?:[^{}]|\{[^}]*\})*\}/g;
const written = new Set(
  [...console_.matchAll(/\/v1\/(?:\$\{(?:[^{}]|\{[^}]*\})*\}|[\w\-/.])*/g)].map(([address]) =>
    address.replace(HOLE, '{}').replace(/\/$/, ''),
  ),
);
const names = Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[];
const called = (name: string): boolean => new RegExp(`\\bapi\\.${name}\\b`).test(terminal);
const addressed = (name: keyof typeof OPERATIONS): boolean =>
  written.has((OPERATIONS[name].split(' ')[1] as string).replaceAll(/\{\w+\}/g, '{}'));
const excused = Object.keys(FOR_MACHINES);

test('each operation is reached from a page, or is on a list with its reason', () => {
  const unreached = names.filter((name) => !called(name) && !addressed(name) && !(name in COMPOSED) && !excused.includes(name));
  expect(unreached, 'put it on a page, or on the list with its reason').toEqual([]);
});

test('no list names an operation that a page reaches, that is gone, or twice', () => {
  const reached = excused.filter((name) => called(name) || name in COMPOSED || addressed(name as 'getMe'));
  expect(reached).toEqual([]);
  expect([...excused, ...Object.keys(COMPOSED)].filter((name) => !(name in OPERATIONS))).toEqual([]);
  expect(excused.filter((name, place) => excused.indexOf(name) !== place)).toEqual([]);
});

test('each address that is put together stands where the list says', () => {
  const gone = Object.entries(COMPOSED).filter(([, [file, text]]) => !read(file).includes(text));
  expect(gone).toEqual([]);
});
