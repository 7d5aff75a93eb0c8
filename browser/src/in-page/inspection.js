// Runs inside a page before its own scripts, as one script without imports.

const inspection = (() => {
  /** The policy violations, deprecations and interventions that the browser has reported for the page. */
  /** @type {string[]} */
  const reports = [];
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) => {
    reports.push(`policy: ${effectiveDirective} blocks ${blockedURI} ${sample}`);
  });
  new ReportingObserver((list) => {
    for (const { type, body } of list) reports.push(`report: ${type} ${JSON.stringify(body)}`);
  }).observe();

  /** @type {HTMLElement[]} */
  let reachable = [];

  /** @param {HTMLElement} element */
  const nameOf = (element) => `${element.localName} "${element.textContent.trim().slice(0, 40)}"`;

  /** @param {HTMLElement} element */
  const showsFocus = (element) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    return (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0) || boxShadow !== 'none';
  };

  return {
    reports,

    /** Names elements beyond the window; empty if only parts of the page scroll. */
    findOverflow() {
      const { scrollWidth, clientWidth } = document.documentElement;
      if (scrollWidth <= clientWidth) return '';
      const wide = [...document.querySelectorAll('body *')].filter(
        (element) => element.getBoundingClientRect().right > clientWidth + 1,
      );
      const names = wide.slice(0, 5).map(({ localName, className }) => `${localName}.${className}`);
      return `${scrollWidth} px (${names.join(', ')})`;
    },

    readLayout() {
      const boxes = [...document.querySelectorAll('body, body *')].map((element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        return [element.localName, x, y, width, height].join(' ');
      });
      return boxes.join('\n');
    },

    /** Focuses each element that a keyboard can reach, counts them, and finally focuses the first. */
    findFocusFaults() {
      /** @type {NodeListOf<HTMLElement>} */
      const candidates = document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]');
      const visible = [...candidates].filter(
        (element) =>
          element.checkVisibility({ visibilityProperty: true }) &&
          // Tab reaches the selected button of a group; the arrow keys reach the others.
          !element.matches(':disabled, [type="radio"]:not(:checked)'),
      );
      const faults = visible.flatMap((element) => {
        element.focus({ preventScroll: true, focusVisible: true });
        return [
          ...(element.tabIndex > 0 ? [`${nameOf(element)} has a place of its own in the order of Tab`] : []),
          // Excludes duplicate links that screen readers skip, and the tabs of a list, which arrow keys reach.
          ...(element.tabIndex < 0 &&
          element.matches(':is(a, button, summary):not([aria-hidden="true"] *, [aria-hidden="true"], [role="tab"])')
            ? [`Tab omits ${nameOf(element)}`]
            : []),
          ...(document.activeElement === element && !showsFocus(element)
            ? [`the focus of ${nameOf(element)} is invisible`]
            : []),
        ];
      });
      reachable = visible.filter((element) => element.tabIndex >= 0);
      reachable[0]?.focus();
      return { count: reachable.length, faults };
    },

    /** Returns the index of the focused element among those that a keyboard can reach. */
    placeOfFocus() {
      return reachable.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    },

    readShape() {
      /** @type {(element: Element, depth: number) => string[]} */
      const outline = (element, depth) => [
        `${' '.repeat(depth)}${element.localName} ${element.getAttributeNames().toSorted().join(' ')}`,
        ...[...element.children].flatMap((child) => outline(child, depth + 1)),
      ];
      return outline(document.documentElement, 0).join('\n');
    },
  };
})();

Object.assign(window, { inspection });
