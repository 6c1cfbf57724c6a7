"use strict";
// Each chart's figure stands in a JSON block beside it, so that no data is ever read as a script.
for (const place of document.querySelectorAll(".chart")) {
  const { data, layout, config } = JSON.parse(place.querySelector("script").textContent);
  const canvas = place.querySelector(".canvas");
  Plotly.newPlot(canvas, data, layout, config);
  window.addEventListener("beforeprint", () => Plotly.Plots.resize(canvas));
}
window.addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll("details")) folded.open = true;
});
