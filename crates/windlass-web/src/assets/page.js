// What a page does beyond being read: it lets a browser in, goes on by itself, asks before it acts, and copies.
const find = (selector, from = document) => from.querySelector(selector);
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const keyName = "windlass-key";
const body = document.body;
const stored = (name) => { try { return localStorage.getItem(name); } catch { return null; } };

// What somebody asked for is answered where they see it.
function say(text) {
  const place = find("#said");
  if (place && text) place.textContent = text;
}
// What goes on by itself is told to whoever does not see it: the newest line, at most every ten seconds.
let spoken = 0, waiting = "", first = true;
function tell(text) {
  const place = find("#told");
  if (!place || !text) return;
  if (first) { first = false; place.dataset.last = text; return; }
  if (place.dataset.last === text) return;
  const rest = spoken + 10000 - Date.now();
  if (rest > 0) {
    if (!waiting) setTimeout(() => { const last = waiting; waiting = ""; tell(last); }, rest);
    waiting = text;
    return;
  }
  place.dataset.last = place.textContent = text;
  spoken = Date.now();
}

async function post(address, value, headers = {}) {
  return fetch(address, {
    method: "POST", body: JSON.stringify(value), credentials: "same-origin", cache: "no-store",
    headers: { "content-type": "application/json", ...headers },
  });
}

// --- coming in ---------------------------------------------------------------------------------------------------
// What stands behind the #, gone from the address before anything else happens.
function taken(name) {
  const value = new URLSearchParams(location.hash.slice(1)).get(name);
  if (value) history.replaceState(null, "", location.pathname + location.search);
  return value;
}
async function comeIn() {
  const code = taken("code");
  if (!code) return;
  try {
    const answer = await post("/session", { code });
    if (answer.ok) {
      try { localStorage.setItem(keyName, (await answer.json()).key); } catch { say("This browser stores nothing: it can only look."); }
      location.reload();
    } else {
      say((await answer.text()).trim());
    }
  } catch { say("The page does not answer."); }
}
await comeIn();

// --- clocks ------------------------------------------------------------------------------------------------------
function duration(seconds) {
  const [d, h, m, s] = [Math.floor(seconds / 86400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60];
  if (d) return `${d}d${h}h`;
  if (h) return `${h}h${String(m).padStart(2, "0")}m`;
  if (m) return `${m}m${String(s).padStart(2, "0")}s`;
  return `${s}s`;
}
function tick() {
  for (const one of all("[data-since]")) one.textContent = duration(Math.max(0, (Date.now() - Number(one.dataset.since)) / 1000));
}
setInterval(() => { if (!document.hidden) tick(); }, 1000);

// --- what comes in -----------------------------------------------------------------------------------------------
function parsed(html) {
  const template = document.createElement("template");
  // Made by the server, which escapes whatever others wrote.
  template.innerHTML = html;
  return template.content;
}
// What is the same stays, so that whoever reads or types there is not disturbed.
function put(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  const same = old.nodeType === 1 && fresh.nodeType === 1 && old.tagName === fresh.tagName && old.id === fresh.id;
  if (!same) { old.replaceWith(fresh); return; }
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && !(name === "open" && old.tagName === "DETAILS")) old.removeAttribute(name);
  for (const { name, value } of [...fresh.attributes]) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  const olds = [...old.childNodes], news = [...fresh.childNodes];
  for (let at = 0; at < Math.max(olds.length, news.length); at++) {
    if (!news[at]) olds[at].remove();
    else if (!olds[at]) old.append(news[at]);
    else put(olds[at], news[at]);
  }
}
const rowsKept = 600;
function add(list, piece) {
  const below = document.documentElement;
  const atEnd = below.scrollHeight - below.scrollTop - below.clientHeight < 80;
  list.append(parsed(piece.html));
  while (list.children.length > rowsKept) list.firstElementChild.remove();
  if (find("#follow")?.checked && atEnd) scrollTo(0, below.scrollHeight);
}

let stream = null, cursor = "", retry = 0;
function open() {
  const address = body.dataset.live;
  if (!address || stream || document.hidden) return;
  const url = new URL(address, location.origin);
  if (cursor) url.searchParams.set("from", cursor);
  stream = new EventSource(url);
  stream.onopen = () => { retry = 0; body.dataset.on = "yes"; };
  stream.onerror = () => {
    close();
    retry = Math.min(30, retry ? retry * 2 : 1);
    setTimeout(open, retry * 1000);
    if (retry >= 8) say("Not live: the page does not answer, or too many pages are open.");
  };
  const take = (work) => (event) => {
    const piece = JSON.parse(event.data), place = document.getElementById(piece.id);
    if (piece.seq) body.dataset.seq = piece.seq;
    if (event.lastEventId && piece.id === "rows") cursor = event.lastEventId;
    if (place) work(place, piece);
    dress(); tick(); tell(piece.said);
  };
  stream.addEventListener("put", take((place, piece) => put(place, parsed(piece.html).firstElementChild)));
  stream.addEventListener("add", take(add));
  stream.addEventListener("over", () => { body.dataset.live = ""; close(); tell("The call is over."); });
}
function close() { stream?.close(); stream = null; delete body.dataset.on; }
// A hidden page costs nobody anything; it goes on where it was.
document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
addEventListener("pagehide", close);
addEventListener("pageshow", (event) => { if (event.persisted) open(); });

// --- acting ------------------------------------------------------------------------------------------------------
const asking = find("#ask");
let busy = false;
async function act(button) {
  if (busy || asking.open) return;
  const action = JSON.parse(button.dataset.action), { asks, field, value } = button.dataset;
  if (asks || field) {
    find("#ask-title").textContent = button.textContent.trim();
    find("#ask-text").textContent = asks;
    const [input, label] = [find("#ask-value"), find("#ask-label")];
    input.hidden = label.hidden = !field;
    input.value = value;
    asking.returnValue = "no";
    asking.showModal();
    await new Promise((done) => asking.addEventListener("close", done, { once: true }));
    if (asking.returnValue !== "yes") return;
    if (field) action[field] = input.value;
  }
  busy = true;
  button.disabled = true;
  // Drawn once: said again after a lost answer, it is the same wish.
  const once = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const wish = { action, seq: Number(body.dataset.seq), once };
  try {
    for (let go = 0; go < 3; go++) {
      try {
        const answer = await post(`/r/${body.dataset.run}/act`, wish, { "x-windlass-key": stored(keyName) ?? "" });
        const text = await answer.text();
        let said = text;
        try { said = JSON.parse(text).said; } catch { /* a sentence */ }
        say(said.trim());
        if (answer.status === 202) { await new Promise((done) => setTimeout(done, 1000)); continue; }
        break;
      } catch {
        say("The page does not answer; asking again.");
        await new Promise((done) => setTimeout(done, 1000));
      }
    }
  } finally { busy = false; button.disabled = false; }
}
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button");
  if (button?.id === "leave") asking.close("no");
  else if (button?.dataset.action) act(button);
  else if (button?.dataset.copy) {
    try { await navigator.clipboard.writeText(button.dataset.copy); say("Copied."); } catch { say("This browser does not copy: mark it by hand."); }
  }
});
// What takes a script is shown where there is one, and the key to act.
function dress() {
  for (const one of all("[data-action]")) one.hidden = !stored(keyName);
  const follow = find("#follow");
  if (follow) follow.hidden = false;
}

// --- places in a transcript ---------------------------------------------------------------------------------------
function goTo() {
  const place = /^#o=(\d+)/.exec(location.hash);
  if (!place || !find("#rows")) return;
  const row = document.getElementById(location.hash.slice(1));
  if (row) row.scrollIntoView();
  else if (new URLSearchParams(location.search).get("from") !== place[1]) location.replace(`${location.pathname}?from=${place[1]}${location.hash}`);
}

goTo();
dress();
tick();
open();

// --- what a notification leads to: the question, never the action itself ----------------------------------------------
function question() {
  const wanted = { resume: ["resume", "raise", "accept"], stop: ["stop-after"] }[taken("do")];
  if (!wanted) return;
  const button = all("#head [data-action]").find((one) => !one.hidden && wanted.includes(JSON.parse(one.dataset.action).do));
  if (button) act(button); else say("There is nothing to ask here now, or this browser may only look.");
}
question();
// A link that is opened where this address is open already loads nothing anew.
addEventListener("hashchange", () => { comeIn(); goTo(); question(); });
