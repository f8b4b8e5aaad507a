/** Keeps the page behind the dialog where it is: wheels, touches and keys do not scroll it. */

let restore: (() => void) | undefined;

/** Holds the page until `unlockScroll` is called. */
export function lockScroll(): void {
  if (restore) return;
  const { documentElement: root, body } = document;
  const scrolls = (element: HTMLElement) => getComputedStyle(element).overflowY !== "visible";
  // The window takes its overflow from the body, unless the root has its own.
  const owner = !scrolls(root) && scrolls(body) ? body : root;
  const kept: (() => void)[] = [];
  const set = (element: HTMLElement, name: string, value: string) => {
    const { style } = element;
    const [before, priority] = [style.getPropertyValue(name), style.getPropertyPriority(name)];
    kept.push(() => style.setProperty(name, before, priority));
    style.setProperty(name, value, "important");
  };
  // The space of a scroll bar is kept, so that the page keeps its width.
  if (innerWidth > root.clientWidth) set(root, "scrollbar-gutter", "stable");
  set(owner, "overflow", "hidden");
  restore = () => {
    for (const undo of kept) undo();
  };
}

/** Lets the page scroll again. */
export function unlockScroll(): void {
  restore?.();
  restore = undefined;
}
