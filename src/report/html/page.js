/* The page reads without this script; with it tables are sorted and drawn as they are scrolled to, figures tell their
 * numbers, and everything can be downloaded. Text of people is only ever set as textContent. */
"use strict";
(() => {
  const root = document.documentElement, THIN = "\u202f", MINUS = "\u2212", SVG = "http://www.w3.org/2000/svg";
  const WRITTEN_OUT = 50;

  /* Light and dark: what the system says, until the reader says otherwise. */
  const kept = {
    get theme() { try { return localStorage.getItem("gbv-theme"); } catch (e) { return null; } },
    set theme(name) { try { localStorage.setItem("gbv-theme", name); } catch (e) { /* it lasts for this page */ } },
  };
  if (kept.theme === "dark" || kept.theme === "light") root.dataset.theme = kept.theme;

  function offerTheme() {
    const button = document.getElementById("theme");
    const system = matchMedia("(prefers-color-scheme: dark)");
    const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
    const name = () => { button.textContent = dark() ? "Light theme" : "Dark theme"; };
    button.addEventListener("click", () => {
      root.dataset.theme = kept.theme = dark() ? "light" : "dark";
      name();
    });
    name();
    button.hidden = false;
  }

  /* Numbers as src/report/plain.c writes them. */
  function grouped(digits) {
    return digits.length > 4 ? digits.replace(/\B(?=(\d{3})+$)/g, THIN) : digits;
  }
  function plainNumber(value) {
    if (value === null || Number.isNaN(value)) return "\u2013";
    const sign = value < 0 ? MINUS : "", size = Math.abs(value);
    if (size === Infinity) return sign + "\u221e";
    if (size === 0) return "0";
    const [lead, power] = size.toExponential(2).split("e"), exponent = Number(power);
    if (exponent < -4 || exponent > 8) return sign + lead + "e" + (exponent < 0 ? MINUS : "") + Math.abs(exponent);
    return sign + (exponent > 2 ? grouped(size.toFixed(0)) : size.toFixed(2 - exponent));
  }
  function plainShare(value) {
    if (value === null || !Number.isFinite(value)) return plainNumber(value);
    let text;
    if (value > 0 && value < 0.00001) text = "<0.001";
    else if (value < 1 && value > 0.9995) text = ">99.9";
    else if (value === 1) text = "100";
    else if (value > 0 && value < 0.0995) text = (100 * value).toFixed(value < 0.000995 ? 3 : 2);
    else if (value >= 0.0995 && value < 1) text = (100 * value).toFixed(1);
    else text = plainNumber(100 * value);
    return text + THIN + "%";
  }
  function plain(kind, value) {
    if (kind === "count" && Number.isFinite(value) && value >= 0) return grouped(String(Math.trunc(value)));
    return kind === "share" || kind === "percent" ? plainShare(value) : plainNumber(value);
  }
  /* Infinities and words stand in the data as texts. */
  function numberOf(value) {
    if (typeof value === "number") return value;
    return value === "-inf" ? -Infinity : value === "inf" ? Infinity : null;
  }

  /* What a cell of text or badge says. */
  function wordOf(row, column) {
    const value = row[column.at];
    if (value === null) return "";
    return column.badges ? column.badges[value][0] : value;
  }

  function make(name, className, text) {
    const element = document.createElement(name);
    if (className) element.className = className;
    if (text !== undefined && text !== null) element.textContent = text;
    return element;
  }

  /* CSV: full numbers; a text that a spreadsheet would take for a formula gets an apostrophe. */
  function field(value) {
    if (value === null || value === undefined) return "";
    if (typeof value === "number") return String(value);
    const safe = /^[=+\-@\t\r]/.test(value) && value !== "-inf" ? "'" + value : value;
    return /[",\r\n]|^\s|\s$/.test(safe) ? '"' + safe.replace(/"/g, '""') + '"' : safe;
  }
  function download(name, lines) {
    const text = lines.map(line => line.map(field).join(",")).join("\r\n") + "\r\n";
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    link.download = "gbv-" + name + ".csv";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
  function downloadButton(what, lines, name) {
    const button = make("button", "", "Download CSV");
    button.type = "button";
    button.setAttribute("aria-label", "Download CSV: " + what);
    button.addEventListener("click", () => download(name, lines()));
    return button;
  }

  /* What is far down the page is made ready when it comes near. */
  function whenNear(element, then) {
    new IntersectionObserver((entries, observer) => {
      if (!entries.some(entry => entry.isIntersecting)) return;
      observer.disconnect();
      then();
    }, { rootMargin: "400px" }).observe(element);
  }

  const tables = new Map();

  class Table {
    constructor(box) {
      this.box = box;
      this.scroll = box.querySelector(".scroll");
      this.head = [...box.querySelectorAll("thead th")];
      this.body = box.querySelector("tbody");
      this.long = box.classList.contains("long");
      this.sorted = { column: -1, down: false };
      this.words = "";
      tables.set(box.id, this);
      this.head.forEach((cell, index) => this.offerSort(cell, index));
      this.offerTools();
      if (this.long) whenNear(box, () => this.begin());
    }

    /* Parsed when it is first asked for. */
    get data() {
      if (!this.parsed) {
        this.parsed = JSON.parse(this.box.querySelector("script").textContent);
        let at = 0;
        for (const column of this.parsed.columns) {
          column.at = at;
          at += 1 + (column.interval ? 2 : 0) + ("detail" in column ? 1 : 0);
        }
        this.order = this.parsed.rows.map((row, index) => index);
      }
      return this.parsed;
    }

    get caption() { return this.box.querySelector("caption").textContent; }

    offerSort(cell, index) {
      const button = make("button", "", cell.textContent);
      button.type = "button";
      if (cell.title) {
        button.dataset.tip = cell.title;
        cell.removeAttribute("title");
      }
      cell.textContent = "";
      cell.append(button);
      cell.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => this.sort(index));
    }

    offerTools() {
      const bar = make("div", "bar-of-table");
      if (this.long) {
        this.told = make("span");
        this.told.setAttribute("role", "status");
        const input = make("input");
        input.type = "search";
        input.placeholder = "Find";
        input.setAttribute("aria-label", "Find in the table: " + this.caption);
        input.addEventListener("input", () => { this.words = input.value.toLowerCase(); this.arrange(); });
        bar.append(input, this.told);
      }
      bar.append(downloadButton(this.caption, () => this.lines(), this.box.id));
      this.box.insertBefore(bar, this.long ? this.scroll : this.scroll.nextSibling);
    }

    lines() {
      const { columns, rows } = this.data, names = [];
      for (const column of columns) {
        names.push(column.name);
        if (column.interval) names.push(column.name + " low", column.name + " high");
        if ("detail" in column) names.push(column.detail || "detail");
      }
      const badges = columns.filter(column => column.badges);
      return [names, ...rows.map(row => {
        const line = [...row];
        for (const column of badges) line[column.at] = wordOf(row, column);
        return line;
      })];
    }

    sort(index) {
      const column = this.data.columns[index], text = column.kind === "text" || column.kind === "code";
      const again = this.sorted.column === index;
      this.sorted = { column: index, down: again ? !this.sorted.down : !text && column.kind !== "badge" };
      const order = this.sorted.down ? "descending" : "ascending";
      this.head.forEach((cell, i) => cell.setAttribute("aria-sort", i === index ? order : "none"));
      this.arrange();
    }

    /* What is found, in the order wanted; cells without a value come last. */
    arrange() {
      const { columns, rows } = this.data;
      this.order = [];
      const texts = columns.filter(column => column.kind === "text" || column.kind === "code" || column.badges);
      const found = row => texts.some(column => wordOf(row, column).toLowerCase().includes(this.words));
      for (let i = 0; i < rows.length; i++) if (!this.words || found(rows[i])) this.order.push(i);
      const by = columns[this.sorted.column], sign = this.sorted.down ? -1 : 1;
      if (by) {
        const isText = by.kind === "text" || by.kind === "code", collator = new Intl.Collator("en", { numeric: true });
        const keys = rows.map(row => (isText ? row[by.at] : numberOf(row[by.at])));
        this.order.sort((a, b) => {
          const x = keys[a], y = keys[b];
          if (x === null || y === null) return (x === null) - (y === null) || a - b;
          return sign * (isText ? collator.compare(x, y) : x < y ? -1 : x > y ? 1 : 0) || a - b;
        });
      }
      const [some, all] = [this.order.length, rows.length].map(count => grouped(String(count)));
      if (this.told) this.told.textContent = this.words ? some + " of " + all + " rows" : "";
      if (this.long) {
        this.begin();
        this.scroll.scrollTop = 0;
        this.draw(true);
      } else this.body.replaceChildren(...this.order.map(row => this.row(row)));
    }

    row(index) {
      const { columns, rows } = this.data, line = make("tr");
      columns.forEach((column, i) => line.append(this.cell(column, rows[index], i)));
      return line;
    }

    cell(column, row, index) {
      const cell = make(index ? "td" : "th", column.kind), raw = row[column.at], value = numberOf(raw);
      if (!index) cell.scope = "row";
      cell.dataset.name = column.name;
      const low = column.interval ? numberOf(row[column.at + 1]) : null;
      const high = column.interval ? numberOf(row[column.at + 2]) : null;
      const interval = low !== null && high !== null;
      if (column.kind === "badge") {
        if (value !== null) cell.append(make("span", "badge " + column.badges[value][1], column.badges[value][0]));
      } else if (column.kind === "text" || column.kind === "code") {
        const cut = this.long && raw && raw.length > 60;
        cell.textContent = cut ? raw.slice(0, 59) + "\u2026" : raw;
        if (cut) cell.dataset.tip = raw;
      } else {
        if (value === null && raw !== null) cell.textContent = raw;
        else if (column.kind === "share") this.share(cell, column, value, interval, low, high);
        else cell.textContent = plain(column.kind, value);
        if (value !== null) cell.dataset.tip = raw + (interval ? " (" + low + " to " + high + ")" : "");
      }
      if (interval && (low !== value || high !== value))
        cell.append(" ", make("small", "", plain(column.kind, low) + " to " + plain(column.kind, high)));
      const detail = "detail" in column ? row[column.at + (column.interval ? 3 : 1)] : null;
      if (detail) {
        const span = make("span", "detail");
        if (column.detail) span.append(make("i", "", column.detail + ":"), " ");
        span.append(detail);
        cell.append(" ", span);
      }
      return cell;
    }

    share(cell, column, value, interval, low, high) {
      if (Number.isFinite(value) && value !== null) {
        const svg = document.createElementNS(SVG, "svg"), bar = document.createElementNS(SVG, "rect");
        const scale = column.largest > 0 ? 100 / column.largest : 0;
        svg.setAttribute("class", "spark");
        svg.setAttribute("viewBox", "0 0 100 10");
        svg.setAttribute("preserveAspectRatio", "none");
        svg.setAttribute("aria-hidden", "true");
        bar.setAttribute("class", "bar");
        bar.setAttribute("width", Math.max(0, value) * scale);
        bar.setAttribute("height", 10);
        svg.append(bar);
        if (interval && Number.isFinite(low) && Number.isFinite(high)) {
          const line = document.createElementNS(SVG, "path");
          line.setAttribute("class", "interval");
          line.setAttribute("d", "M" + low * scale + " 5H" + high * scale);
          svg.append(line);
        }
        cell.append(svg);
      }
      cell.append(make("span", "", plainShare(value)));
    }

    /* From here on only the rows in sight exist; columns keep the widths that they have now. */
    begin() {
      if (this.drawn || !this.long) return;
      /* Rows from all over the table, so that what comes later fits, too. */
      const { rows } = this.data, step = Math.ceil(rows.length / 40);
      for (let i = rows.length - 1; i >= 0; i -= step) this.body.append(this.row(i));
      const widths = this.head.map(cell => cell.getBoundingClientRect().width + 8);
      this.height = this.body.rows[1].getBoundingClientRect().height || 36;
      this.drawn = new Map();
      const spacer = () => {
        const line = make("tr", "spacer"), cell = make("td");
        cell.colSpan = this.head.length;
        line.setAttribute("aria-hidden", "true");
        line.append(cell);
        return line;
      };
      this.spacers = { top: spacer(), bottom: spacer() };
      const table = this.body.parentNode;
      table.style.width = widths.reduce((sum, width) => sum + width, 0) + "px";
      table.style.tableLayout = "fixed";
      this.head.forEach((cell, i) => { cell.style.width = widths[i] + "px"; });
      this.box.classList.add("drawn");
      this.scroll.addEventListener("scroll", () => {
        if (this.waiting) return;
        this.waiting = requestAnimationFrame(() => {
          this.waiting = 0;
          this.box.classList.toggle("aside", this.scroll.scrollLeft > 0);
          this.draw(false);
        });
      }, { passive: true });
      this.draw(true);
    }

    draw(always) {
      const margin = 12, all = this.order.length, seen = Math.ceil(this.scroll.clientHeight / this.height);
      const first = Math.max(0, Math.min(all - seen, Math.floor(this.scroll.scrollTop / this.height)) - margin);
      if (!always && Math.abs(first - this.first) < margin / 2) return;
      this.first = first;
      const last = Math.min(all, first + seen + 2 * margin);
      const { top, bottom } = this.spacers;
      top.firstChild.style.height = first * this.height + "px";
      bottom.firstChild.style.height = (all - last) * this.height + "px";
      if (always) this.drawn.clear();
      if (!this.drawn.size) this.body.replaceChildren(top, bottom);
      for (const [i, row] of this.drawn)
        if (i < first || i >= last) {
          row.remove();
          this.drawn.delete(i);
        }
      /* Rows that stay are not touched, which is what makes it quick: new ones go before or after them. */
      const kept = this.drawn.size ? Math.min(...this.drawn.keys()) : last, before = [], after = [];
      for (let i = first; i < last; i++) {
        if (this.drawn.has(i)) continue;
        const row = this.row(this.order[i]);
        row.setAttribute("aria-rowindex", i + 2);
        this.drawn.set(i, row);
        (i < kept ? before : after).push(row);
      }
      top.after(...before);
      bottom.before(...after);
    }

    print(on) {
      if (!this.drawn) return;
      const table = this.body.parentNode;
      table.style.tableLayout = on ? "auto" : "fixed";
      if (on) this.body.replaceChildren(...this.order.slice(0, WRITTEN_OUT).map(row => this.row(row)));
      else this.draw(true);
    }
  }

  /* One matrix at a time, in both drawings and the table under them. */
  function offerMatrices(figure) {
    const data = JSON.parse(figure.querySelector("script").textContent), select = figure.querySelector("select");
    const width = data.columns.length, drawings = [...figure.querySelectorAll("svg")];
    const marks = drawings.map(svg => [...svg.querySelectorAll(".mark")]);
    const cells = [...figure.querySelectorAll(".matrix td")];
    data.names.forEach((name, i) => {
      if (!data.counts[i].length) return;
      const option = make("option", "", name);
      option.value = i;
      select.append(option);
    });
    function show() {
      const counts = data.counts[select.value];
      const sums = data.rows.map((row, i) => counts.slice(i * width, (i + 1) * width).reduce((sum, n) => sum + n, 0));
      counts.forEach((count, i) => {
        const row = Math.floor(i / width), tint = sums[row] ? count / sums[row] : 0, text = grouped(String(count));
        cells[i].textContent = count;
        for (const drawing of marks) {
          const mark = drawing[i], number = mark.querySelector("text");
          const column = data.columns[i % width];
          mark.dataset.tip = data.row + " " + data.rows[row] + ", " + data.column + " " + column + ": " + text;
          const title = mark.querySelector("title");
          if (title) title.remove();
          mark.querySelector("rect").setAttribute("fill-opacity", 0.8 * tint);
          if (number) number.textContent = count ? text : "";
        }
      });
      const label = data.caption + ", " + data.select.toLowerCase() + " " + data.names[select.value];
      for (const svg of drawings) svg.setAttribute("aria-label", label);
    }
    function lines() {
      const all = [[data.select, data.row, data.column, "rows"]];
      data.counts.forEach((counts, k) => counts.forEach((count, i) =>
        all.push([data.names[k], data.rows[Math.floor(i / width)], data.columns[i % width], count])));
      return all;
    }
    select.addEventListener("change", show);
    select.hidden = false;
    show();
    const bar = make("div", "bar-of-table");
    bar.append(downloadButton(data.caption, lines, figure.id));
    figure.append(bar);
  }

  /* One tooltip for all: under the pointer, or where the keyboard is. */
  function offerTips() {
    const tip = document.getElementById("tip");
    let on = null;
    function textOf(element) {
      const title = element.querySelector(":scope > title");
      if (title) {
        element.dataset.tip = title.textContent;
        title.remove();
      } else if (element.title) {
        element.dataset.tip = element.title;
        element.removeAttribute("title");
      }
      return element.dataset.tip;
    }
    function show(element, x, y) {
      if (on) on.classList.remove("on");
      on = element;
      const text = element && textOf(element);
      tip.hidden = !text;
      if (!text) return;
      if (element.classList.contains("mark")) element.classList.add("on");
      tip.textContent = text;
      const size = tip.getBoundingClientRect();
      tip.style.left = Math.max(4, Math.min(x + 12, innerWidth - size.width - 4)) + "px";
      tip.style.top = (y + 18 + size.height > innerHeight ? y - size.height - 10 : y + 18) + "px";
    }
    function showAt(element) {
      const box = element.getBoundingClientRect();
      show(element, box.left + Math.min(box.width / 2, 200), box.bottom - 12);
    }
    const holder = event => event.target.closest && event.target.closest(".mark, [data-tip], td[title], th[title]");
    document.addEventListener("pointermove", event => {
      const element = holder(event);
      if (element || (on && !on.contains(document.activeElement))) show(element, event.clientX, event.clientY);
    }, { passive: true });
    document.addEventListener("focusin", event => {
      const element = event.target.matches(":focus-visible") && holder(event);
      show(null);
      if (element) showAt(element);
    });
    document.addEventListener("focusout", () => show(null));
    document.addEventListener("keydown", event => { if (event.key === "Escape") show(null); });
    /* Arrow keys go from mark to mark of the figure that has the focus. */
    for (const svg of document.querySelectorAll("svg.fig")) {
      svg.setAttribute("tabindex", "0");
      let at = -1;
      svg.addEventListener("keydown", event => {
        const marks = svg.querySelectorAll(".mark");
        const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
        if (!step || !marks.length) return;
        event.preventDefault();
        at = Math.max(0, Math.min(marks.length - 1, at + step));
        showAt(marks[at]);
      });
    }
  }

  function offerPrint() {
    const button = document.getElementById("print");
    let opened = [];
    button.addEventListener("click", () => print());
    button.hidden = false;
    addEventListener("beforeprint", () => {
      opened = [...document.querySelectorAll("details:not([open])")].filter(box => !box.querySelector("table"));
      opened.forEach(box => { box.open = true; });
      tables.forEach(table => table.print(true));
    });
    addEventListener("afterprint", () => {
      opened.forEach(box => { box.open = false; });
      tables.forEach(table => table.print(false));
    });
  }

  document.addEventListener("DOMContentLoaded", () => {
    offerTheme();
    offerPrint();
    document.querySelectorAll(".table").forEach(box => new Table(box));
    document.querySelectorAll(".matrices").forEach(figure => whenNear(figure, () => offerMatrices(figure)));
    for (const place of document.querySelectorAll(".data[data-table]")) {
      const table = tables.get(place.dataset.table);
      if (!table) continue;
      const bar = make("span", "bar-of-table");
      bar.append(downloadButton(table.caption, () => table.lines(), table.box.id));
      place.append(" ", bar);
    }
    offerTips();
  });
})();
