/** Presses on the backdrop of a dialog, which close it. */

/** Largest movement of a pointer during a press, in pixels. */
const STILL = 10;

/** Milliseconds after which a press counts as a long one, which opens a menu. */
const SHORT = 500;

/**
 * Calls `close` for a press on the backdrop. A drag that begins or ends elsewhere (for example to
 * select text), a long press, a swipe and a pinch do not count.
 */
export function onBackdropPress(dialog: HTMLDialogElement, close: () => void): void {
  let press: PointerEvent | undefined;
  const isOutside = (event: MouseEvent) => {
    // Events on the backdrop have the dialog as their target, and so do events on the dialog's
    // borders.
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    const { clientX: x, clientY: y } = event;
    return event.target === dialog && (x < left || x > right || y < top || y > bottom);
  };
  dialog.addEventListener("pointerdown", (event) => {
    press = event.isPrimary && event.button === 0 && isOutside(event) ? event : undefined;
  });
  dialog.addEventListener("pointercancel", () => {
    press = undefined;
  });
  dialog.addEventListener("click", (event) => {
    const from = press;
    press = undefined;
    if (!from || !isOutside(event)) return;
    const way = Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY);
    if (way < STILL && event.timeStamp - from.timeStamp < SHORT) close();
  });
}
