/* The game in the browser: the same board that the plain form shows, without reloading the page.

   The server judges. A game is the token that it signed; what this script keeps beside it (the
   rows) is only for showing, and the next answer replaces it. The visitor's clock decides nothing
   either: it counts down to instants that the page was sent with.

   What the browser keeps, all in localStorage, none of it needed to play:
     costcodle.board.<mode>.<n>  one board: session, token, rows, and at its end the result
     costcodle.record            the player's own record: one entry per daily puzzle that ended
     stats                       the original game's totals, only read, and only once

   The functions that are exported are pure; tests import them. */

const MOST_GUESSES = 6;
const FIRST_DAY = Date.UTC(2023, 8, 21);
const DAY = 86_400_000;
const MOST_RECORD_CHARACTERS = 2_000_000;
const FORMAT = "costcodle-record-1";
const RECORD_KEY = "costcodle.record";
const ORIGINALS_KEY = "stats";
const REQUEST_TIMEOUT = 15_000;
const RETRY_AFTER = [5_000, 30_000, 120_000];

// Days, amounts and words

const dateOf = (number) => new Date(FIRST_DAY + (number - 1) * DAY).toISOString().slice(0, 10);
const numberAt = (instant) => Math.floor((instant - FIRST_DAY) / DAY) + 1;
const sum = (counts) => counts.reduce((total, count) => total + count, 0);
const plural = (count, noun, ending = "s") => `${count} ${noun}${count === 1 ? "" : ending}`;

/** A share in whole per cent, halves up, as the server rounds; null of nothing. */
export const percent = (part, whole) =>
  whole ? Math.floor((200 * part + whole) / (2 * whole)) : null;

/** The API's `1299.99` as `$1,299.99`. */
export const dollars = (decimal) => `$${decimal.replace(/\B(?=(\d{3})+\.)/g, ",")}`;

const inWords = ({ verdict, direction }) =>
  verdict === "win" ? "won" : `too ${direction === "up" ? "low" : "high"}, ${verdict}`;

/** What is left of a time in milliseconds: `5:04:09`, or `4:09` within the last hour. */
export function clockText(left) {
  const seconds = Math.max(0, Math.ceil(left / 1000));
  const parts = [Math.floor(seconds / 60) % 60, seconds % 60];
  const hours = Math.floor(seconds / 3600);
  const two = (part) => String(part).padStart(2, "0");
  return hours ? [hours, ...parts.map(two)].join(":") : `${parts[0]}:${two(parts[1])}`;
}

/** An instant by the visitor's own wall clock, with the weekday where it is not UTC's. */
function localTime(instant) {
  const { hourCycle } = new Intl.DateTimeFormat([], { hour: "numeric" }).resolvedOptions();
  const weekday = instant.getDay() === instant.getUTCDay() ? undefined : "long";
  const style = { weekday, hour: "numeric", minute: "2-digit", hourCycle };
  return `${new Intl.DateTimeFormat("en", style).format(instant)} your time`;
}

// The player's own record: pure

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isCount = (value, most = 99_999) => Number.isInteger(value) && value >= 0 && value <= most;
const isCounts = (value) =>
  Array.isArray(value) && value.length === MOST_GUESSES && value.every((count) => isCount(count));

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A record: finished daily games by puzzle number, and what was played before there were days. */
export const emptyRecord = () => ({ days: {}, earlier: null });

/** The record with a game that ended; what it knows of that day already stays. */
export function withDay(record, number, outcome, guesses) {
  const day = { date: dateOf(number), guesses, outcome };
  return { ...record, days: { [number]: day, ...record.days } };
}

/** Both records as one: ours where both know a day, the larger block of earlier totals. */
export function merged(ours, theirs) {
  const blocks = [ours.earlier, theirs.earlier].filter(Boolean);
  const [earlier = null] = blocks.sort((one, other) => other.played - one.played);
  return { days: { ...theirs.days, ...ours.days }, earlier };
}

/** Everything that is shown of a record on the day `today`; `rate` is null without a game. */
export function statistics({ days, earlier }, today) {
  const before = earlier ?? { played: 0, distribution: [], streak: 0, best: 0, until: 0 };
  const distribution = Array.from({ length: MOST_GUESSES }, (_, i) => before.distribution[i] ?? 0);
  for (const { outcome, guesses } of Object.values(days)) {
    if (outcome === "won") distribution[guesses - 1] += 1;
  }
  const played = Object.keys(days).length + before.played;
  const wins = sum(distribution);
  const totals = { played, wins, lost: played - wins, rate: percent(wins, played), distribution };
  return { ...totals, ...streaks(days, before, today) };
}

/* The earlier totals have no days in them. Their streak is taken to reach up to the day before
   they were taken over, so it goes on if that day is won, and is broken if it is missed or lost. */
function streaks(days, earlier, today) {
  const runs = new Map();
  const upTo = (day) => runs.get(day) ?? (day === earlier.until ? earlier.streak : 0);
  for (const day of Object.keys(days).map(Number).sort((one, other) => one - other)) {
    runs.set(day, days[day].outcome === "won" ? upTo(day - 1) + 1 : 0);
  }
  const streak = upTo(today in days ? today : today - 1);
  return { streak, best: Math.max(earlier.best, ...runs.values()) };
}

/** The original game's totals as a block that keeps wins = sum of the distribution and
    streak <= best <= wins, whatever it holds; null where it holds no game. */
export function earlierTotals(text, today) {
  const { numGames, winsInNum, currentStreak, maxStreak } = parsed(text) ?? {};
  const others = [numGames, currentStreak, maxStreak];
  if (!isCounts(winsInNum) || !others.every((count) => isCount(count))) return null;
  const wins = sum(winsInNum);
  const played = Math.max(numGames, wins);
  const best = Math.min(Math.max(maxStreak, currentStreak), wins);
  const streak = Math.min(currentStreak, best);
  return played ? { played, distribution: winsInNum, streak, best, until: today - 1 } : null;
}

/** A record as text, for the browser's storage and for a file. */
export const recordText = (record) => JSON.stringify({ format: FORMAT, ...record });

/** What can be read of a text, and whether all of it could: never raises. */
export function readRecord(text) {
  const source = String(text).length <= MOST_RECORD_CHARACTERS ? parsed(text) : null;
  if (!isObject(source) || source.format !== FORMAT || !isObject(source.days)) {
    return { record: emptyRecord(), isSound: false };
  }
  const all = Object.entries(source.days);
  const sound = all.filter(([number, day]) => isDay(number, day));
  const days = Object.fromEntries(
    sound.map(([number, { date, guesses, outcome }]) => [number, { date, guesses, outcome }]),
  );
  const earlier = readEarlier(source.earlier);
  const isSound = sound.length === all.length && (earlier !== null || source.earlier === null);
  return { record: { days, earlier }, isSound };
}

function isDay(number, day) {
  if (!/^[1-9][0-9]{0,3}$/.test(number) || day?.date !== dateOf(number)) return false;
  const isWon = day.outcome === "won" && isCount(day.guesses, MOST_GUESSES) && day.guesses > 0;
  return isWon || (day.outcome === "lost" && day.guesses === MOST_GUESSES);
}

function readEarlier(block) {
  if (!isObject(block) || !isCounts(block.distribution)) return null;
  const { played, distribution, streak, best, until } = block;
  if (![played, streak, best, until].every((count) => isCount(count))) return null;
  const wins = sum(distribution);
  const isPossible = wins <= played && streak <= best && best <= wins;
  return isPossible ? { played, distribution, streak, best, until } : null;
}

// One board: pure

const isPrice = (text) => typeof text === "string" && /^[0-9]{1,5}\.[0-9]{2}$/.test(text);

function readRow(row) {
  if (!isObject(row) || !isPrice(row.guess)) return null;
  const { guess, verdict, direction } = row;
  const isMiss = ["near", "far"].includes(verdict) && ["up", "down"].includes(direction);
  return isMiss || (verdict === "win" && direction === null) ? { guess, verdict, direction } : null;
}

function readResult(result) {
  if (!isObject(result)) return null;
  const { price, winning_range: range, share, share_in_words: words } = result;
  const isSound = isPrice(price) && isPrice(range?.low) && isPrice(range?.high);
  return isSound && typeof share === "string" && typeof words === "string" ? result : null;
}

/** `playing`, `won` or `lost`, from the rows alone. */
export function stateOf(rows) {
  if (rows.some((row) => row.verdict === "win")) return "won";
  return rows.length >= MOST_GUESSES ? "lost" : "playing";
}

/** The part of a game that an answer or the storage tells; null where it makes no sense. */
export function readProgress(source) {
  if (!isObject(source) || typeof source.token !== "string") return null;
  const rows = Array.isArray(source.guesses) ? source.guesses.map(readRow) : [];
  const result = readResult(source.result);
  const isSound = rows.length > 0 && rows.length <= MOST_GUESSES && !rows.includes(null);
  return isSound && (stateOf(rows) === "playing") === (result === null)
    ? { token: source.token, rows, result }
    : null;
}

function readDistribution(source) {
  return isObject(source) && isCounts(source.won) && isCount(source.lost) ? source : null;
}

/** The latest verdict, said in one breath, as the server says it. */
export function sentence(rows) {
  const said = `Guess ${rows.length}: ${dollars(rows.at(-1).guess)}`;
  const state = stateOf(rows);
  if (state === "won") return `${said}. You have won.`;
  const judged = `${said}, ${inWords(rows.at(-1))}.`;
  if (state === "lost") return `${judged} That was the last guess.`;
  return `${judged} ${plural(MOST_GUESSES - rows.length, "guess", "es")} left.`;
}

// What the browser keeps. Storage may be denied, full, or full of rubbish: then memory serves.

const memory = new Map();

const store = {
  get(key) {
    try {
      return memory.get(key) ?? window.localStorage.getItem(key);
    } catch {
      return null;
    }
  },
  set(key, text) {
    try {
      window.localStorage.setItem(key, text);
      memory.delete(key);
    } catch {
      memory.set(key, text);
    }
  },
};

const boardKey = (mode, number) => `costcodle.board.${mode}.${number}`;

const keptRecord = () => readRecord(store.get(RECORD_KEY)).record;

const keepRecord = (record) => store.set(RECORD_KEY, recordText(record));

function takeOverEarlierTotals(today) {
  const record = keptRecord();
  const earlier = record.earlier ? null : earlierTotals(store.get(ORIGINALS_KEY), today);
  if (earlier) keepRecord({ ...record, earlier });
}

/** A random UUID; `randomUUID` exists on secure origins only. */
function newSession() {
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return hex.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, "$1-$2-$3-$4-$5");
}

const freshGame = (session = newSession()) => ({ session, token: null, rows: [], result: null });

function keptGame(key) {
  const source = parsed(store.get(key));
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(source?.session)) return null;
  const progress = readProgress({ ...source, guesses: source.rows });
  if (progress) return { session: source.session, ...progress };
  return source.token === null ? freshGame(source.session) : null;
}

// Requests

/** The status, document and wait in milliseconds of an answer; raises where there is none. */
async function ask(url, body) {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), REQUEST_TIMEOUT);
  const sent = body && {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
  try {
    const response = await fetch(url, { ...sent, signal: ending.signal });
    const wait = Number(response.headers.get("Retry-After") ?? 0) * 1000 || 60_000;
    return { status: response.status, document: await response.json(), wait };
  } finally {
    clearTimeout(timer);
  }
}

// Elements

const find = (id) => document.getElementById(id);

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function drawText(box, text) {
  box.value = text;
  box.rows = text.split("\n").length;
}

function fill(root, texts) {
  for (const [slot, text] of Object.entries(texts)) {
    for (const found of root.querySelectorAll(`[data-slot="${slot}"]`)) found.textContent = text;
  }
}

function addLocalTimes(root) {
  for (const time of root.querySelectorAll("time[datetime*=T]")) {
    const instant = new Date(time.dateTime);
    if (instant.getTimezoneOffset()) time.after(` (${localTime(instant)})`);
  }
}

function drawRow(line, row) {
  if (!row) {
    delete line.dataset.verdict;
    line.replaceChildren(element("span", { class: "unseen" }, "not guessed yet"));
    return;
  }
  const arrow = { up: "↑", down: "↓" }[row.direction] ?? "✓";
  Object.assign(line.dataset, { verdict: row.verdict, direction: row.direction ?? "" });
  line.replaceChildren(
    element("span", { class: "guess" }, dollars(row.guess)),
    element("span", { class: "arrow", "aria-hidden": "true" }, arrow),
    element("span", { class: "words" }, inWords(row)),
  );
}

function bar(label, count, games, isMine) {
  const isLost = label === "X";
  const name = isLost ? element("abbr", { title: "not found" }, label) : label;
  const said = isLost ? "lost" : `won with ${label}`;
  const share = `${count} (${percent(count, games) ?? 0} %)${isMine ? " you" : ""}`;
  return element(
    "li",
    { class: "bar-line", ...(isMine && { "data-mine": "", "aria-current": "true" }) },
    element("span", { class: "bar-label" }, name),
    element("meter", { min: 0, max: games || 1, value: count, "aria-label": said }),
    element("span", {}, share),
  );
}

/** The bars of a distribution, as the server draws them: 1 to 6, then X for what was lost. */
function drawBars(list, { won, lost, games }, mine = "") {
  const labels = [...won.map((_, index) => String(index + 1)), "X"];
  const counts = [...won, lost];
  const lines = labels.map((label, index) => bar(label, counts[index], games, label === mine));
  list.replaceChildren(...lines);
}

function drawFigures(root, today) {
  const figures = statistics(keptRecord(), today);
  fill(root, { ...figures, rate: figures.rate === null ? "—" : `${figures.rate} %` });
  return figures;
}

// Sharing: success is told only when it happened; in the end the text stands selected

async function wasCopied(box) {
  try {
    await navigator.clipboard.writeText(box.value);
    return true;
  } catch {
    box.select(); // an origin without https has no clipboard but still knows this command
    try {
      return document.execCommand("copy");
    } catch {
      return false;
    }
  }
}

async function copy(box, said) {
  const button = document.activeElement;
  const isDone = await wasCopied(box);
  said.textContent = isDone
    ? "Copied."
    : "Your browser does not let us copy it. The text is selected: copy it from the box.";
  (isDone ? button : box).focus();
  if (!isDone) box.select();
}

async function share(box, said) {
  try {
    await navigator.share({ text: box.value });
    said.textContent = "Shared.";
  } catch (error) {
    if (error.name !== "AbortError") await copy(box, said); // an abort is the player's own wish
  }
}

function offerSharing(root) {
  const said = root.querySelector("#shared");
  for (const buttons of root.querySelectorAll("[data-shares]")) {
    const box = root.querySelector(`#${buttons.dataset.shares}`);
    const [sharing, copying] = buttons.children;
    sharing.hidden = !navigator.share;
    sharing.addEventListener("click", () => share(box, said));
    copying.addEventListener("click", () => copy(box, said));
    buttons.hidden = false;
  }
}

// The board

class Board {
  constructor(root) {
    const { puzzle, mode, today, endsAt, closesAt } = root.dataset;
    this.root = root;
    this.puzzle = Number(puzzle);
    this.isDaily = mode === "daily";
    this.isToday = today === "yes";
    this.endsAt = Date.parse(endsAt);
    this.closesAt = Date.parse(closesAt);
    this.key = boardKey(mode, puzzle);
    this.form = root.querySelector("#guessing");
    this.refusal = root.querySelector("#refusal");
    this.isBusy = this.isReporting = false;
    this.heldUntil = this.failures = 0;
    this.reportAt = Infinity;
  }

  /** The number of the day: the server's; the visitor's where the page does not tell it. */
  get today() {
    if (!this.isDaily) return numberAt(Date.now());
    return this.isToday ? this.puzzle : this.puzzle + 1;
  }

  get state() {
    return stateOf(this.game.rows);
  }

  start() {
    const rows = this.drawnRows();
    const token = this.form?.elements.token.value;
    this.game = (this.form && keptGame(this.key)) ?? freshGame();
    if (rows.length > this.game.rows.length) Object.assign(this.game, { token, rows });
    if (!this.form) return this.startFromEnd();
    this.field = this.form.elements.guess;
    this.keep();
    this.draw();
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.guess();
    });
  }

  /* The plain form was used: the server drew the end and recorded it. */
  startFromEnd() {
    const end = find("end");
    if (!end) return;
    this.noteResult();
    this.drawMine(end);
    offerSharing(end);
  }

  drawnRows() {
    return [...this.root.querySelectorAll(".row[data-verdict]")].map((line) => ({
      guess: line.querySelector(".guess").textContent.replace(/[$,]/g, ""),
      verdict: line.dataset.verdict,
      direction: line.dataset.direction || null,
    }));
  }

  keep() {
    store.set(this.key, JSON.stringify(this.game));
  }

  /** Take over what another tab has played further, or its session where neither has begun. */
  catchUp() {
    const kept = this.form && !this.isBusy && keptGame(this.key);
    const ahead = kept ? kept.rows.length - this.game.rows.length : -1;
    if (ahead < 0 || (ahead === 0 && kept.rows.length > 0)) return;
    const wasInField = document.activeElement === this.field;
    this.game = kept;
    if (ahead) this.draw();
    if (wasInField && this.state !== "playing") find("result").focus();
  }

  async guess() {
    if (this.isBusy || this.isHeld()) return;
    this.catchUp();
    if (this.state !== "playing") return;
    this.setBusy(true);
    const { token, session } = this.game;
    const guess = this.field.value;
    try {
      this.take(await ask(this.root.dataset.guessUrl, { guess, token, session }));
    } catch {
      this.refuse("We could not reach the server. Your guess is still here: send it again.");
    } finally {
      this.setBusy(false);
    }
  }

  take({ status, document: answer, wait }) {
    const progress = status === 200 ? readProgress(answer) : null;
    if (progress) return this.goOn(progress);
    const { code = "", message = "That did not work: send it again." } = answer?.error ?? {};
    if (status === 404 || status === 410) return this.close(message);
    if (code.startsWith("token_")) return this.startAgain("This game has to start again.");
    if (status === 429) this.heldUntil = Date.now() + wait;
    this.refuse(message, status === 400);
  }

  goOn(progress) {
    Object.assign(this.game, progress);
    this.keep();
    this.refuse("");
    this.field.value = "";
    this.draw();
    this.root.querySelector(`.row[data-turn="${progress.rows.length}"]`).classList.add("fresh");
    find("announcement").textContent = sentence(progress.rows);
    (this.state === "playing" ? this.field : find("result")).focus();
  }

  refuse(message, isWrong = false) {
    this.refusal.textContent = message;
    this.field.setAttribute("aria-invalid", String(isWrong));
    if (message) this.field.focus();
  }

  /** The window has closed: the board stays, the field goes. */
  close(message) {
    this.refuse(message);
    this.form.hidden = true;
    this.refusal.tabIndex = -1;
    this.refusal.focus();
  }

  startAgain(message) {
    this.game = freshGame();
    this.keep();
    find("end")?.remove();
    find("announcement").textContent = "";
    this.draw();
    this.refuse(message);
    this.field.focus();
  }

  setBusy(isBusy) {
    this.isBusy = this.field.readOnly = isBusy;
    this.form.toggleAttribute("data-busy", isBusy);
  }

  /** Whether the server has asked for a pause that is not over. */
  isHeld() {
    const wait = Math.ceil((this.heldUntil - Date.now()) / 1000);
    if (wait > 0) this.refuse(`Please wait for ${plural(wait, "second")}: it has cost no turn.`);
    return wait > 0;
  }

  draw() {
    const lines = this.root.querySelectorAll(".row");
    lines.forEach((line, index) => drawRow(line, this.game.rows[index]));
    this.form.hidden = this.state !== "playing";
    if (this.form.hidden) this.drawEnd();
  }

  drawEnd() {
    const { price, winning_range: range, share, share_in_words: words } = this.game.result;
    const end = find("end") ?? this.addEnd();
    end.dataset.state = this.state;
    find("result").textContent = this.state === "won" ? "You have won" : "Not this time";
    fill(end, { price: dollars(price), low: dollars(range.low), high: dollars(range.high) });
    drawText(find("share"), share);
    drawText(find("share-in-words"), words);
    this.noteResult();
    this.drawMine(end);
    this.report();
    this.tick();
  }

  addEnd() {
    this.root.append(find("end-template").content.cloneNode(true));
    const end = find("end");
    end.querySelector(".distribution").hidden = true;
    find("next")?.addEventListener("click", () => location.assign("/"));
    find("again")?.addEventListener("click", () => this.startAgain(""));
    offerSharing(end);
    addLocalTimes(end);
    return end;
  }

  /** A daily game enters the record; a practice game never does. */
  noteResult() {
    const { puzzle, state, game } = this;
    if (this.isDaily) keepRecord(withDay(keptRecord(), puzzle, state, game.rows.length));
  }

  drawMine(end) {
    end.querySelector(".mine").hidden = !this.isDaily;
    drawFigures(end, this.today);
  }

  /** Report a daily game, which may be repeated; ask how everyone did where it was for practice. */
  async report() {
    if (this.isReporting) return;
    this.isReporting = true;
    this.reportAt = Infinity;
    const { resultsUrl, statsUrl } = this.root.dataset;
    try {
      const asked = this.isDaily ? ask(resultsUrl, { token: this.game.token }) : ask(statsUrl);
      const { status, document: answer } = await asked;
      if (status === 429 || status >= 500) throw new Error("later");
      this.drawReport(answer);
    } catch {
      this.reportAt = Date.now() + (RETRY_AFTER[this.failures++] ?? RETRY_AFTER.at(-1));
    } finally {
      this.isReporting = false;
    }
  }

  drawReport(answer) {
    for (const told of document.querySelectorAll("[data-recorded]")) {
      told.hidden = told.dataset.recorded !== answer?.outcome;
    }
    const counted = readDistribution(this.isDaily ? answer?.distribution : answer);
    const everyone = find("end")?.querySelector(".distribution");
    if (!counted || !everyone) return;
    everyone.hidden = false;
    const list = everyone.querySelector(".bars") ?? element("ol", { class: "bars" });
    const score = this.state === "won" ? String(this.game.rows.length) : "X";
    const games = element("strong", {}, counted.games || "—");
    everyone.querySelector("p").replaceChildren("Games: ", games);
    drawBars(list, counted, this.isDaily ? score : "");
    everyone.append(list);
  }

  /** Once a second, and whenever the tab comes to the front. */
  tick() {
    const now = Date.now();
    if (this.heldUntil && now >= this.heldUntil) {
      this.heldUntil = 0;
      this.refuse("");
    }
    if (now >= this.reportAt) this.report();
    if (this.isDaily) this.tellTheTime(now);
  }

  tellTheTime(now) {
    const isOver = now >= this.endsAt;
    if (isOver && this.isToday) this.tellOfNewDay(now);
    fill(document, { left: now < this.closesAt ? `${clockText(this.closesAt - now)} left.` : "" });
    if (!find("next")) return;
    find("next").hidden = !isOver;
    find("countdown").hidden = isOver;
    fill(find("end"), { countdown: clockText(this.endsAt - now) });
  }

  tellOfNewDay(now) {
    const news = find("news");
    const phase = this.state !== "playing" ? "ended" : now < this.closesAt ? "open" : "closed";
    if (news.dataset.phase === phase) return;
    const link = element("a", { href: "/" }, "Play today’s item");
    const more = {
      ended: ".",
      open: ", or finish this board first: it counts for yesterday.",
      closed: "; this board has closed.",
    };
    news.dataset.phase = phase;
    news.replaceChildren("A new day has begun. ", link, more[phase]);
    if (phase === "open") find("until").append(" ", element("strong", { "data-slot": "left" }));
  }
}

// Yesterday's board on today's page, in the ten minutes after midnight

function tellOfYesterday(hint) {
  const left = Date.parse(hint.dataset.closesAt) - Date.now();
  const rows = keptGame(boardKey("daily", hint.dataset.puzzle))?.rows ?? [];
  hint.hidden = stateOf(rows) !== "playing" || left <= 0;
  fill(hint, { "yesterday-left": `${clockText(left)} left.` });
}

/* It may have ended while the server could not be reached; once reported, this changes nothing. */
function reportYesterday(hint, board) {
  const game = keptGame(boardKey("daily", hint.dataset.puzzle));
  if (game?.result) ask(board.root.dataset.resultsUrl, { token: game.token }).catch(() => {});
}

// Dialogs

function offerDialogs(today) {
  const tools = find("tools");
  if (!tools || !window.HTMLDialogElement) return;
  tools.hidden = false;
  for (const button of document.querySelectorAll("[data-opens]")) {
    button.addEventListener("click", () => openDialog(find(button.dataset.opens), today()));
  }
  for (const dialog of document.querySelectorAll("dialog")) {
    dialog.querySelector("[data-closes]").addEventListener("click", () => dialog.close());
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  }
  offerCarrying(today);
}

function openDialog(dialog, today) {
  if (dialog.id === "statistics") drawStatistics(today);
  dialog.showModal();
}

function drawStatistics(today) {
  const dialog = find("statistics");
  const record = keptRecord();
  const { distribution, lost, played } = drawFigures(dialog, today);
  drawBars(dialog.querySelector(".bars"), { won: distribution, lost, games: played });
  const earlier = record.earlier && plural(record.earlier.played, "earlier game");
  find("earlier").textContent = earlier ? `With ${earlier} that this browser knew in total.` : "";
  find("not-kept").hidden = !memory.has(RECORD_KEY);
  find("record-text").value = recordText(record);
}

function offerCarrying(today) {
  find("export").addEventListener("click", exportRecord);
  find("import").addEventListener("click", () => importRecord(find("record-text").value, today()));
  find("import-file").addEventListener("change", async ({ target }) => {
    const [file] = target.files;
    if (file) importRecord(await file.text(), today());
    target.value = "";
  });
}

function exportRecord() {
  const file = new Blob([recordText(keptRecord())], { type: "application/json" });
  const url = URL.createObjectURL(file);
  element("a", { href: url, download: "costcodle-record.json" }).click();
  setTimeout(() => URL.revokeObjectURL(url), REQUEST_TIMEOUT);
}

function importRecord(text, today) {
  const { record, isSound } = readRecord(text);
  const numbers = Object.keys(record.days).map(Number);
  const isPast = numbers.every((number) => number <= today + 1); // a tab may be open past midnight
  if (isSound && isPast) keepRecord(merged(keptRecord(), record));
  drawStatistics(today);
  find("carried").textContent =
    isSound && isPast
      ? `Read: ${plural(numbers.length, "day")}.`
      : "That is not a record of this game, or it is damaged. Nothing was changed.";
}

// The start

function start() {
  const root = find("board");
  const board = root && new Board(root);
  const hint = find("yesterday");
  const today = () => board?.today ?? numberAt(Date.now());
  const tick = () => {
    if (hint) tellOfYesterday(hint);
    board?.tick();
  };
  const wake = () => {
    board?.catchUp();
    tick();
  };
  if (board?.isToday) takeOverEarlierTotals(board.puzzle);
  board?.start();
  if (hint && board) reportYesterday(hint, board);
  for (const told of document.querySelectorAll("[data-local], #timer, #until")) addLocalTimes(told);
  offerDialogs(today);
  for (const type of ["focus", "pageshow", "online", "storage"]) addEventListener(type, wake);
  document.addEventListener("visibilitychange", wake);
  setInterval(tick, 1000);
  tick();
}

start();
