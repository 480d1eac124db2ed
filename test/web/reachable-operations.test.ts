// Every operation of the API is on a page, or listed with the reason why not.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OPERATIONS } from '../../clients/typescript/src/api.ts';

const TERMINAL = new URL('../../web/terminal/', import.meta.url);

/** Operations for programs, and why no page needs them. */
const FOR_MACHINES: { readonly [operation: string]: string } = {
  getHealth: 'a probe of the machine that runs the service',
  getReadiness: 'a probe; people read the same on the page of venues and of the runtime',
  getMetrics: 'Prometheus reads it',
  getOpenApi: '/docs shows it',
  getAsyncApi: '/docs shows it',
  openInspector: 'Stately Inspector connects to it',
  openFeeds: 'the socket of every page, which its feed opens by its address',
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
  getProposal: 'the list of proposals shows the same',
  listTickers: 'pages receive the same over the feed',
  listHistory: 'the page of its actor shows the same steps',
  getChart: 'the page of its actor draws the same chart',
  getEvaluationReport: 'a link of the page of the report downloads it',
  getDecision: 'the list of decisions shows the same',
  getWork: 'the list of work shows the same',
  getTakeChart: 'the page of its actor draws the same chart',
  getLeaderboardWalletCsv: 'the CSV of the leaderboard covers its wallets',
  getVaultCourse: 'deprecated: getVaultPriceHistory replaces it',
  getLaunchCourse: 'deprecated: getLaunchPriceHistory replaces it',
  getBridgeTransferCourse: 'deprecated: getBridgeTransferTimeline replaces it',
};

const terminal = readdirSync(TERMINAL, { recursive: true })
  .map(String)
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => readFileSync(new URL(name, TERMINAL), 'utf8'))
  .join('\n');
const names = Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[];
const called = (name: string): boolean => new RegExp(`\\b(?:api|lastCall)\\.${name}\\b`).test(terminal);
const excused = Object.keys(FOR_MACHINES);

test('each operation is reachable from a page, or listed with its reason', () => {
  const unreached = names.filter((name) => !called(name) && !excused.includes(name));
  expect(unreached, 'put it on a page, or on the list with its reason').toEqual([]);
});

test('no list names an operation that a page uses, that is gone, or twice', () => {
  const reached = excused.filter((name) => called(name));
  expect(reached).toEqual([]);
  expect(excused.filter((name) => !(name in OPERATIONS))).toEqual([]);
  expect(excused.filter((name, place) => excused.indexOf(name) !== place)).toEqual([]);
});
