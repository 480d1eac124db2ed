/** Style sheet of the API documentation, in light and dark. */
export const DOCS_STYLE = `
:root { color-scheme: light dark; --ground: #fff; --ink: #17202a; --faint: #5a6673; --line: #dfe4e9; --accent: #0b6b5a; --code: #f3f6f8; --dark: #0f1720; --pale: #dce6ef; }
@media (prefers-color-scheme: dark) { :root { --ground: #11161c; --ink: #e6ebf0; --faint: #9aa7b4; --line: #2a333d; --accent: #4fc3a8; --code: #1a222b; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 210px minmax(0, 1fr); }
a { color: var(--accent); text-decoration: none; } a:hover { text-decoration: underline; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 16px; border-right: 1px solid var(--line); display: flex; flex-direction: column; gap: 2px; }
nav a { padding: 3px 8px; border-radius: 6px; color: inherit; } nav a[aria-current] { background: var(--code); color: var(--accent); font-weight: 600; }
nav .home { display: flex; align-items: center; gap: 8px; font-weight: 650; margin-bottom: 10px; } nav svg { width: 24px; }
main { padding: 24px 32px 80px; min-width: 0; }
h1 { margin: 0 0 8px; text-transform: capitalize; } h2 { font-size: 19px; margin: 0 0 6px; } h2 a { color: inherit; } h3 { font-size: 14px; margin: 18px 0 4px; color: var(--faint); }
p { margin: 6px 0; max-width: 75ch; } .contents { columns: 2; padding-left: 18px; max-width: 1000px; }
.operation { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 32px; padding: 28px 0; border-top: 1px solid var(--line); content-visibility: auto; contain-intrinsic-size: auto 700px; }
.path b { font-size: 12px; padding: 2px 7px; border-radius: 5px; color: #fff; background: #0b6b5a; } .path b[data-method="POST"], .path b[data-method="PUT"] { background: #1d4fc4; } .path b[data-method="DELETE"] { background: #b3261e; }
code { font: 13px/1.4 ui-monospace, monospace; background: var(--code); padding: 1px 4px; border-radius: 4px; overflow-wrap: anywhere; }
.facts, small, .or { color: var(--faint); font-size: 13px; } .codes a { margin-right: 8px; font-family: ui-monospace, monospace; font-size: 13px; }
dl { margin: 0; } dt { margin-top: 8px; } dd { margin: 0 0 0 14px; } dd dl { border-left: 1px solid var(--line); padding-left: 10px; } details > summary { cursor: pointer; color: var(--accent); }
.samples { position: sticky; top: 16px; align-self: start; min-width: 0; background: var(--dark); color: var(--pale); border-radius: 10px; padding: 12px; } .samples h3 { color: #9fb2c4; }
pre { margin: 0; overflow: auto; max-height: 420px; font: 13px/1.5 ui-monospace, monospace; }
.tabs { display: flex; flex-wrap: wrap; gap: 4px; } .tabs input { position: absolute; opacity: 0; } .tabs label { order: 0; padding: 3px 10px; border-radius: 6px; cursor: pointer; color: #9fb2c4; }
.tabs pre { order: 1; width: 100%; display: none; padding-top: 8px; } .tabs input:checked + label { background: #223041; color: #fff; } .tabs input:checked + label + pre { display: block; } .tabs input:focus-visible + label { outline: 2px solid #4fc3a8; }
table { border-collapse: collapse; margin-top: 20px; } th, td { text-align: left; vertical-align: top; padding: 8px 12px; border-bottom: 1px solid var(--line); } tr:target { background: var(--code); }
@media (max-width: 1000px) { body { grid-template-columns: minmax(0, 1fr); } nav { position: static; height: auto; flex-flow: row wrap; border-right: 0; border-bottom: 1px solid var(--line); } .operation { grid-template-columns: minmax(0, 1fr); } main { padding: 16px; } .contents { columns: 1; } }
`;
