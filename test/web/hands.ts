/** Two ways to use a page: by mouse, or by keyboard with a visible focus. */
import type { Locator, Page } from 'playwright-core';
import { waitFor } from '../harness/wait-for.ts';

export interface Hand {
  readonly name: string;
  /** Opens a page by its title in the menus. */
  go(title: string): Promise<void>;
  press(target: Locator): Promise<void>;
  /** Replaces the text of a field. */
  write(field: Locator, text: string): Promise<void>;
  /** Chooses an option of a native list by its label. */
  choose(list: Locator, label: string): Promise<void>;
  /** Moves a slider to one of its ends. */
  slide(slider: Locator, to: 'start' | 'end'): Promise<void>;
  /** Brings a panel of the workspace to the front. */
  panel(title: string): Promise<void>;
}

export function mouseOf(page: Page): Hand {
  return {
    name: 'mouse',
    async go(title) {
      await page.locator('.rail-group').first().waitFor();
      for (const group of await page.locator('.rail-group').all()) {
        await group.click();
        const menu = page.locator(`[aria-labelledby="${await group.getAttribute('id')}"]`);
        await menu.waitFor();
        const item = menu.getByRole('menuitem', { name: title, exact: true });
        if ((await item.count()) === 0) continue;
        await item.click();
        return menu.waitFor({ state: 'detached' });
      }
      throw new Error(`no menu has ${title}`);
    },
    async press(target) {
      // A radio button is hidden beneath its label.
      const isRadio = (await target.getAttribute('type')) === 'radio';
      await (isRadio ? page.locator(`label[for="${await target.getAttribute('id')}"]`) : target).click();
    },
    async write(field, text) {
      await field.click({ clickCount: 3 });
      await field.fill(text);
    },
    async choose(list, label) {
      await list.selectOption({ label });
    },
    async slide(slider, to) {
      const { width, height } = await waitFor(() => slider.boundingBox(), { what: 'the place of a slider' });
      await slider.hover({ position: { x: width / 2, y: height / 2 } });
      await page.mouse.down();
      await slider.hover({ position: { x: to === 'start' ? 1 : width - 1, y: height / 2 } });
      await page.mouse.up();
    },
    panel: (title) => page.locator('.dv-tab', { hasText: title }).click(),
  };
}

export function keyboardOf(page: Page): Hand {
  const { keyboard } = page;
  const command = async (words: string): Promise<void> => {
    // A shortcut would be typed into a focused field.
    await page.locator('main').first().focus();
    await keyboard.press('Control+k');
    await keyboard.type(words);
    const found = page.locator('.mantine-Spotlight-action', { has: page.getByText(words, { exact: true }) });
    await found.first().waitFor();
    await waitFor(
      async () => {
        if ((await found.first().getAttribute('data-selected')) !== null) return true;
        await keyboard.press('ArrowDown');
        return false;
      },
      { what: `the command ${words}`, deadlineMs: 1_000 },
    );
    await keyboard.press('Enter');
    await found.first().waitFor({ state: 'detached' });
  };
  return {
    name: 'keyboard',
    go: (title) => command(`Go to ${title.toLowerCase()}`),
    async press(target) {
      if ((await target.getAttribute('type')) === 'radio') return chooseRadio(page, target);
      await reach(page, target);
      await keyboard.press((await target.getAttribute('type')) === 'checkbox' ? 'Space' : 'Enter');
    },
    async write(field, text) {
      await reach(page, field);
      await keyboard.press('Control+a');
      await keyboard.type(text);
    },
    async choose(list, label) {
      await reach(page, list);
      const labels = await list.locator('option').allInnerTexts();
      await waitFor(
        async () => {
          const chosen = labels.indexOf(await list.locator('option:checked').innerText());
          if (chosen !== labels.indexOf(label)) await keyboard.press(chosen < labels.indexOf(label) ? 'ArrowDown' : 'ArrowUp');
          return chosen === labels.indexOf(label);
        },
        { what: `the choice ${label}`, deadlineMs: 1_000 },
      );
    },
    async slide(slider, to) {
      await reach(page, slider);
      await keyboard.press(to === 'start' ? 'Home' : 'End');
    },
    panel: (title) => command(`Show ${title.toLowerCase()}`),
  };
}

/** Selects in a radio group, of which Tab reaches the checked one. */
async function chooseRadio(page: Page, target: Locator): Promise<void> {
  const group = await target.getAttribute('name');
  await reach(page, page.locator(`input[type=radio][name="${group}"]:checked`));
  for (let presses = 0; !(await target.isChecked()) && presses < MOST_TABS; presses++) await page.keyboard.press('ArrowRight');
}

const MOST_TABS = 400;
const TARGET = 'data-hand';
/** Script that returns the look of the target and its surroundings, by which people see the focus. */
const LOOKS = `(() => {
  const looks = (of) => {
    const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor, backgroundColor, textDecorationLine } = getComputedStyle(of);
    return [outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor, backgroundColor, textDecorationLine].join(' ');
  };
  const target = document.querySelector('[${TARGET}]');
  return target === null ? '' : looks(target) + looks(target.parentElement);
})()`;
/** Script that returns the key that brings the focus nearer to the target. */
const WAY = `(() => {
  const [at, target] = [document.activeElement, document.querySelector('[${TARGET}]')];
  if (target === null) return 'gone';
  if (at === target) return 'here';
  return at !== null && (at.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_PRECEDING) !== 0 ? 'Shift+Tab' : 'Tab';
})()`;

/** Moves the focus to an element by Tab. @throws Error if it is not reached, or the focus is not visible. */
async function reach(page: Page, target: Locator): Promise<void> {
  let before = await markedLooks(page, target);
  for (let tabs = 0; tabs < MOST_TABS; tabs++) {
    const way = await page.evaluate<'here' | 'gone' | 'Tab' | 'Shift+Tab'>(WAY);
    // Drawn anew meanwhile, as by a list that has been read.
    if (way === 'gone') {
      before = await markedLooks(page, target);
      continue;
    }
    if (way === 'here') {
      if (tabs > 0)
        await waitFor(async () => (await page.evaluate(LOOKS)) !== before, {
          what: `a focus that is seen on ${String(target)}`,
          deadlineMs: 1_000,
        });
      return;
    }
    await page.keyboard.press(way);
  }
  throw new Error(`${MOST_TABS} presses of the tabulator do not reach ${String(target)}`);
}

/** Marks the target alone, and returns its looks. */
async function markedLooks(page: Page, target: Locator): Promise<string> {
  await target.waitFor({ state: 'attached' });
  await page.evaluate(`document.querySelector('[${TARGET}]')?.removeAttribute('${TARGET}')`);
  await target.evaluate((element, name) => (element as unknown as Marked).setAttribute(name, ''), TARGET);
  return page.evaluate<string>(LOOKS);
}

interface Marked {
  setAttribute(name: string, value: string): void;
}
