// Draws every figure from the plotly JSON that stands beside it in the page.
"use strict";

document.querySelectorAll(".plot").forEach((plot) => {
  const spec = JSON.parse(plot.nextElementSibling.textContent);
  const layout = { ...spec.layout, autosize: true, height: plot.clientHeight };
  delete layout.width;
  const show = () => {
    const image = document.createElement("img");
    image.src = plot.dataset.drawing;
    image.alt = plot.getAttribute("aria-label");
    plot.replaceWith(image);
  };
  if (!window.Plotly) {
    show();
    return;
  }
  Plotly.newPlot(plot, spec.data, layout, { ...spec.config, responsive: true }).catch(show);
});
