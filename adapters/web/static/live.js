// Makes pages live where it may; everything here also works without it.
"use strict";

const main = document.querySelector("main");
const news = document.querySelector("[data-news]");
const lost = document.querySelector("[data-lost]");

// A page somebody writes on, or has opened something in, is not changed under their hands.
const busy = () =>
  main.querySelector("details[open]") !== null ||
  main.contains(document.activeElement) && document.activeElement.matches("input, textarea, select, button") ||
  [...main.querySelectorAll("textarea, input[name=reason], input[name=statement]")].some((field) => field.value !== "");

let wanted = false;
let loading = false;

async function renew() {
  if (loading) { wanted = true; return; }
  if (busy()) { news.hidden = false; return; }
  loading = true;
  try {
    const answer = await fetch(location.href, { credentials: "same-origin" });
    if (answer.status === 401) { location.reload(); return; }
    if (!answer.ok || busy()) { news.hidden = false; return; }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    main.replaceChildren(...page.querySelector("main").childNodes);
    news.hidden = true;
    enhance();
  } catch (error) {
    lost.hidden = false;
  } finally {
    // while a long history is folded the page is asked for once a second, not at every step
    setTimeout(() => {
      loading = false;
      if (wanted) { wanted = false; renew(); }
    }, 1000);
  }
}

function enhance() {
  for (const form of main.querySelectorAll("form[data-once]")) {
    form.addEventListener("submit", (event) => {
      if (form.dataset.sent) { event.preventDefault(); return; }
      form.dataset.sent = "yes";
    });
  }
  for (const form of main.querySelectorAll("form[data-slide]")) {
    const slider = form.querySelector("input[type=range]");
    slider.addEventListener("input", () => { form.querySelector("output").textContent = slider.value; });
    slider.addEventListener("change", () => form.requestSubmit());
  }
}

addEventListener("pageshow", (event) => {
  if (event.persisted) document.querySelectorAll("form[data-sent]").forEach((form) => delete form.dataset.sent);
});
enhance();

const where = document.body.dataset.live;
if (where) {
  const stream = new EventSource(where);
  let first = true;
  stream.addEventListener("moved", renew);
  stream.addEventListener("open", () => { lost.hidden = true; if (!first) renew(); first = false; });
  stream.addEventListener("error", () => { lost.hidden = false; });
  addEventListener("pagehide", () => stream.close());
}
