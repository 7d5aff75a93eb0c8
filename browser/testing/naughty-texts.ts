/** Harmful if a page interprets them as markup, an address, a text direction or a template. */
export const hostileTexts: readonly string[] = [
  `</pre></title></style></textarea><script>console.log('ran')</script><img src=x onerror="console.log('ran')">`,
  `" autofocus onfocus="console.log('ran')" style="position:fixed" x="`,
  `' onmouseover='console.log(1)' <!-- --!> ]]> <![CDATA[ \${7*7} {{7*7}} %3Cscript%3E &lt;b&gt; &#60;b&#62;`,
  'Hello!<svg/onload=console.log(1)> </script><script>alert(1)</script> <base href="//evil.example"> <meta http-equiv=refresh content=0>',
  'left \u202eright\u202c to \u2066left\u2069 \u200e\u200f\u061c \u0007 \u001b[31m \ufeff \u00ad e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301',
  'שלום مرحبا 𝒜𝒷𝒸 👩‍👩‍👧‍👦 ﷽ \u{10ffff} ıİſß ﬁ 田中さん',
  'W'.repeat(80),
];
