// One press of a button has one effect, and on what the page showed when it was pressed.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { latch } from '../harness/latch.ts';
import { waitFor } from '../harness/wait-for.ts';
import { type Asked, exampleAnswer, openStubbedTerminal, refuse, type StubbedTerminal } from './stubbed-terminal.ts';
import { CHROMIUM, tellWhatFailedShowed } from './terminal-fixture.ts';

interface Item {
  readonly [field: string]: unknown;
}
interface Items {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

const AGENT = '019caef5-a4a0-7000-8000-000000000002';
const FIRST = '5d1e8a52-0000-4000-8000-000000000001';
const SECOND = '5d1e8a52-0000-4000-8000-000000000002';

describe.skipIf(CHROMIUM === null)('the terminal under a hand', () => {
  let terminal: StubbedTerminal;
  tellWhatFailedShowed(() => terminal.page);
  beforeAll(async () => {
    terminal = await openStubbedTerminal();
  });
  afterAll(() => terminal?.close());

  const names = () => terminal.changes.map(({ name }) => name);
  const button = (name: string | RegExp) => terminal.page.getByRole('button', { name, exact: true });
  const dialog = () => terminal.page.getByRole('dialog');
  const [proposal] = (exampleAnswer('listProposals') as Items).items;
  const waiting = (id: string, minutes: number): Item => ({
    ...proposal,
    id,
    state: 'pending_approval',
    expiresAt: new Date(Date.now() + minutes * 60_000).toISOString(),
  });

  test('a withdrawal that is confirmed beside a written amount deposits nothing', async () => {
    const { page, open } = terminal;
    await open(`agents/${AGENT}/vault`, {});
    await page.getByRole('textbox', { name: 'Amount (USD)' }).fill('1000');
    await button('Withdraw all').click();
    await dialog().getByRole('button', { name: 'Withdraw all' }).click();
    await dialog().waitFor({ state: 'detached' });
    expect(names()).toEqual(['withdrawFromVault']);
  });

  test('a form that is sent twice before the page is drawn acts once, and again when it was', async () => {
    const { page, open } = terminal;
    await open(`agents/${AGENT}/vault`, {});
    const amount = page.getByRole('textbox', { name: 'Amount (USD)' });
    const form = page.locator('form', { has: amount });
    const sendTwice = () =>
      form.evaluate((element) => {
        const { requestSubmit } = element as unknown as { requestSubmit(): void };
        requestSubmit.call(element);
        requestSubmit.call(element);
      });
    await amount.fill('1000');
    await sendTwice();
    await waitFor(async () => (await amount.inputValue()) === '', { what: 'an empty amount' });
    expect(names()).toEqual(['depositIntoVault']);
    await amount.fill('5');
    await sendTwice();
    await waitFor(async () => (await amount.inputValue()) === '', { what: 'an empty amount again' });
    expect(names()).toEqual(['depositIntoVault', 'depositIntoVault']);
  });

  test('a changed transfer asks for another quote before it can be signed', async () => {
    const { page, open } = terminal;
    await open('transfers', {});
    const recipient = page.getByLabel(/^Recipient/).first();
    await page.getByRole('textbox', { name: 'Amount (USDC)' }).fill('30');
    await page
      .getByLabel(/^Sender/)
      .first()
      .fill('sender');
    await recipient.fill('recipient');
    await button('Quote').click();
    await page.getByText('You send').waitFor();
    await page.getByText('30 USDC').first().waitFor();
    await recipient.fill('another');
    await page.getByText('You send').waitFor({ state: 'detached' });
    expect(await page.getByRole('group', { name: 'Browser wallets' }).count()).toBe(0);
    await button('Quote').click();
    await page.getByText('You send').waitFor();
    const asked = terminal.changes.filter(({ name }) => name === 'quoteBridge');
    expect(asked.map(({ body }) => (body as Item)['recipient'])).toEqual(['recipient', 'another']);
  });

  test('a double click approves one proposal, not the one that moves under the pointer', async () => {
    const { page, open } = terminal;
    const answered: string[] = [];
    // One card below the other, as in the workspace.
    await page.setViewportSize({ width: 800, height: 900 });
    await open('proposals', {
      listProposals: () => ({
        items: [waiting(FIRST, 4), waiting(SECOND, 9)].filter(({ id }) => !answered.some((one) => one.endsWith(String(id)))),
        nextCursor: null,
      }),
      approveProposal: (_, route) => {
        answered.push(`approve ${/agent-orders\/([^/]+)/.exec(route.request().url())?.[1]}`);
        return proposal as object;
      },
      declineProposal: (_, route) => {
        answered.push(`decline ${/agent-orders\/([^/]+)/.exec(route.request().url())?.[1]}`);
        return proposal as object;
      },
    });
    const card = (id: string) => page.locator(`[data-proposal="${id}"]`);
    const approve = (id: string) => card(id).getByRole('button', { name: 'Approve' });
    await approve(FIRST).hover();
    const place = async (id: string) => JSON.stringify(await approve(id).boundingBox());
    const pressed = await place(FIRST);
    const press = async (clickCount: number) => {
      await page.mouse.down({ clickCount });
      await page.mouse.up({ clickCount });
    };
    await press(1);
    await waitFor(async () => (await place(SECOND)) === pressed, { what: 'the second proposal in the place of the first' });
    await press(2);
    await card(SECOND).getByRole('button', { name: 'Decline' }).click();
    await card(SECOND).waitFor({ state: 'detached' });
    expect(answered).toEqual([`approve ${FIRST}`, `decline ${SECOND}`]);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('a key answers nothing that the page has not read, and opens it', async () => {
    const { page, open } = terminal;
    await open('quotes', { listProposals: { items: [waiting(FIRST, 4)], nextCursor: null } });
    await page.getByRole('heading', { name: 'Quotes' }).waitFor();
    await page.locator('main').focus();
    await page.keyboard.press('a');
    await page.locator(`[data-proposal="${FIRST}"]`).waitFor();
    expect(names()).toEqual([]);
  });

  test('a prediction order that was placed is not placed again by another click', async () => {
    const { page, open } = terminal;
    const market = exampleAnswer('getPredictionMarket') as Item;
    await open('predictions', { getPredictionMarket: { ...market, status: 'open' } });
    const size = page.getByRole('textbox', { name: 'Size (USD)' });
    await size.fill('5');
    await button('Buy yes on paper').click();
    await waitFor(async () => (await size.inputValue()) === '', { what: 'an empty size' });
    expect(await button('Buy yes on paper').isDisabled()).toBe(true);
    expect(names()).toEqual(['placePaperPredictionOrder']);
  });

  test('a licence is not offered before the licences that are held are read', async () => {
    const { page, open } = terminal;
    const held = latch();
    const listing: Item = { ...(exampleAnswer('getListing') as Item), own: false, state: 'listed', priceUsd: '49' };
    await open(`marketplace/${String(listing['id'])}`, {
      getListing: listing,
      listLicences: async ({ query }: Asked) => {
        if (query.get('cursor') === null) return { items: [], nextCursor: 'more' };
        await held.released;
        return { items: [{ ...(exampleAnswer('listLicences') as Items).items[0], listingId: listing['id'] }], nextCursor: null };
      },
    });
    const licence = page.getByRole('region', { name: 'Licence' });
    await licence.getByText('Loading…').waitFor({ state: 'attached' });
    expect(await licence.getByRole('button').count()).toBe(0);
    held.release();
    await licence.getByRole('heading', { name: 'You hold a licence' }).waitFor();
    expect(await licence.getByRole('group', { name: 'Browser wallets' }).count()).toBe(0);
  });

  test('the market that a prediction order is written for stays while the list changes', async () => {
    const { page, open, answers } = terminal;
    const [market] = (exampleAnswer('listPredictionMarkets') as Items).items;
    const listed = (...questions: string[]) => ({
      items: questions.map((question) => ({ ...market, id: question, question })),
      nextCursor: null,
    });
    await open('predictions', {
      listPredictionMarkets: listed('One', 'Two'),
      getPredictionMarket: (_, route) => ({ ...market, question: route.request().url().split('/').at(-1) }),
    });
    await page.getByRole('heading', { name: 'One', exact: true }).waitFor();
    answers.listPredictionMarkets = listed('Two', 'One');
    await waitFor(
      async () =>
        (await page.getByRole('region', { name: 'Prediction markets' }).locator('tbody th').allInnerTexts())[0]?.startsWith('Two'),
      { what: 'the list in its new order' },
    );
    expect(await page.getByRole('heading', { name: 'One', exact: true }).count()).toBe(1);
  });

  test('a refusal that arrives after its dialog was closed is still told', async () => {
    const { page, open } = terminal;
    const held = latch();
    await open('quotes', {
      emergencyHalt: async (asked: Asked, route) => {
        await held.released;
        return refuse(403, 'forbidden', 'your role may not halt')(asked, route);
      },
    });
    await button('Halt').click();
    await button('Halt all agents').click();
    await waitFor(() => names().includes('emergencyHalt'), { what: 'the halt under way' });
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    held.release();
    await page.getByText('Halt all agents: not done').waitFor();
  });

  test('a dialog begins anew: what was written for a cancelled change is not of the next one', async () => {
    const { page, open } = terminal;
    const listing = { ...(exampleAnswer('listListings') as Items).items[0], state: 'listed', priceUsd: '49' };
    await open('selling', { listListings: { items: [listing], nextCursor: null } });
    const price = dialog().getByRole('textbox', { name: 'Price (USD)' });
    const ask = async () => {
      await button(/^Change the price/).click();
      await price.waitFor();
    };
    await ask();
    await price.fill('490');
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().waitFor({ state: 'detached' });
    await ask();
    expect(await price.inputValue()).toBe('49');
    await page.keyboard.press('Escape');
  });

  test('a question is asked once, although Enter is pressed twice', async () => {
    const { page, open } = terminal;
    const held = latch();
    await open('copilot', {
      chatWithCopilot: async () => {
        await held.released;
        return exampleAnswer('chatWithCopilot');
      },
    });
    const question = page.getByRole('textbox', { name: 'Question' });
    await question.fill('What is funding?');
    await question.press('Enter');
    await waitFor(() => names().length > 0, { what: 'the question under way' });
    await question.press('Enter');
    held.release();
    await page.locator('.exchanges .reply').waitFor();
    expect(names()).toEqual(['chatWithCopilot']);
  });

  test('a token and a hook of outside code are revoked only once that is confirmed', async () => {
    const { page, open } = terminal;
    const made = { id: FIRST, agentId: AGENT, name: 'desk', createdBy: 'operator', createdAt: '2026-11-23T12:00:00.000Z', revokedAt: null };
    const aPage = { items: [{ ...made, template: {}, tickers: [] }], nextCursor: null };
    const agent = exampleAnswer('getAgent') as Item;
    const manifest = { ...(agent['manifest'] as object), strategy: { kind: 'external', release: '1' } };
    await open(`agents/${AGENT}/outside`, {
      getAgent: { ...agent, manifest },
      listAgentTokens: aPage,
      listSignalHooks: aPage,
    });
    for (const [section, name] of [
      ['Tokens', 'revokeAgentToken'],
      ['Signal hooks', 'revokeSignalHook'],
    ] as const) {
      await page.getByRole('region', { name: section }).getByRole('button', { name: 'Revoke desk' }).click();
      expect(names()).not.toContain(name);
      await dialog().getByRole('button', { name: 'Revoke' }).click();
      await dialog().waitFor({ state: 'detached' });
      expect(names()).toContain(name);
    }
  });

  test('what was told to a member is gone for the next one', async () => {
    const { page, open, answers } = terminal;
    await open(`agents/${AGENT}/vault`, {});
    await button('Withdraw all').click();
    await dialog().getByRole('button', { name: 'Withdraw all' }).click();
    await page.locator('.mantine-Notification-root').waitFor();
    // Under the pointer it does not close by itself.
    await page.locator('.mantine-Notification-root').hover();
    answers.getMe = { ...(exampleAnswer('getMe') as object), subject: 'somebody else' };
    await page.evaluate(
      `dispatchEvent(new StorageEvent('storage', { key: 'sevengate.signedInUntil', newValue: '2099-01-01T00:00:00.000Z' }))`,
    );
    await page.locator('.mantine-Notification-root').waitFor({ state: 'detached' });
  });

  test('an order of an agent beyond the newest has its name', async () => {
    const { page, open } = terminal;
    const [agent] = (exampleAnswer('listAgents') as Items).items;
    await open('proposals', {
      listProposals: { items: [{ ...proposal, agentId: SECOND }], nextCursor: null },
      listAgents: ({ query }) =>
        query.get('cursor') === 'older'
          ? { items: [{ ...agent, id: SECOND, name: 'The oldest' }], nextCursor: null }
          : { items: [{ ...agent, id: FIRST, name: 'The newest' }], nextCursor: 'older' },
    });
    await page.getByRole('link', { name: 'The oldest' }).first().waitFor();
  });

  test('the rows behind an answer are a table, and a drafted thesis goes on in the composer', async () => {
    const { page, open } = terminal;
    const thesis = 'Buy AAPLx when the discount is over 2%';
    const answer = exampleAnswer('chatWithCopilot');
    await open('copilot', {
      chatWithCopilot: {
        ...(answer as object),
        reply: 'Value locked: Solana.',
        data: { items: [{ chain: 'Solana', tvlUsd: '29653237055.93', change7dPct: 5.82 }] },
        links: ['/v1/chains'],
        draft: {
          kind: 'take',
          hash: 'a',
          body: {},
          understood: [],
          assumed: [],
          next: { method: 'POST', path: '/v1/takes/compile', body: { thesis } },
        },
      },
    });
    await page.getByRole('textbox', { name: 'Question' }).fill('TVL of Solana');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.locator('.exchanges table').getByText('Solana', { exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'Show all' }).getAttribute('href')).toBe('#/chains');
    await page.getByRole('button', { name: 'Open in the composer' }).click();
    const written = page.getByRole('textbox', { name: 'Your thesis' });
    await written.waitFor();
    expect(await written.inputValue()).toBe(thesis);
  });

  test('on a phone an approval that arrives later does not take the place of what is pressed', async () => {
    const { page, open, send, answers } = terminal;
    await page.setViewportSize({ width: 390, height: 844 });
    await open('trade', { listProposals: { items: [], nextCursor: null } });
    const screen = (name: string) => page.locator(`.phone[data-screen="${name}"]`);
    await screen('Markets').locator('[data-instrument]').first().waitFor();
    answers.listProposals = { items: [waiting(FIRST, 4)], nextCursor: null };
    const count = page.getByRole('navigation', { name: 'Screens' }).locator('.count.urgent');
    await waitFor(
      async () => {
        // Until the page has subscribed, it receives nothing.
        send({ type: 'update', channel: 'proposals', data: { what: 'proposed', agentId: AGENT } });
        return (await count.count()) > 0;
      },
      { what: 'the number of approvals' },
    );
    expect(await screen('Markets').count()).toBe(1);
    await open('trade', { listProposals: { items: [waiting(FIRST, 4)], nextCursor: null } });
    await screen('Approve').locator(`[data-proposal="${FIRST}"]`).waitFor();
    await page.setViewportSize({ width: 1440, height: 900 });
  });
});
