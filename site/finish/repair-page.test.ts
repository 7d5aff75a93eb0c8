import { expect, it } from 'vitest';
import { repairPage } from './repair-page.ts';

const repair = (html: string) => repairPage('guides/order', html);

it('keeps options and ids of requirements on a line', () => {
  expect(repair('<code dir="auto">agentp commands --full -n</code>')).toBe(
    '<code dir="auto">agentp commands <span class="unbroken">--full</span> <span class="unbroken">-n</span></code>',
  );
  expect(repair('<td><code>AP-ME-001</code></td>')).toBe(
    '<td><code><span class="unbroken">AP-ME-001</span></code></td>',
  );
});

it('lets long names of settings break after an underscore', () => {
  expect(repair('<code>PLATFORM_FEE_BPS</code>')).toBe('<code>PLATFORM_<wbr>FEE_<wbr>BPS</code>');
});

it('makes code that does not wrap reachable by keyboard', () => {
  expect(repair('<pre data-language="sh"><code><div></div></code></pre>')).toContain('<code tabindex="0">');
  expect(repair('<pre class="wrap" data-language="ts"><code><div></div></code></pre>')).not.toContain('tabindex');
});

it('copies the command of a session without the prompt and the output', () => {
  expect(repair('<button data-code="$ agentp whoami\u007falice"></button>')).toBe(
    '<button data-code="agentp whoami"></button>',
  );
});
