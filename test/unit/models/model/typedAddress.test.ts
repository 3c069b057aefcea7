import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readTypedAddress } from '../../../../src/models/model/typedAddress.ts';
import { processorMs } from '../../../support/processorTime.ts';

const KEY = 'sk-proj-Ab3dEf6hIj9kLm2n';

describe('the address of a server, as it is typed', () => {
	const urlOf = (text: string) => readTypedAddress(text).url;

	it('may lack its scheme: http on this machine and in a private network, https elsewhere', () => {
		assert.equal(urlOf('localhost:1234'), 'http://localhost:1234');
		assert.equal(urlOf('127.0.0.1:8080/v1/'), 'http://127.0.0.1:8080/v1');
		assert.equal(urlOf('[::1]:8080'), 'http://[::1]:8080');
		assert.equal(urlOf('192.168.1.20:8000'), 'http://192.168.1.20:8000');
		assert.equal(urlOf('gpu-box.local:8000'), 'http://gpu-box.local:8000');
		assert.equal(urlOf('gpu-box:8000'), 'https://gpu-box:8000');
		assert.equal(urlOf('8.8.8.8'), 'https://8.8.8.8');
		assert.equal(urlOf('models.example.com/v1'), 'https://models.example.com/v1');
	});

	it('keeps a scheme that is there, and no credentials, query, fragment or slash at the end', () => {
		assert.equal(urlOf('  http://models.example.com/v1/?a=b#c '), 'http://models.example.com/v1');
		assert.equal(urlOf('HTTPS://Models.Example.com'), 'https://models.example.com');
	});

	it('may be that of a request, or stand in a command that was copied', () => {
		assert.equal(urlOf('https://models.example.com/v1/chat/completions'), 'https://models.example.com/v1');
		assert.equal(urlOf('https://models.example.com/v1/models'), 'https://models.example.com/v1');
		assert.deepEqual(
			readTypedAddress(`curl https://models.example.com/v1/models -H "Authorization: Bearer ${KEY}" -d '{}'`),
			{ text: 'https://models.example.com/v1/models', key: KEY, url: 'https://models.example.com/v1' },
		);
		assert.deepEqual(readTypedAddress('curl https://models.example.com/v1 -H "Authorization: Bearer $MY_KEY"'), {
			text: 'https://models.example.com/v1',
			url: 'https://models.example.com/v1',
		});
	});

	it('is none while it is only begun, or where it is of another kind', () => {
		for (const text of [
			'',
			' ',
			'op',
			'openrouter',
			'http://',
			'https://',
			'ftp://models.example.com',
			'file:///etc',
			'://',
			'a b c',
		]) {
			assert.equal(urlOf(text), undefined, text);
		}
	});
});

describe('a key that was pasted with the address', () => {
	it('is found wherever it stands, and taken out', () => {
		const address = 'https://models.example.com/v1';
		for (const pasted of [
			`https://${KEY}@models.example.com/v1`,
			`https://user:${KEY}@models.example.com/v1`,
			`https://:${KEY}@models.example.com/v1`,
			`${address}?api_key=${KEY}`,
			`${address}/${KEY}/${KEY}`,
			`${address}?key=${KEY}&x=1`,
			`${address}#${KEY}`,
			`${address}${KEY}`,
			`${address}/${KEY}`,
			`${address} ${KEY}`,
			`${KEY} ${address}`,
			`${address}\n${KEY}\n`,
			`OPENAI_API_KEY=${KEY} ${address}`,
			`models.example.com/v1 ${KEY}`,
		]) {
			const read = readTypedAddress(pasted);
			assert.equal(read.key, KEY, pasted);
			assert.equal(read.url, address, pasted);
			assert.ok(!read.text.includes(KEY), pasted);
		}
	});

	it('may be all that was pasted', () => {
		assert.deepEqual(readTypedAddress(KEY), { text: '', key: KEY });
		assert.deepEqual(readTypedAddress('0123456789abcdef0123456789abcdef'), {
			text: '',
			key: '0123456789abcdef0123456789abcdef',
		});
	});

	it('needs no known beginning where it is named as a key, and may be encoded', () => {
		assert.equal(readTypedAddress('https://models.example.com/v1?key=hunter2').key, 'hunter2');
		assert.equal(readTypedAddress('https://me:p%40ss@models.example.com').key, 'p@ss');
		assert.equal(readTypedAddress('https://me:%zz@models.example.com').key, '%zz');
	});

	it('is not seen in the words of an address', () => {
		for (const text of [
			'https://models.example.com/task-runner-number-2-of-many/v1',
			'https://gateway.example.com/openai/deployments/gpt-4o-2024-11-20/v1',
			'gpu-server-number-12:8000',
			'https://risk-models-2024-department.example.com/v1',
		]) {
			const { key, url } = readTypedAddress(text);
			assert.equal(key, undefined, text);
			assert.ok(url?.includes(text), text);
		}
	});

	it('is looked for in linear time in all that may be pasted', () => {
		for (const text of ['token=', 'sk-', '/', 'Bearer ']) {
			const spent = processorMs(() => readTypedAddress(`https://models.example.com/${text.repeat(200_000)}é`));
			assert.ok(spent < 500, `${text}: ${spent} ms`);
		}
	});

	it('is never left in what is shown or asked', () => {
		const key = fc
			.tuple(
				fc.constantFrom('sk-', 'gsk_', 'hf_', 'AIza'),
				fc.stringMatching(/^[A-Za-z0-9]{10,40}$/),
				fc.stringMatching(/^\d[A-Za-z]{8}$/),
			)
			.map(parts => parts.join(''));
		const places: ((key: string) => string)[] = [
			key => `https://${key}@models.example.com`,
			key => `http://localhost:1234/v1?x=${key}`,
			key => `localhost:1234/v1 ${key}`,
			key => `https://models.example.com/v1/${key}/`,
			key => key,
		];
		fc.assert(
			fc.property(key, fc.constantFrom(...places), (key, place) => {
				const read = readTypedAddress(place(key));
				assert.equal(read.key, key);
				assert.ok(!`${read.text} ${read.url}`.toLowerCase().includes(key.toLowerCase()));
			}),
		);
	});

	it('can be looked for in any text, and what is returned as an address is one', () => {
		fc.assert(
			fc.property(fc.string({ maxLength: 300 }), text => {
				const { url } = readTypedAddress(text);
				assert.ok(url === undefined || /^https?:\/\/[^@?#]+$/.test(url), url);
			}),
		);
	});
});
