import assert from 'node:assert/strict';
import { readImageUrl, splitDigest } from '../../../src/contract/images.ts';

describe('readImageUrl', () => {
	for (const url of ['https://images.example/a.png', 'http://127.0.0.1:1/a', 'https://a.example/x?sig=%20&b=1#c']) {
		it(`takes ${url}, with blanks around it`, () => {
			assert.equal(readImageUrl(url), url);
			assert.equal(readImageUrl(`\n ${url}\t\n`), url);
		});
	}

	for (const content of [
		'',
		'   ',
		'I cannot draw that.',
		'https://a.example/ is your image',
		'https://a.example/1.png\nhttps://a.example/2.png',
		'![image](https://a.example/1.png)',
		'data:image/png;base64,AAAA',
		'javascript:alert(1)',
		'file:///etc/passwd',
		'//a.example/1.png',
		'https://',
	]) {
		it(`refuses ${JSON.stringify(content)}`, () => {
			assert.equal(readImageUrl(content), undefined);
		});
	}
});

describe('splitDigest', () => {
	for (const [answered, requested, model, digest] of [
		['painter', 'painter', 'painter', undefined],
		['painter:4fa1', 'painter', 'painter', '4fa1'],
		['painter:sha256:4fa1', 'painter', 'painter', 'sha256:4fa1'],
		['painter:v2', 'painter:v2', 'painter:v2', undefined],
		['painter:v2:4fa1', 'painter:v2', 'painter:v2', '4fa1'],
		['vega/painter:v2', 'painter:v2', 'vega/painter:v2', undefined],
		['vega/painter:4fa1', 'quick/painter', 'vega/painter', '4fa1'],
		['vega/painter:sha256:4fa1', 'painter', 'vega/painter', 'sha256:4fa1'],
		['host:80/painter', 'painter', 'host:80/painter', undefined],
		['painter:', 'painter', 'painter:', undefined],
		[':4fa1', 'painter', ':4fa1', undefined],
	] as const) {
		it(`reads ${answered}, asked for as ${requested}`, () => {
			assert.deepEqual(splitDigest(answered, requested), { model, ...(digest === undefined ? {} : { digest }) });
		});
	}
});
