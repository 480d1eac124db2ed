/** Entry point of the terminal: markup policy, styles, and the page of the signed-in member. */
import './kit/markup-policy.ts';
import { createTheme, type MantineColorsTuple, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { queries } from './api.ts';
import { Session } from './session.tsx';
import { THEME_OF_MEMBER } from './settings.tsx';

const BLUE: MantineColorsTuple = [
  '#e9f1ff',
  '#cfdfff',
  '#9dbcff',
  '#6897ff',
  '#4079fb',
  '#2b66ee',
  '#1d57dc',
  '#1147bd',
  '#0b3a9c',
  '#052b78',
];
/** Colours from text to page background. */
const DARK: MantineColorsTuple = [
  '#e8edf3',
  '#c3ccd7',
  '#9aa7b6',
  '#6d7a8a',
  '#2a3541',
  '#1b242e',
  '#171e26',
  '#10151b',
  '#0c1116',
  '#090c10',
];
const theme = createTheme({
  primaryColor: 'blue',
  colors: { blue: BLUE, dark: DARK },
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--font-mono)',
  fontSizes: { xs: '11px', sm: '12px', md: '13px', lg: '15px', xl: '18px' },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  components: {
    Button: { defaultProps: { size: 'xs' } },
    TextInput: { defaultProps: { size: 'xs', autoComplete: 'off' } },
    Select: { defaultProps: { size: 'xs', allowDeselect: false } },
    ...Object.fromEntries(
      ['NativeSelect', 'Textarea', 'Checkbox', 'Autocomplete', 'Switch'].map((name) => [name, { defaultProps: { size: 'xs' } }]),
    ),
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    // The page itself never scrolls. Locking it would write a style sheet without the nonce.
    Modal: { defaultProps: { lockScroll: false } },
    Drawer: { defaultProps: { lockScroll: false } },
  },
});
const nonce = document.querySelector('style')?.nonce ?? '';

createRoot(document.getElementById('terminal') as HTMLElement).render(
  <MantineProvider
    theme={theme}
    defaultColorScheme="auto"
    colorSchemeManager={THEME_OF_MEMBER}
    getStyleNonce={() => nonce}
    // Writes every variable itself, which spares a style sheet with the default ones.
    deduplicateCssVariables={false}
  >
    <QueryClientProvider client={queries}>
      <Notifications position="bottom-right" limit={4} />
      <Session />
    </QueryClientProvider>
  </MantineProvider>,
);
