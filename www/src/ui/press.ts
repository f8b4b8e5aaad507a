/** Presses on the backdrop of a dialog, which close it. */

/** How far a pointer may move while it presses, in pixels. */
const STILL = 10;

/** Milliseconds after which a press is a long one, which asks for a menu. */
const SHORT = 500;

/**
 * Calls `close` for a press on the backdrop. A drag that begins or ends elsewhere, such as one that
 * selects text, a long press, a swipe and a pinch are none.
 */
export function onBackdropPress(dialog: HTMLDialogElement, close: () => void): void {
  let press: PointerEvent | undefined;
  const isOutside = (event: MouseEvent) => {
    // The backdrop has the dialog as its target, and so have its borders.
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
