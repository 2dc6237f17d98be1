"""The page around a report: its frame and its style, for screens (light and dark) and print."""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
<noscript><style>iframe {{ display: none; }}</style></noscript>
</head>
<body>
{body}
<footer>Written by taskspace {version}.</footer>
</body>
</html>
"""

STYLE = """
:root { color-scheme: light dark;
  --ink: #22262d; --muted: #5d6570; --line: #dfe3e9; --ground: #fff; --card: #f6f8fa;
  --accent: #0072b2; --good: #00805d; --care: #a86200; --bad: #b93a00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e7ec; --muted: #a3abb7; --line: #343a44; --ground: #15181d; --card: #1d2128;
    --accent: #56b4e9; --good: #3cc79d; --care: #f0b040; --bad: #ff8a50; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 3rem 1.5rem; max-width: 62rem; background: var(--ground);
  color: var(--ink); font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { margin: 0 0 1rem; padding-bottom: .8rem; border-bottom: 3px solid var(--accent);
  font-size: 2rem; line-height: 1.2; letter-spacing: -.01em; overflow-wrap: anywhere; }
h2 { margin: 0 0 .7rem; font-size: 1.25rem; line-height: 1.3; }
p { margin: 0 0 .8rem; max-width: 46rem; }
.lead p { max-width: 50rem; font-size: 1.08rem; }
section, figure { margin: 2.4rem 0 0; min-width: 0; }
.lead { margin: 0; }
a { color: inherit; } a.term { text-decoration: underline dotted var(--muted);
  text-underline-offset: .2em; } a.term:hover { color: var(--accent); }
.good, .care, .bad, .unknown { padding: 1rem 1.2rem .3rem; border-left: 4px solid var(--muted);
  border-radius: 4px; background: var(--card); }
.good { border-color: var(--good); } .care { border-color: var(--care); }
.bad { border-color: var(--bad); }
:is(.good, .care, .bad, .unknown) h2::before { content: "●"; margin-right: .5rem; }
.good h2::before { color: var(--good); } .care h2::before { color: var(--care); }
.bad h2::before { color: var(--bad); } .unknown h2::before { color: var(--muted); }
.cards { display: grid; gap: 1rem; margin-top: .8rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 18rem), 1fr)); }
.card { padding: .9rem 1rem; border: 1px solid var(--line); border-radius: 8px; min-width: 0; }
.card h3 { margin: 0 0 .3rem; font-size: 1rem; overflow-wrap: anywhere; }
.card h3 i { display: inline-block; width: .7rem; height: .7rem; margin-right: .5rem;
  border-radius: 50%; }
.card p { margin: 0 0 .4rem; font-size: .92rem; line-height: 1.5; overflow-wrap: anywhere; }
.card p.example { color: var(--muted); } .card img { margin: .5rem 0; }
img { display: block; width: 100%; height: auto; }
.live { display: grid; grid-template: 34rem / 100%; } .live > * { grid-area: 1 / 1;
  width: 100%; height: 100%; } .live img { object-fit: contain; }
.live iframe { border: 1px solid var(--line); border-radius: 8px; }
figcaption, caption { margin-top: .6rem; color: var(--muted); font-size: .92rem; line-height: 1.5; }
caption { caption-side: bottom; text-align: left; }
.row { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr));
  column-gap: 1.6rem; align-items: start; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .95rem; font-variant-numeric: tabular-nums; }
th, td { padding: .38rem 1.4rem .38rem .5rem; border-bottom: 1px solid var(--line);
  text-align: left; vertical-align: top; overflow-wrap: anywhere; }
.numbers td, .numbers thead th + th { padding: .38rem .5rem .38rem 1.1rem; text-align: right; }
.numbers td, thead th, .short { white-space: nowrap; } .numbers tbody th { min-width: 7.5rem;
  overflow-wrap: break-word; } .words td:not(.short) { min-width: 9rem; }
.words tbody th { min-width: 10.5rem; }
.numbers table { min-width: min(100%, 34rem); } tbody th { font-weight: 500; }
thead th { color: var(--muted); font-weight: 600; font-size: .85rem; }
.settings tbody :is(th, td), pre { font: .85rem/1.5 ui-monospace, Menlo, Consolas, monospace; }
summary { cursor: pointer; color: var(--accent); } details .scroll { margin-top: .6rem; }
pre { margin: 0 0 .9rem; padding: .6rem .8rem; border: 1px solid var(--line); border-radius: 8px;
  background: var(--card); overflow-x: auto; }
.commands p { margin: 0 0 .3rem; }
dl { margin: 0; } dt { font-weight: 600; } dd { margin: 0 0 .7rem; max-width: 46rem; }
:target { background: var(--card); outline: 2px solid var(--accent); outline-offset: 4px; }
footer { margin-top: 3rem; padding-top: .8rem; border-top: 1px solid var(--line);
  color: var(--muted); font-size: .85rem; }
.contents { margin: 1.2rem 0 0; color: var(--muted); font-size: .92rem; line-height: 1.9; }
.contents a { margin-right: 1.1rem; white-space: nowrap; color: var(--accent);
  text-decoration: none; } .contents a:hover { text-decoration: underline; }
@media print {
  html { font-size: 9.5pt; }
  :root { --ink: #000; --muted: #444; --line: #ccc; --ground: #fff; --card: #fff;
    --accent: #0072b2; --good: #00805d; --care: #a86200; --bad: #b93a00; color-scheme: light; }
  @page { margin: 16mm; }
  body { max-width: none; padding: 0; } p, .lead p, dd { max-width: none; }
  .live iframe, .contents { display: none; } .live img { height: auto; }
  .live { display: block; }
  a.term { text-decoration: none; } section, figure { margin-top: 1.6rem; }
  .card i { print-color-adjust: exact; } .scroll { overflow: visible; }
  details::details-content { content-visibility: visible; display: block; }
  table { font-size: .85rem; } tbody :is(th, td) { min-width: 0 !important; }
  :is(.words, .numbers) :is(th, td) { padding: .25rem .8rem .25rem 0; }
  figure, tr, .card, pre, dt { break-inside: avoid; } h2, h3, dt { break-after: avoid; }
  .row { grid-template-columns: 1fr 1fr; } .cards { grid-template-columns: 1fr 1fr 1fr; }
  .words thead th { white-space: normal; overflow-wrap: normal; } .numbers table { min-width: 0; } }
"""
