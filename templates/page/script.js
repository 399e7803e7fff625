"use strict";
// Sorting and searching. The page is complete without it.
const table = document.querySelector("table.entries");
const body = table.tBodies[0];
const heads = [...table.tHead.rows[0].cells];

// What a cell is sorted by: its number if it has one, else its text.
function value(row, column) {
  const cell = row.cells[column];
  return cell.dataset.value === undefined ? cell.textContent.trim() : Number(cell.dataset.value);
}

function sort(column, descending) {
  const compare = new Intl.Collator("en", {numeric: true}).compare;
  const rows = [...body.rows].sort((a, b) => {
    const [x, y] = [value(a, column), value(b, column)];
    const order = typeof x === "number" ? x - y : compare(x, y);
    return descending ? -order : order;
  });
  body.append(...rows);
  heads.forEach((head, at) => {
    if (at === column) head.setAttribute("aria-sort", descending ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  });
}

table.classList.add("live");
heads.forEach((head, column) => {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...head.childNodes);
  head.append(button);
  button.addEventListener("click", () => {
    const now = head.getAttribute("aria-sort");
    // Numbers are asked for from the top, words from A.
    sort(column, now === null ? head.classList.contains("number") : now === "ascending");
  });
});

const search = document.createElement("input");
search.type = "search";
search.placeholder = "Search in all columns";
search.setAttribute("aria-label", search.placeholder);
const found = document.createElement("output");
search.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const row of body.rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
    if (!row.hidden) shown += 1;
  }
  found.value = words.length ? `${shown} of ${body.rows.length}` : "";
});
document.querySelector(".tools").append(search, found);

// A row that is hidden by a search cannot be jumped to.
document.querySelector(".map").addEventListener("click", () => {
  search.value = "";
  search.dispatchEvent(new Event("input"));
});
