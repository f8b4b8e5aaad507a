// The page of the demo: questions to click, and what the searches have cost so far.

const search = document.querySelector("findling-search");
for (const button of document.querySelectorAll(".ask")) {
  button.addEventListener("click", () => search.show(button.textContent));
}
// Shows what the searches have cost so far.
const total = { bytes: 0, requests: 0, searches: 0 };
addEventListener("findling-search", ({ detail: { stats } }) => {
  total.bytes += stats.bytesFetched;
  total.requests += stats.requests;
  total.searches++;
  const answers = `${total.searches} ${total.searches === 1 ? "answer" : "answers"}`;
  const index = `${(total.bytes / 1000).toFixed(0)} kB of index in ${total.requests} requests`;
  const last = `${stats.ms.total.toFixed(0)} ms for the last answer`;
  const encoder = stats.encoder ? `, meaning by ${stats.encoder}` : "";
  document.querySelector("#about").textContent = "";
  document.querySelector("#cost").textContent = `${answers}: ${index}, ${last}${encoder}.`;
});
