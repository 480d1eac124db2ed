/** The title of the window: the page, and before it how many proposals wait for an answer. */

let page = '';
let waiting = 0;

function write() {
  document.title = `${waiting === 0 ? '' : `(${waiting}) `}${page} · Sevengate`;
}

/** @param {string} title */
export function titlePage(title) {
  page = title;
  write();
}

/** @param {number} count */
export function titleWaiting(count) {
  waiting = count;
  write();
}
