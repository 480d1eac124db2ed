/** How the README's pictures are taken (`npm run pictures`): the suite's settings, and the one file that takes them. */
import { defineConfig, mergeConfig } from 'vitest/config';
import suite from './vitest.config.ts';

const { include: _include, ...settings } = suite.test ?? {};

export default mergeConfig({ ...suite, test: settings }, defineConfig({ test: { include: ['test/web/take-pictures.ts'] } }));
