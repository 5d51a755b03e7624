'use strict';
(function () {
var PAGE_ROWS = 50;

function all(selector, root) {
  return Array.from((root || document).querySelectorAll(selector));
}
function make(tag, text, name) {
  var element = document.createElement(tag);
  if (text) element.textContent = text;
  if (name) element.className = name;
  return element;
}
function makeButton(text, act, name) {
  var button = make('button', text, name);
  button.type = 'button';
  button.addEventListener('click', act);
  return button;
}
function grouped(n) {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ',');
}

/* ---- sorted tables ---- */

function key(row, at) {
  var cell = row.cells[at], s = cell.getAttribute('data-s');
  return s === null ? cell.textContent : Number(s);
}
function sort(table, heading, at) {
  var up = heading.getAttribute('aria-sort') !== 'ascending', body = table.tBodies[0];
  Array.from(table.tHead.rows[0].cells).forEach(function (h) { h.removeAttribute('aria-sort'); });
  heading.setAttribute('aria-sort', up ? 'ascending' : 'descending');
  Array.from(body.rows).sort(function (a, b) {
    var x = key(a, at), y = key(b, at);
    return (x < y ? -1 : x > y ? 1 : 0) * (up ? 1 : -1);
  }).forEach(function (row) { body.appendChild(row); });
}
all('table.sorted').forEach(function (table) {
  Array.from(table.tHead.rows[0].cells).forEach(function (heading, at) {
    var button = makeButton(heading.textContent, function () { sort(table, heading, at); });
    heading.textContent = '';
    heading.appendChild(button);
  });
});

/* ---- copies of paths ---- */

var said = make('p', '', 'faint');
said.setAttribute('role', 'status');
said.id = 'copied';
(document.querySelector('main') || document.body).append(said);

/* A page from the disk or an intranet may have no navigator.clipboard, or may not use it. */
function copy(text, from) {
  var done = function () { said.textContent = 'Copied ' + text; };
  var copySelection = function () {
    var area = make('textarea');
    area.value = text;
    from.after(area); /* within the dialog, if that is open */
    area.select();
    if (document.execCommand('copy')) done();
    area.remove();
    from.focus();
  };
  if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, copySelection);
  else copySelection();
}
function addCopy(root) {
  all('code[data-path]', root).forEach(function (code) {
    var path = code.getAttribute('data-path') || code.textContent, button;
    if (code.nextSibling && code.nextSibling.className === 'copy') return;
    button = makeButton('copy', function () {
      copy(path, button);
      button.textContent = 'copied';
      setTimeout(function () { button.textContent = 'copy'; }, 1500);
    }, 'copy');
    button.setAttribute('aria-label', 'copy ' + path);
    code.after(button);
  });
}

/* ---- lists of findings, page by page ---- */

var lists = all('.group .list').map(function (element) {
  var group = element.closest('.group'), rule = group.getAttribute('data-rule');
  var rows = all('li', element), list = {
    group: group, rule: rule, rows: rows, fits: rows, at: 0, ol: element.querySelector('ol'), element: element,
    remedy: element.previousElementSibling,
    levels: rows.map(function (row) { return row.getAttribute('data-level') || group.getAttribute('data-level'); })
  };
  all('.more', element).forEach(function (more) { more.remove(); });
  list.pager = make('div', '', 'pager');
  list.range = make('span');
  list.back = makeButton('previous', function () { turn(list, -1); });
  list.on = makeButton('next', function () { turn(list, 1); });
  list.back.setAttribute('aria-label', 'previous page, ' + rule);
  list.on.setAttribute('aria-label', 'next page, ' + rule);
  list.pager.append(list.back, list.range, list.on);
  element.appendChild(list.pager);
  return list;
});
function show(list) {
  var n = list.fits.length, rows = list.fits.slice(list.at, list.at + PAGE_ROWS);
  list.ol.replaceChildren.apply(list.ol, rows);
  addCopy(list.ol);
  list.pager.hidden = n <= PAGE_ROWS;
  list.range.textContent = grouped(list.at + 1) + ' to ' + grouped(list.at + rows.length) + ' of ' + grouped(n);
  list.back.disabled = list.at === 0;
  list.on.disabled = list.at + PAGE_ROWS >= n;
  list.element.hidden = !n;
  if (list.remedy.className === 'remedy') list.remedy.hidden = !n;
}
function turn(list, by) {
  list.at += by * PAGE_ROWS;
  show(list);
  list.group.scrollIntoView();
  if (document.activeElement === document.body) (by < 0 ? list.on : list.back).focus();
}
lists.forEach(show);

/* ---- the filter ---- */

var filter = document.getElementById('filter');
var total = lists.reduce(function (n, list) { return n + list.rows.length; }, 0);
var ever = filter ? Number(filter.getAttribute('data-s')) : 0;
function apply() {
  var wanted = document.getElementById('filter-words').value.toLowerCase().split(' ').filter(Boolean);
  var rule = document.getElementById('filter-rule').value, levels = {}, found = 0, groups = new Map();
  all('input[type=checkbox]', filter).forEach(function (box) { levels[box.value] = box.checked; });
  lists.forEach(function (list) {
    if (wanted.length && !list.texts)
      list.texts = list.rows.map(function (row) { return (list.rule + ' ' + row.textContent).toLowerCase(); });
    list.fits = rule && rule !== list.rule ? [] : list.rows.filter(function (row, i) {
      return levels[list.levels[i]] && wanted.every(function (word) { return list.texts[i].indexOf(word) >= 0; });
    });
    list.at = 0;
    show(list);
    found += list.fits.length;
    groups.set(list.group, (groups.get(list.group) || 0) + list.fits.length);
  });
  groups.forEach(function (n, group) {
    group.hidden = !n;
    if (n && (wanted.length || rule)) group.open = true;
  });
  document.getElementById('filter-none').hidden = found > 0;
  document.getElementById('filter-shown').textContent = grouped(found) + ' of ' + grouped(total) + ' listed' +
    (ever > total ? ', ' + grouped(ever) + ' found' : '');
}
if (filter) {
  filter.hidden = false;
  filter.addEventListener('input', apply);
  filter.addEventListener('submit', function (event) { event.preventDefault(); });
  filter.addEventListener('reset', function () { setTimeout(apply); });
  apply();
}

/* ---- pictures, enlarged ---- */

var figures = all('figure'), box = make('dialog'), at = 0;
var image = make('img'), caption = make('div'), counter = make('span');
function enlarge(index) {
  var figure;
  at = (index + figures.length) % figures.length;
  figure = figures[at];
  image.src = figure.querySelector('img').src;
  image.alt = figure.querySelector('img').alt;
  caption.replaceChildren();
  Array.from(figure.querySelector('figcaption').childNodes).forEach(function (node) {
    if (node.nodeName !== 'BUTTON') caption.appendChild(node.cloneNode(true));
  });
  addCopy(caption);
  counter.textContent = at + 1 + ' of ' + figures.length;
  if (!box.open) box.showModal();
  if (!box.contains(document.activeElement)) box.querySelector('button[autofocus]').focus();
}
function addLightbox() {
  var bar = make('div', '', 'pager');
  var close = makeButton('close', function () { box.close(); });
  close.autofocus = true;
  bar.append(makeButton('previous', function () { enlarge(at - 1); }), counter,
             makeButton('next', function () { enlarge(at + 1); }), close);
  box.append(image, bar, caption);
  box.setAttribute('aria-label', 'a mask, enlarged');
  box.addEventListener('keydown', function (event) {
    if (event.key === 'ArrowLeft') enlarge(at - 1);
    if (event.key === 'ArrowRight') enlarge(at + 1);
  });
  box.addEventListener('click', function (event) {
    if (event.target === box || event.target.closest('a')) box.close();
  });
  document.body.appendChild(box);
  figures.forEach(function (figure, index) {
    var button = makeButton('', function () { enlarge(index); }, 'enlarge');
    figure.querySelector('img').before(button);
    button.appendChild(figure.querySelector('img'));
    button.setAttribute('aria-label', 'enlarge ' + button.firstChild.alt);
  });
  document.addEventListener('click', function (event) {
    var link = event.target.closest('a[href^="#picture-"]');
    if (!link) return;
    event.preventDefault();
    enlarge(Number(link.hash.slice('#picture-'.length)));
  });
}
if (figures.length && box.showModal) addLightbox();
addCopy(document);

/* ---- links within the page ---- */

/* Shows the page of a finding that is not in the document, since another page of its list is. */
function turnTo(id) {
  lists.forEach(function (list) {
    var i = list.rows.findIndex(function (row) { return row.id === id; });
    if (i < 0) return;
    if (list.fits.indexOf(list.rows[i]) < 0) {
      filter.reset();
      apply();
    }
    list.at = i - i % PAGE_ROWS;
    show(list);
  });
}
function open() {
  var id = location.hash.slice(1), target, folded;
  if (!id) return;
  if (id.indexOf('finding-') === 0) turnTo(id);
  target = document.getElementById(id);
  folded = target && target.closest('details');
  if (!folded) return;
  folded.hidden = false;
  folded.open = true;
  target.scrollIntoView();
}
window.addEventListener('hashchange', open);
open();
})();
