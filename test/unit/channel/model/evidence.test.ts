import assert from 'node:assert/strict';
import {
	exportReport,
	harmlessLine,
	MAXIMUM_SHOWN_EVIDENCE,
	rawViews,
} from '../../../../src/channel/model/evidence.ts';
import type { Attested } from '../../../../src/client/types.ts';

const attested: Attested = {
	address: 'https://enc.example/attestation',
	keyFingerprint: 'ab'.repeat(32),
	devices: [],
	verdicts: [{ check: 'transport', verdict: 'pass', code: 'way-https' }],
	attestation: {
		public_key: 'KEY',
		session_id: 'session-1',
		nonce_b64: 'AAAA',
		signature: 'AAAA',
		report_json: '{"a":[1]}',
		report: { a: [1] },
		gpu_eat: 'a.b.c',
	},
};

const withReport = (report: string): Attested => ({
	...attested,
	attestation: { ...attested.attestation, report_json: report },
});

describe('raw evidence', () => {
	it('is shown field by field, JSON with its lines', () => {
		const [report, token, rest] = rawViews(attested);
		assert.equal(report?.text, '{\n  "a": [\n    1\n  ]\n}');
		assert.equal(token?.text, 'a.b.c');
		assert.match(rest?.name ?? '', /public_key.*session_id/);
		assert.match(rest?.text ?? '', /"session-1"/);
	});

	it('leaves out what is not there', () => {
		const views = rawViews({ attestation: { ...attested.attestation, gpu_eat: undefined } });
		assert.deepEqual(
			views.map(({ name }) => name.split(',')[0]),
			['report_json', 'public_key'],
		);
	});

	it('is cut where it is too long to read', () => {
		const [report] = rawViews(withReport('x'.repeat(MAXIMUM_SHOWN_EVIDENCE + 1)));
		assert.equal(report?.text.length, MAXIMUM_SHOWN_EVIDENCE);
		assert.equal(report?.isCut, true);
	});

	it('is not made larger than it can be read by lines that are indented deeply', () => {
		const deep = `${'['.repeat(3000)}${'0,'.repeat(1000)}0${']'.repeat(3000)}`;
		assert.equal(rawViews(withReport(deep))[0]?.text, deep);
	});

	it('has a harmless name, whatever the fields of the record are called', () => {
		const fields = { [`a\u202e\n${'x'.repeat(5000)}`]: 1 };
		const views = rawViews({ attestation: { ...attested.attestation, ...fields } });
		const names = views.map(({ name }) => name);
		assert.ok(names.every(name => name.length <= 500 && !/[\u202e\n]/.test(name)));
		assert.match(names.at(-1) ?? '', /a\\u\{202e\}/);
	});

	it('writes out characters that hide or reorder others, and keeps the rest', () => {
		assert.equal(rawViews(withReport('a\u202eb\u0000\u2028\n\té ⚓'))[0]?.text, 'a\\u{202e}b\\u{0}\\u{2028}\n\té ⚓');
		assert.equal(rawViews(withReport('a\u3164\u034f\ufe01b'))[0]?.text, 'a\\u{3164}\\u{34f}\\u{fe01}b');
		assert.equal(harmlessLine('a\n\u202eb  c'), 'a \\u{202e}b c');
		assert.equal(harmlessLine('x'.repeat(1000)).length, 500);
	});
});

describe('an exported report', () => {
	it('is one JSON text with everything that was received and found', () => {
		const summary = 'Encrypted.';
		const verdicts = attested.verdicts.map(verdict => ({ ...verdict, reason: 'So it is.' }));
		const text = exportReport({
			...attested,
			needsSessionPerMessage: true,
			verdicts,
			connection: 'Acme',
			checkedAt: '2026-01-01T00:00:00.000Z',
			summary,
		});
		assert.deepEqual(JSON.parse(text), {
			format: 'errand-attestation-1',
			connection: 'Acme',
			checkedAt: '2026-01-01T00:00:00.000Z',
			summary,
			needsSessionPerMessage: true,
			...attested,
			verdicts,
		});
	});
});
