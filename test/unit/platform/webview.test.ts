import assert from 'node:assert/strict';
import type { Uri } from 'vscode';
import { webviewRoot, webviewShell } from '../../../src/platform/webview.ts';

function uri(path: string): Uri {
	return {
		path,
		with: (change: { path: string }) => uri(change.path),
		toString: () => `https://resource${path}`,
	} as Uri;
}

const shell = (data: unknown, title = 'Chat', dataImages = false) =>
	webviewShell(
		{ cspSource: 'https://resource', asWebviewUri: resource => resource },
		{ extensionUri: uri('/extension'), name: 'chat', title, language: 'pt-br', data, dataImages },
	);

describe('the page of a webview', () => {
	const policyOf = (html: string) => /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';

	it('allows its own script by nonce, its own style and font, and nothing else', () => {
		const html = shell({});
		const nonce = /nonce-([\w+/=]+)/.exec(policyOf(html))?.[1];
		assert.ok(nonce && nonce.length >= 22);
		assert.deepEqual(policyOf(html).split('; '), [
			"default-src 'none'",
			`script-src 'nonce-${nonce}'`,
			'style-src https://resource',
			'font-src https://resource',
			"base-uri 'none'",
			"form-action 'none'",
		]);
		assert.equal(html.split(`nonce="${nonce}"`).length - 1, html.split('<script').length - 1);
	});

	it('allows images that are part of its messages where it shows some, and none that it would fetch', () => {
		assert.ok(!policyOf(shell({})).includes('img-src'));
		const sources = policyOf(shell({}, 'Chat', true))
			.split('; ')
			.filter(part => part.startsWith('img-src'));
		assert.deepEqual(sources, ['img-src data:']);
	});

	it('starts workers from its own script where it has some, and from no address', () => {
		assert.ok(!policyOf(shell({})).includes('worker-src'));
		const html = webviewShell(
			{ cspSource: 'https://resource', asWebviewUri: resource => resource },
			{ extensionUri: uri('/extension'), name: 'chat', title: 'Chat', language: 'en', data: {}, workers: true },
		);
		const sources = policyOf(html)
			.split('; ')
			.filter(part => part.startsWith('worker-src'));
		assert.deepEqual(sources, ['worker-src blob:']);
	});

	it('has another nonce each time', () => {
		assert.notEqual(policyOf(shell({})), policyOf(shell({})));
	});

	it('loads from the bundle’s folder only', () => {
		assert.equal(webviewRoot(uri('/extension/')).path, '/extension/dist/webview');
		const html = shell({});
		assert.deepEqual(
			[...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(match => match[1]),
			['https://resource/extension/dist/webview/chat.css', 'https://resource/extension/dist/webview/chat.js'],
		);
	});

	it('is in the language of the editor', () => {
		assert.match(shell({}), /<html lang="pt-br">/);
	});

	it('hands over data that cannot break out of its element', () => {
		const data = { text: '</script><script>alert(1)</script><!-- \u2028 & "' };
		const html = shell(data, '</title><script>');
		const json = /id="page-data"[^>]*>([\s\S]*?)<\/script>/.exec(html)?.[1] ?? '';
		assert.deepEqual(JSON.parse(json), data);
		assert.equal(html.split('<script').length - 1, 2);
	});
});
