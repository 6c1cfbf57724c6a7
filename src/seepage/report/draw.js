"use strict";
// Each chart's data stand in a JSON block beside it, so that no data is ever read as a script.
const axis = { zeroline: false, showline: false, ticks: "", automargin: true };
const ground = -0.04;
function layout(utility, tolerable) {
  return {
    height: 440,
    margin: { l: 56, r: 16, t: 16, b: 52 },
    showlegend: false,
    hovermode: "closest",
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: "Inter, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif", size: 13 },
    hoverlabel: { bgcolor: "#1d2b36", bordercolor: "#1d2b36", font: { color: "#ffffff" }, align: "left" },
    xaxis: { ...axis, title: { text: `utility of the joint model (${utility})` }, nticks: 7 },
    yaxis: { ...axis, title: { text: "advantage" }, range: [ground, 1.08], dtick: 0.2 },
    shapes: [{
      type: "rect", xref: "paper", x0: 0, x1: 1, y0: ground, y1: tolerable,
      fillcolor: "#1f9e89", opacity: 0.09, line: { width: 0 }, layer: "below",
    }],
    annotations: [{
      text: `at or below ${tolerable}`, xref: "paper", x: 0.006, y: tolerable,
      xanchor: "left", yanchor: "top", showarrow: false, font: { size: 12 },
    }],
  };
}
for (const place of document.querySelectorAll(".chart")) {
  const { data, utility, tolerable } = JSON.parse(place.querySelector("script").textContent);
  const canvas = place.querySelector(".canvas");
  Plotly.newPlot(canvas, data, layout(utility, tolerable), { displayModeBar: false, responsive: true });
  window.addEventListener("beforeprint", () => Plotly.Plots.resize(canvas));
}
window.addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll("details")) folded.open = true;
});
