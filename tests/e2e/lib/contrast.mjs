// Contrast of text as WCAG 2 defines it, computed from what a browser draws.

/**
 * Texts below `root` whose contrast with what is behind them is less than `least`, as
 * `text: ratio`, and how many texts there are. Runs in the page: `root` is an element, whose shadow
 * root is searched if it has one.
 */
export function faintTexts(root, least) {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  /** Red, green, blue and alpha of a colour that the browser has computed, 0 to 255 and 0 to 1. */
  const channels = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue, alpha] = canvas.getImageData(0, 0, 1, 1).data;
    return { rgb: [red, green, blue], alpha: alpha / 255 };
  };
  const over = ({ rgb, alpha }, below) =>
    rgb.map((value, i) => value * alpha + below[i] * (1 - alpha));
  const luminance = (rgb) => {
    const [red, green, blue] = rgb.map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const above = (element) =>
    element.assignedSlot ?? element.parentElement ?? element.getRootNode().host;
  /** What is behind the text of an element, down to the first layer that hides what is below. */
  const behind = (element) => {
    const { rgb, alpha } = channels(getComputedStyle(element).backgroundColor);
    const next = alpha < 1 && above(element);
    return alpha === 1 ? rgb : over({ rgb, alpha }, next ? behind(next) : [255, 255, 255]);
  };
  const opacity = (element) =>
    Number(getComputedStyle(element).opacity) * (above(element) ? opacity(above(element)) : 1);

  const texts = [...(root.shadowRoot ?? root).querySelectorAll("*")].filter(
    (element) =>
      element.checkVisibility() &&
      !["STYLE", "SCRIPT"].includes(element.tagName) &&
      [...element.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim() !== ""),
  );
  const faint = texts.flatMap((element) => {
    const background = behind(element);
    const color = channels(getComputedStyle(element).color);
    color.alpha *= opacity(element);
    const [light, dark] = [luminance(over(color, background)), luminance(background)].sort(
      (a, b) => b - a,
    );
    const ratio = (light + 0.05) / (dark + 0.05);
    return ratio < least ? [`${element.textContent.slice(0, 30)}: ${ratio.toFixed(2)}`] : [];
  });
  return { faint, count: texts.length };
}
