/** Grammar of theses with its index of instruments, loaded when a Take is composed. */
export { createCatalog } from '../../../src/domain/catalog/catalog.ts';
export { compileThesis } from '../../../src/domain/take/compile-thesis.ts';
