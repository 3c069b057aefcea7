import assert from 'node:assert/strict';
import { htmlText } from '../../../src/base/htmlText.ts';
import { processorMs } from '../../support/processorTime.ts';

describe('the text of a page', () => {
	it('has its headings, paragraphs, lists, tables and code', () => {
		const page = `<!doctype html><html><head><title>Guide &mdash; Acme</title><style>p { color: red }</style></head>
			<body><nav><a href="/">Home</a></nav>
			<h2 class="a>b">Install <em>it</em></h2>
			<p>Run   this,
			then <b>that</b>.</p><ul><li>one</li><li><p>two</p></li></ul>
			<table><tr><th>Name</th><td>Value</td></tr><tr><th>a</th><td>1</td></tr></table>
			<pre><code>if (a) {
	b();
}</code></pre>After.<br>Last.</body></html>`;
		assert.equal(
			htmlText(page),
			[
				'# Guide — Acme',
				'Home',
				'## Install it',
				'Run this, then that.',
				'- one\n\n- two',
				'Name Value\na 1',
				'if (a) {\n\tb();\n}',
				'After.\nLast.',
			].join('\n\n'),
		);
	});

	it('has nothing of scripts, styles, comments and drawings', () => {
		assert.equal(htmlText('a<script>if (1 < 2) "</p>"</script>b<!-- c > d -->e<svg><text>f</text></svg>g'), 'abeg');
		assert.equal(htmlText('a<svg class="x"/>b<noscript>c</noscript>d'), 'abd');
		assert.equal(htmlText('a<iframe>b'), 'ab');
		assert.equal(htmlText('a<script>b'), 'a');
	});

	it('has nothing of an element that is hidden, with those of the same name in it', () => {
		assert.equal(htmlText('a<div hidden>b<div>c</div>d</div>e'), 'ae');
		assert.equal(htmlText('a<SPAN class=x ARIA-HIDDEN = "true">b</SPAN>c<i aria-hidden=true>d</i>e'), 'ace');
		assert.equal(htmlText('a<p hidden="until-found">b</p >c<input type="text" hidden>d'), 'acd');
	});

	it('has what only looks hidden, and what follows an element that is hidden without an end', () => {
		assert.equal(htmlText('<b title="x hidden >" aria-hidden="false" data-hidden>a</b><i class=hidden>b</i>'), 'ab');
		assert.equal(htmlText('a<em hidden>b<i>c</i>'), 'abc');
	});

	it('has characters by their names and numbers, and leaves others as they are', () => {
		assert.equal(
			htmlText('&lt;b&gt; &#65;&#x42; &amp;amp; &nbsp; &valueOf; &unknown; &#0; &#xD800; 1 < 2'),
			'<b> AB &amp; &valueOf; &unknown; &#0; \uFFFD 1 < 2',
		);
	});

	it('takes no longer than its length allows, whatever it is', () => {
		for (const piece of [
			'<',
			'<a "',
			'<a \'"',
			'<svg>',
			'<!--',
			'</',
			'<script',
			'&amp',
			' ',
			'<pre> ',
			'<li>',
			'<h1><p>',
			'<a hidden>',
			'<a hidden></a>',
			'<a hidden =',
			'<a hidde hidden="',
		]) {
			assert.ok(processorMs(() => htmlText(piece.repeat(1_000_000 / piece.length))) < 5_000, piece);
		}
	});
});
