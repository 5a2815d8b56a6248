"use strict";
(() => {
  const root = document.documentElement;

  // Light and dark. Some browsers keep nothing for files on disk: the choice then lasts as long as the page.
  const remembered = {
    get() { try { return localStorage.getItem("subspan-theme"); } catch { return null; } },
    set(theme) { try { localStorage.setItem("subspan-theme", theme); } catch { return; } },
  };
  const button = document.getElementById("theme");
  const isDark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const show = () => { button.textContent = isDark() ? "Light page" : "Dark page"; };
  if (["light", "dark"].includes(remembered.get())) root.dataset.theme = remembered.get();
  button.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    remembered.set(root.dataset.theme);
    show();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  show();
  button.hidden = false;

  // Tables whose headings sort their rows.
  const value = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent : Number(cell.dataset.value);
  };
  const compare = (a, b) => {
    if (typeof a === "string" || typeof b === "string") return String(a).localeCompare(String(b), undefined, { numeric: true });
    return (Number.isNaN(a) ? -Infinity : a) - (Number.isNaN(b) ? -Infinity : b);
  };
  const sort = (table, column, direction) => {
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row) => [value(row, column), row]);
    rows.sort((a, b) => direction * compare(a[0], b[0]));
    body.append(...rows.map((pair) => pair[1]));
  };
  for (const heading of document.querySelectorAll("table.sortable thead th")) {
    const press = document.createElement("button");
    press.type = "button";
    press.append(...heading.childNodes);
    heading.append(press);
    press.addEventListener("click", () => {
      const upwards = heading.getAttribute("aria-sort") === "descending" || heading.dataset.first === "up" && !heading.hasAttribute("aria-sort");
      for (const other of heading.parentNode.children) other.removeAttribute("aria-sort");
      heading.setAttribute("aria-sort", upwards ? "ascending" : "descending");
      sort(heading.closest("table"), heading.cellIndex, upwards ? 1 : -1);
    });
  }

  // What is under the pointer, in words; and its cluster among the points of the embedding.
  const tip = document.createElement("div");
  tip.id = "tip";
  tip.hidden = true;
  document.body.append(tip);
  const clouds = Array.from(document.querySelectorAll(".cloud"));
  const choose = (cluster) => {
    for (const cloud of clouds) {
      cloud.classList.toggle("chosen", cloud.dataset.cluster === cluster);
      cloud.parentNode.classList.toggle("fades", cluster !== undefined);
    }
  };
  document.addEventListener("pointerover", (event) => {
    const told = event.target.closest("[data-tip]");
    tip.hidden = !told;
    if (told) tip.textContent = told.dataset.tip;
    const marked = event.target.closest("[data-cluster]");
    choose(marked ? marked.dataset.cluster : undefined);
  });
  document.addEventListener("pointermove", (event) => {
    const room = root.clientWidth - tip.offsetWidth - 8;
    tip.style.left = Math.max(8, Math.min(event.clientX + 14, room)) + "px";
    tip.style.top = Math.max(8, event.clientY - tip.offsetHeight - 12) + "px";
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });

  // Paper has nothing to open.
  addEventListener("beforeprint", () => { for (const part of document.querySelectorAll("details")) part.open = true; });
})();
