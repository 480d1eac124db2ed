// Numbers, money and units typed on a command line mean the same as in a thesis, or are refused with a reason.
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { backtestCommand } from '../../src/cli/backtest/backtest.ts';
import { sandboxCommands } from '../../src/cli/sandbox.ts';
import { serveCommand } from '../../src/cli/tape/tape-serve.ts';
import { count, quantity } from '../../src/cli/words.ts';
import { parseParameter } from '../../src/domain/backtest/sweep.ts';
import { files } from '../rooms/source.ts';

const usd = quantity('usd', 'an amount in US dollars');
const percent = quantity('percent', 'a percentage');
const plain = quantity('number', 'a number');
const days = quantity('days', 'a number of days');

test.each([
  [usd, '$1,000', 1000],
  [usd, '1k', 1000],
  [usd, '$1.5k', 1500],
  [usd, '1000 dollars', 1000],
  [usd, '1,000.50', 1000.5],
  [percent, '10 %', 10],
  [percent, '50 bps', 0.5],
  [percent, '2.5', 2.5],
  [plain, '1.5', 1.5],
  [days, '14.1', 14.1],
  [days, '2 weeks', 14],
  [days, '36h', 1.5],
  [count(1, 720, 'hours'), '3 days', 72],
  [count(1, 1_000_000), '1,000', 1000],
])('is read (%#): %s', (read, text, value) => {
  expect(read(text)).toBe(value);
});

test.each([
  [usd, '1.000', /mean 1,000 or 1\?/],
  [usd, '$1.000', /mean 1,000 or 1\?/],
  [usd, '1,00', /How is "1,00" meant/],
  [usd, '10 %', /"10 %" is not understood\. Needed: an amount in US dollars\./],
  [percent, '$10', /not understood/],
  [percent, '2⁰', /not understood/],
  [plain, '', /"" is not understood/],
  [plain, '0x10', /not understood/],
  [plain, '1e3', /not understood/],
  [plain, '10 apples', /not understood/],
  [days, '$14', /not understood/],
  [count(1, 720, 'hours'), '1.5', /out of range\. Needed: a whole number of hours from 1 to 720/],
])('is refused in words (%#): %s', (read, text, words) => {
  expect(() => read(text)).toThrow(words);
});

test('options of a backtest reach it as numbers', () => {
  const words = [
    'm.json',
    '--min-order-usd',
    '$1k',
    '--max-participation-pct',
    '5 %',
    '--versions-tried',
    '1,000',
    '--train-days',
    '2 weeks',
  ];
  const command = new Command('backtest').exitOverride();
  backtestCommand(command, {} as never);
  command.action(() => {});
  command.parse(words, { from: 'user' });
  expect(command.opts()).toMatchObject({ minOrderUsd: 1000, maxParticipationPct: 5, versionsTried: 1000, trainDays: 14 });
});

test.each([
  ['backtest', ['backtest', 'm.json', '--min-order-usd', '1.000']],
  ['sandbox', ['sandbox', 'advance', '--days', '1.000']],
  ['tape', ['tape', 'serve', 'x.tape', '--speed', '1.000']],
])('a number that can be read in two ways is refused by the command (%s)', (_, words) => {
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {} });
  const quiet = (name: string): Command => program.command(name).copyInheritedSettings(program);
  backtestCommand(quiet('backtest'), {} as never);
  sandboxCommands(quiet('sandbox'), {} as never);
  serveCommand(quiet('tape'), {} as never);
  expect(() => program.parse(words, { from: 'user' })).toThrow(/mean 1,000 or 1\?/);
});

test('values of a sweep are spelled as in a manifest, and never in a way that can be read twice', () => {
  expect(parseParameter('stopLossPct=1.125,2')).toEqual({ path: 'stopLossPct', values: [1.125, 2] });
  expect(() => parseParameter('maxTradeNotionalUsd=1.000')).toThrow(/mean 1,000 or 1\?/);
});

/** Number of calls per file that parse digits only, because they read an identifier: a port, a seed, the version of a step. */
const IDENTIFIERS: Readonly<Record<string, number>> = {
  'src/cli/words.ts': 1,
  'src/cli/backtest/sim.ts': 1,
  'src/cli/candles/archive-run.ts': 1,
};

test('no command reads a number by means of its own', () => {
  const own = files
    .filter(({ path }) => path.startsWith('src/cli/'))
    .map(({ path, text }) => [path, [...text.matchAll(/\b(?:Number|BigInt|parseInt|parseFloat)\(/g)].length] as const)
    .filter(([, calls]) => calls > 0);
  expect(Object.fromEntries(own)).toEqual(IDENTIFIERS);
});
