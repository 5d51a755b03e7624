'use strict';
(function () {
function all(selector, root) {
  return Array.from((root || document).querySelectorAll(selector));
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
    var button = document.createElement('button');
    button.type = 'button';
    button.textContent = heading.textContent;
    button.addEventListener('click', function () { sort(table, heading, at); });
    heading.replaceChildren(button);
  });
});

/* ---- the filter ---- */

var filter = document.getElementById('filter');
var findings = all('.group li').map(function (row) {
  var group = row.closest('.group');
  return { row: row, rule: group.getAttribute('data-rule'), level: row.getAttribute('data-level') || group.getAttribute('data-level') };
});
function apply() {
  var wanted = document.getElementById('filter-words').value.toLowerCase().split(' ').filter(Boolean);
  var rule = document.getElementById('filter-rule').value, ever = Number(filter.getAttribute('data-s')), levels = {}, found = 0;
  all('input[type=checkbox]', filter).forEach(function (box) { levels[box.value] = box.checked; });
  findings.forEach(function (f) {
    if (wanted.length && !f.text) f.text = (f.rule + ' ' + f.row.textContent).toLowerCase();
    f.row.hidden = !levels[f.level] || (rule && rule !== f.rule) ||
      !wanted.every(function (word) { return f.text.indexOf(word) >= 0; });
    found += !f.row.hidden;
  });
  all('.group, .list, .more').forEach(function (element) {
    var before = element.previousElementSibling;
    element.hidden = !element.querySelector('li:not([hidden])');
    if (before && before.className === 'remedy') before.hidden = element.hidden;
    if (!element.hidden && element.open === false && (wanted.length || rule)) element.open = true;
  });
  document.getElementById('filter-none').hidden = found > 0;
  document.getElementById('filter-shown').textContent = grouped(found) + ' of ' + grouped(findings.length) + ' listed' +
    (ever > findings.length ? ', ' + grouped(ever) + ' found' : '');
}
if (filter) {
  filter.hidden = false;
  filter.addEventListener('input', apply);
  filter.addEventListener('submit', function (event) { event.preventDefault(); });
  filter.addEventListener('reset', function () { setTimeout(apply); });
  apply();
}

/* ---- links within the page: what they lead to is shown, though it is folded or filtered out ---- */

function open() {
  var target = document.getElementById(location.hash.slice(1));
  for (var element = target; element; element = element.parentElement) {
    element.hidden = false;
    if (element.open === false) element.open = true;
  }
  if (target) target.scrollIntoView();
}
window.addEventListener('hashchange', open);
open();
})();
