'use strict';
(function () {
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
document.querySelectorAll('table.sorted').forEach(function (table) {
  Array.from(table.tHead.rows[0].cells).forEach(function (heading, at) {
    var button = document.createElement('button');
    button.type = 'button';
    button.textContent = heading.textContent;
    heading.textContent = '';
    heading.appendChild(button);
    button.addEventListener('click', function () { sort(table, heading, at); });
  });
});
var filter = document.getElementById('filter');
if (filter) {
  var rows = Array.from(document.getElementById('finding-table').tBodies[0].rows);
  var texts = rows.map(function (row) { return row.textContent.toLowerCase(); });
  var words = document.getElementById('filter-words'), rule = document.getElementById('filter-rule');
  var boxes = Array.from(filter.querySelectorAll('input[type=checkbox]'));
  var shown = document.getElementById('filter-shown');
  var apply = function () {
    var wanted = words.value.toLowerCase().split(' '), levels = {}, n = 0;
    boxes.forEach(function (box) { levels[box.value] = box.checked; });
    rows.forEach(function (row, i) {
      var fits = levels[row.getAttribute('data-level')] &&
        (!rule.value || rule.value === row.getAttribute('data-rule')) &&
        wanted.every(function (word) { return texts[i].indexOf(word) >= 0; });
      row.hidden = !fits;
      n += fits ? 1 : 0;
    });
    shown.textContent = n + ' of ' + rows.length + ' shown';
  };
  filter.hidden = false;
  filter.addEventListener('input', apply);
  apply();
}
function open() {
  var at = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
  if (at && at.tagName === 'DETAILS') at.open = true;
}
window.addEventListener('hashchange', open);
open();
})();
