// Journeys of the guides in the terminal, each by mouse alone and by keyboard alone: every step is reachable, and the focus is visible.
import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { getAddress } from 'viem';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TERMINAL } from '../../src/adapters/terminal-files.ts';
import { startTapeServer, type TapeServer } from '../../src/cli/tape/tape-server.ts';
import { createLiveClock } from '../../streams/clock/live-clock.ts';
import { type RecordedDay, recordedDay } from '../harness/recorded-day.ts';
import { PATIENCE, waitFor } from '../harness/wait-for.ts';
import { foundOrganization } from '../journeys/shared-service.ts';
import { type Hand, keyboardOf, mouseOf } from './hands.ts';
import {
  type Browser,
  CHROMIUM,
  giveToken,
  openBrowser,
  propose,
  type ServiceWithPast,
  signIn,
  startServiceWithPast,
  tellWhatFailedShowed,
  type Watched,
} from './terminal-fixture.ts';
import { payload } from '../api/api-under-test.ts';
import { publishStrategy } from './test-wallets.ts';

const LONG = { timeout: 300_000 * PATIENCE };
/** Addresses on the EVM chain for each input device: a leaderboard wallet and a recipient. */
const EVM: { readonly [hand: string]: string } = { mouse: `0x${'1a'.repeat(20)}`, keyboard: `0x${'2b'.repeat(20)}` };

describe.skipIf(CHROMIUM === null)('the journeys of the guides', () => {
  let service: ServiceWithPast;
  let browser: Browser;
  let watched: Watched;
  let page: Page;
  let day: RecordedDay;
  let tape: TapeServer;
  tellWhatFailedShowed(() => page);
  beforeAll(async () => {
    if (TERMINAL.kept() === null) await TERMINAL.bundle();
    [service, browser] = await Promise.all([startServiceWithPast({ steps: 10 }), openBrowser()]);
    day = recordedDay();
    tape = await startTapeServer({
      from: null,
      to: null,
      speed: 10,
      loop: false,
      paused: true,
      port: 0,
      version: 'test',
      file: day.file,
      clock: createLiveClock(),
      progress: () => {},
      onFailure: (error) => console.error(error),
    });
    watched = await browser.page({ width: 1440, height: 900 });
    page = watched.page;
    await signIn(page, service, 'operator');
    const { items } = (await service.get('/v1/agents')).body as { items: { id: string }[] };
    // Only the test proposes.
    for (const { id } of items) expect((await service.post(`/v1/agents/${id}/autonomy`, { autonomy: 'research' })).status).toBe(200);
  });
  afterAll(async () => {
    await browser?.close();
    await tape?.stop();
    day?.remove();
    await service?.discard();
  });

  const button = (name: string | RegExp, within: Page | Locator = page) =>
    within.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name });
  const field = (name: string, within: Page | Locator = page) => within.getByLabel(name, { exact: true }).first();
  const dialog = () => page.getByRole('dialog').filter({ visible: true });
  const told = (words: string | RegExp) => page.getByText(words).first().waitFor();
  const agentOf = async (name: string) =>
    ((await service.get('/v1/agents')).body.items as { id: string; name: string }[]).find((agent) => agent.name === name)?.id as string;

  for (const handOf of [mouseOf, keyboardOf])
    describe(`by ${handOf === mouseOf ? 'mouse' : 'keyboard'}`, () => {
      let hand: Hand;
      beforeEach(async () => {
        hand = handOf(page);
        await browser.context.clearCookies();
        await page.goto('about:blank');
        await signIn(page, service, 'operator');
      });
      const nameOf = (what: string) => `${what} by ${hand.name}`;

      test('first run: the five first steps lead from page to page, and are put away', LONG, async () => {
        const steps = page.getByRole('complementary', { name: 'First steps' });
        const at = (name: string) => steps.locator('li[aria-current=step]', { hasText: name }).waitFor();
        // Whoever put them away calls them back: their state follows the member.
        if (!(await steps.isVisible())) {
          await hand.press(button(/account of/));
          const item = page.getByRole('menuitem', { name: 'First steps' });
          await item.waitFor();
          await (hand.name === 'mouse' ? item.click() : byArrows(page, 'First steps'));
        }
        await at('Look');
        for (const [name, heading] of [
          ['Create', 'Create an agent'],
          ['Approve', 'Proposals'],
          ['Backtest', 'Agents'],
          ['Halt', 'Operations'],
        ]) {
          await hand.press(button('Next', steps));
          await at(name as string);
          await page.getByRole('heading', { name: heading as string, level: 1 }).waitFor();
        }
        await hand.press(button('Finish', steps));
        await steps.waitFor({ state: 'detached' });
      });

      test('terminal: an order on paper is filled, and one that rests is cancelled', LONG, async () => {
        await hand.go('Trading workspace');
        await hand.write(page.getByRole('textbox', { name: 'Size' }), '250');
        await told('Risk: passes');
        await hand.press(button('Buy BTCUSDT on paper'));
        await told('Order filled');
        await hand.panel('Orders');
        const before = await page.locator('[data-order]').count();
        expect(
          (
            await service.post('/v1/market-orders/paper', {
              instrument: 'BTCUSDT',
              side: 'buy',
              notionalUsd: '100',
              limitPrice: '20000',
              timeInForce: 'gtc',
            })
          ).status,
        ).toBeLessThan(300);
        await hand.press(button(/^Cancel buy 0\.005 BTCUSDT$/).first());
        await waitFor(async () => (await page.locator('[data-order][data-open=false]').count()) > before, { what: 'the cancelled order' });
      });

      test('first agent: created from rules, asked to confirm, its proposal approved, its decision explained, paused', LONG, async () => {
        await hand.go('Create an agent');
        await hand.write(page.getByRole('textbox', { name: 'Name', exact: true }), nameOf('First'));
        await hand.press(button('Create'));
        await page.getByRole('heading', { name: nameOf('First') }).waitFor();
        const id = await agentOf(nameOf('First'));
        await hand.press(button('More'));
        await page.getByRole('menuitem', { name: 'Set autonomy' }).waitFor();
        await (hand.name === 'mouse' ? page.getByRole('menuitem', { name: 'Set autonomy' }).click() : byArrows(page, 'Set autonomy'));
        await dialog().waitFor();
        await chooseFrom(hand, field('Level', dialog()), 'confirm');
        await hand.press(button('Set', dialog()));
        await told('Autonomy set to confirm.');
        const order = await propose(service, id, '0.001');
        expect((await service.get(`/v1/agents/${id}`)).body.pauseCause).toBeNull();
        await hand.go('Proposals');
        const waiting = page.locator(`[data-proposal="${order}"]`).first();
        await hand.press(button(/^Approve/, waiting));
        await waitFor(async () => (await service.get(`/v1/agent-orders/${order}`)).body.state === 'filled', {
          what: 'the filled proposal',
        });
        await hand.go('Agents');
        await hand.press(page.getByRole('link', { name: nameOf('First'), exact: true }).first());
        await page.getByRole('heading', { name: nameOf('First') }).waitFor();
        await hand.press(button('Pause'));
        await hand.press(button('Pause', dialog()));
        await told('Paused.');
        for (const part of ['Gates', 'Evaluations', 'Positions and fills', 'Costs', 'Versions'])
          await hand.press(page.getByRole('link', { name: part, exact: true }));
        await page.getByRole('region', { name: 'Versions', exact: true }).waitFor();
      });

      test('gates: a backtest is begun, left and found again, and its state is told', LONG, async () => {
        await hand.go('Agents');
        await hand.press(page.getByRole('link', { name: 'Crypto trend', exact: true }).first());
        await hand.press(page.getByRole('link', { name: 'Evaluations', exact: true }));
        await hand.press(button('Backtest'));
        await told(/The backtest has begun/);
        await hand.go('Agents');
        await hand.press(page.getByRole('link', { name: 'Crypto trend', exact: true }).first());
        await hand.press(page.getByRole('link', { name: 'Evaluations', exact: true }));
        await page.locator('[data-run]').first().waitFor();
      });

      test('takes: a thesis becomes a draft, is armed on paper, disarmed and forked', LONG, async () => {
        await hand.go('Takes');
        await hand.write(page.getByRole('textbox', { name: 'Your thesis' }), 'Buy BTCUSDT when the price is below $20,000, with $500');
        await hand.press(button('Create draft'));
        await page.getByRole('heading', { name: 'Take on BTCUSDT' }).waitFor();
        for (const box of await page.getByRole('region', { name: 'Arm', exact: true }).getByRole('checkbox').all()) await hand.press(box);
        await hand.press(button('Arm on paper'));
        await told('The Take on BTCUSDT is armed.');
        await hand.press(button('Disarm'));
        await hand.press(button('Disarm', dialog()));
        await told('Disarmed.');
        const from = page.url();
        await hand.press(button('Fork'));
        await hand.press(button('Fork', dialog()));
        await waitFor(() => page.url() !== from, { what: 'the draft of the fork' });
      });

      test('launches: a wallet of the sandbox is filled and linked, and launches a token that trades', LONG, async () => {
        await hand.go('Wallets');
        await hand.press(button(/^Get 10 SOL/));
        await told('The faucet brought');
        await hand.press(button('Sandbox wallet primary chain'));
        await hand.press(button('Sign with Sandbox wallet'));
        await told(/^Linked: /);
        await hand.go('Launches');
        await hand.press(
          page
            .locator('main')
            .getByRole('link', { name: /^Launch/ })
            .first(),
        );
        await hand.write(page.getByRole('textbox', { name: 'Name' }), nameOf('Lantern'));
        await hand.write(page.getByRole('textbox', { name: 'Symbol' }), hand.name === 'mouse' ? 'LANTERNA' : 'LANTERNB');
        await hand.write(page.getByRole('textbox', { name: 'Metadata URL' }), 'https://example.com/token.json');
        await hand.press(button('Sign with Sandbox wallet'));
        await page.locator('[data-state=trading]').waitFor();
      });

      test('bridging: a transfer is quoted, signed by a wallet and followed', LONG, async () => {
        await hand.go('Transfers');
        const [wallet] = (await service.get('/v1/wallets')).body.items as { address: string }[];
        await hand.write(field('Amount (USDC)'), '25');
        await hand.write(field('Sender on the primary chain'), wallet?.address ?? '');
        await hand.write(field('Recipient on the EVM chain'), EVM[hand.name] as string);
        await hand.press(button('Quote'));
        await told(/^Valid until/);
        await hand.press(button('Sign with Sandbox wallet'));
        await page.waitForURL(/#\/transfers\/.+/);
      });

      test('marketplace: a strategy is listed, repriced and taken off', LONG, async () => {
        const [wallet] = (await service.get('/v1/wallets')).body.items as { address: string }[];
        await hand.go('Selling');
        await hand.press(button('List a strategy'));
        await hand.choose(field('Agent', dialog()), hand.name === 'mouse' ? 'Crypto trend, version 1' : 'Discount hunter, version 1');
        await hand.write(field('Price (USD)', dialog()), '49');
        await hand.write(field('Payout wallet', dialog()), wallet?.address ?? '');
        expect(await button('List a strategy', dialog()).isDisabled()).toBe(true);
        await hand.write(field('Categories, separated by commas', dialog()), 'trend, crypto');
        await hand.press(button('List a strategy', dialog()));
        await told('The strategy is listed.');
        const name = hand.name === 'mouse' ? 'Crypto trend' : 'Discount hunter';
        await hand.press(button(`Change the price of ${name}`));
        await hand.write(field('Price (USD)', dialog()), '59');
        await hand.press(button('Change price', dialog()));
        await told(`Price of ${name} changed.`);
        await hand.press(button(`Unlist ${name}`));
        await hand.press(button('Unlist', dialog()));
        await told(`${name} is no longer on sale.`);
      });

      test('marketplace: a licence is paid by the wallet of the sandbox, and its strategy is imported', LONG, async () => {
        const sellers = await foundOrganization(service.home, service.databaseUrl, nameOf('Sellers'));
        await publishStrategy(service, sellers.get('operator') as string, nameOf('Paid strategy'));
        await hand.go('Wallets');
        await hand.press(button(/^Get 10 SOL/));
        await told('The faucet brought');
        await hand.go('Marketplace');
        await hand.press(page.getByRole('link', { name: nameOf('Paid strategy') }));
        await hand.press(button('Sign with Sandbox wallet'));
        await hand.press(button('Import as a new agent'));
        await page.waitForURL(/#\/agents\/[0-9a-f-]{36}$/);
        await page.getByRole('heading', { name: nameOf('Paid strategy') }).waitFor();
        await hand.go('Wallets');
        await hand.press(button(/^Unlink/).first());
        await hand.press(button(/^Unlink/, dialog()));
        await told(/^No wallet is linked/);
      });

      test('replay: a tape is stepped, set to another speed and another time, and played to its end', LONG, async () => {
        await page.goto(tape.url);
        const bar = page.getByRole('region', { name: 'Replay' });
        const time = (shown: string) => bar.locator('.replay-time', { hasText: shown }).waitFor();
        await hand.go('Quotes of all venues');
        await page.getByRole('heading', { name: 'Quotes', level: 1 }).waitFor();
        await hand.slide(bar.getByRole('slider', { name: 'Tape time' }), 'start');
        await time('2026-03-02 14:30:00 UTC');
        await hand.press(button('Step', bar));
        await time('2026-03-02 14:30:01 UTC');
        await hand.slide(bar.getByRole('slider', { name: 'Tape time' }), 'end');
        await hand.slide(bar.getByRole('slider', { name: 'Tape time' }), 'start');
        await hand.choose(field('Speed', bar), '× 1000');
        await hand.press(button('Play', bar));
        await button('Restart', bar).waitFor();
      });

      test('leaderboard: a wallet is registered, found, and the board is saved', LONG, async () => {
        await hand.go('Leaderboard');
        await hand.write(field('Address on the primary or the EVM chain'), EVM[hand.name] as string);
        await hand.write(field('Name'), nameOf('Whale'));
        await hand.press(button('Register'));
        await button(nameOf('Whale')).waitFor();
        const [file] = await Promise.all([page.waitForEvent('download'), hand.press(button('Save as CSV'))]);
        expect(readFileSync(await file.path(), 'utf8')).toContain(getAddress(EVM[hand.name] as string));
      });

      test('history and time travel: a step is looked at, asked what if, and exported as a test', LONG, async () => {
        await hand.go('Runtime and time travel');
        await hand.press(page.getByRole('link', { name: /Crypto trend/ }).first());
        await page.locator('[data-account]').waitFor();
        await hand.press(page.locator('[data-step="3"]').getByRole('button'));
        await page.locator('[data-account="3"]').waitFor();
        await hand.press(page.getByRole('radio', { name: 'Export', exact: true }));
        const [file] = await Promise.all([page.waitForEvent('download'), hand.press(button('Export as test'))]);
        expect(readFileSync(await file.path(), 'utf8')).toContain('expected');
      });

      test('bring your own bot: a token is made, shown once and revoked', LONG, async () => {
        const outside = payload({
          name: nameOf('Outside'),
          strategy: 'external',
          release: '7',
          entryConditions: undefined,
          exitConditions: undefined,
        });
        expect((await service.post('/v1/agents', outside)).status).toBe(201);
        await hand.go('Agents');
        await hand.press(page.getByRole('link', { name: nameOf('Outside'), exact: true }).first());
        await hand.press(page.getByRole('link', { name: 'Outside code', exact: true }));
        await hand.write(field('Name of the token'), nameOf('bot'));
        await hand.press(button('Create token'));
        await hand.press(button('I have saved it'));
        await dialog().waitFor({ state: 'detached' });
        await hand.press(button(`Revoke ${nameOf('bot')}`));
        await hand.press(button('Revoke', dialog()));
        await page
          .locator('tr', { hasText: nameOf('bot') })
          .getByText(/^revoked/)
          .waitFor();
      });

      test('members: a guest is invited, and the invitation is taken back', LONG, async () => {
        await signOut(hand);
        await giveToken(page, service.token('administrator'));
        await page.locator('.frame').waitFor();
        await hand.go('Members');
        const card = page.getByRole('region', { name: 'Invite a member' });
        await hand.write(field('Name', card), nameOf('Guest'));
        await hand.press(button('Invite', card));
        expect(await field(`Invitation link for ${nameOf('Guest')}`).inputValue()).toMatch(/#\/join\//);
        await hand.press(button(`Revoke the invitation of ${nameOf('Guest')}`));
        await hand.press(button('Revoke', dialog()));
        await told(`Invitation of ${nameOf('Guest')} revoked.`);
      });

      test('halt: everything stops, and a member who may resumes it', LONG, async () => {
        await hand.go('Overview');
        await hand.press(button('Halt').first());
        await hand.write(field('Reason (optional)', dialog()), nameOf('Halted'));
        await hand.press(button('Halt all agents', dialog()));
        await page.locator('.banner').getByText(nameOf('Halted')).waitFor();
        await signOut(hand);
        await giveToken(page, service.token('risk-manager'));
        await hand.press(page.locator('.banner').getByRole('button', { name: /^Resume \d+ agents?$/ }));
        await page.locator('.banner').waitFor({ state: 'detached' });
      });
    });

  async function signOut(hand: Hand): Promise<void> {
    await hand.press(button(/account of/));
    const item = page.getByRole('menuitem', { name: 'Sign out' });
    await item.waitFor();
    if (hand.name === 'mouse') await item.click();
    else await byArrows(page, 'Sign out');
    await page.getByLabel('Access token').waitFor();
  }
});

/** Selects in an open menu by arrow keys. */
async function byArrows(page: Page, item: string): Promise<void> {
  await waitFor(
    async () => {
      await page.keyboard.press('ArrowDown');
      return (await page.evaluate<string>('document.activeElement.textContent.trim()')) === item;
    },
    { what: `the item ${item} of the menu` },
  );
  await page.keyboard.press('Enter');
}

/** Selects from a list that the page draws. */
async function chooseFrom(hand: Hand, list: Locator, option: string): Promise<void> {
  await hand.press(list);
  const { keyboard } = list.page();
  const found = list.page().getByRole('option', { name: option, exact: true });
  if (hand.name === 'mouse') return found.click();
  await waitFor(
    async () => {
      await keyboard.press('ArrowDown');
      return (await found.getAttribute('data-combobox-selected')) !== null;
    },
    { what: `the option ${option}` },
  );
  await keyboard.press('Enter');
}
