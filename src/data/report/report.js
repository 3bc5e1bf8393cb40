"use strict";
// What a page can do beside being read: sort, filter, and mark one run wherever it is drawn.  Nothing is written but
// attributes, classes and the text of what is made here.
(function () {
  var all = function (where, what) { return Array.prototype.slice.call(where.querySelectorAll(what)); };

  function value(row, column) {
    var cell = row.cells[column];
    if (!cell) return null;
    if (cell.hasAttribute("data-v")) return parseFloat(cell.getAttribute("data-v"));
    return cell.textContent.trim();
  }

  // What is not known stands last, whichever way.
  function compare(a, b, way) {
    var none = function (v) { return v === null || v === "" || v === "–" || v !== v; };
    if (none(a) || none(b)) return none(a) - none(b);
    if (typeof a === "number" && typeof b === "number") return way * (a - b);
    return way * String(a).localeCompare(String(b), "en", { numeric: true });
  }

  all(document, "table.sorts").forEach(function (table) {
    var heads = all(table.tHead, "th");
    heads.forEach(function (head, column) {
      var button = document.createElement("button");
      button.type = "button";
      while (head.firstChild) button.appendChild(head.firstChild);
      head.appendChild(button);
      button.addEventListener("click", function () {
        var way = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
        var body = table.tBodies[0];
        heads.forEach(function (other) { other.removeAttribute("aria-sort"); });
        head.setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
        Array.prototype.slice.call(body.rows)
          .map(function (row, at) { return { row: row, at: at, value: value(row, column) }; })
          .sort(function (a, b) { return compare(a.value, b.value, way) || a.at - b.at; })
          .forEach(function (item) { body.appendChild(item.row); });
      });
    });
  });

  all(document, ".filter").forEach(function (filter) {
    var table = filter.closest("section").querySelector("table.sorts");
    var input = filter.querySelector("input");
    filter.hidden = false;
    input.addEventListener("input", function () {
      var words = input.value.toLowerCase().split(/\s+/);
      Array.prototype.slice.call(table.tBodies[0].rows).forEach(function (row) {
        var text = row.textContent.toLowerCase();
        row.hidden = !words.every(function (word) { return text.indexOf(word) >= 0; });
      });
    });
  });

  function mark(from, on) {
    var run = from.closest ? from.closest("[data-r]") : null;
    var group = run && run.closest(".group");
    if (!group) return;
    group.classList.toggle("marking", on);
    all(group, '[data-r="' + run.getAttribute("data-r") + '"]').forEach(function (same) {
      same.classList.toggle("marked", on);
    });
  }
  ["pointerover", "focusin"].forEach(function (name) {
    document.addEventListener(name, function (event) { mark(event.target, true); });
  });
  ["pointerout", "focusout"].forEach(function (name) {
    document.addEventListener(name, function (event) { mark(event.target, false); });
  });

  function open() {
    var at = document.getElementById(location.hash.slice(1));
    for (var up = at; up; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
    if (at) at.scrollIntoView();
  }
  window.addEventListener("hashchange", open);
  if (location.hash.length > 1) open();
})();
