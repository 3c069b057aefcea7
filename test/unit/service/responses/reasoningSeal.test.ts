import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openReasoningSeal, ReasoningSeal } from '../../../../src/service/responses/reasoningSeal.ts';

const REASONING = 'First the tide 🌊, then the wind.';

describe('ReasoningSeal', () => {
	const seal = new ReasoningSeal(randomBytes(32));

	it('opens what it sealed, of any length', () => {
		for (const text of [REASONING, '', 'x'.repeat(1_000_000)]) {
			assert.equal(seal.open(seal.seal(text)), text);
		}
	});

	it('seals the same reasoning to another text each time, in which nothing of it can be read', () => {
		const [one, two] = [seal.seal(REASONING), seal.seal(REASONING)];
		assert.notEqual(one, two);
		assert.ok(!Buffer.from(one.split('.')[1] ?? '', 'base64url').includes('tide'));
	});

	it('opens nothing that was sealed with another key', () => {
		assert.equal(seal.open(new ReasoningSeal(randomBytes(32)).seal(REASONING)), undefined);
	});

	it('opens nothing that was changed, at any place', () => {
		const sealed = seal.seal(REASONING);
		for (let index = 0; index < sealed.length; index++) {
			const other = sealed[index] === 'x' ? 'y' : 'x';
			const changed = sealed.slice(0, index) + other + sealed.slice(index + 1);
			// The last character of base64 can hold bits that count for nothing.
			if (index < sealed.length - 1) {
				assert.equal(seal.open(changed), undefined, `at ${index}`);
			}
		}
		for (const text of ['', 'errand1.', sealed.slice(0, -3), sealed.slice(8), `${sealed}AAAA`]) {
			assert.equal(seal.open(text), undefined);
		}
	});
});

describe('openReasoningSeal', () => {
	let folder: string;
	let replaced: number;
	const open = () => openReasoningSeal(folder, () => replaced++);
	const keyFile = () => path.join(folder, 'reasoning.key');

	beforeEach(() => {
		folder = mkdtempSync(path.join(os.tmpdir(), 'errand-seal-'));
		replaced = 0;
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	it('keeps its key, for its owner alone', () => {
		const sealed = open().seal(REASONING);
		assert.equal(open().open(sealed), REASONING);
		assert.equal(lstatSync(keyFile()).mode & 0o777, 0o600);
		assert.deepEqual(readdirSync(folder), ['reasoning.key']);
		assert.equal(replaced, 0);
	});

	for (const [what, spoil] of [
		['is too short', () => writeFileSync(keyFile(), 'short')],
		['is readable by others', () => chmodSync(keyFile(), 0o644)],
		[
			'is a link',
			() => {
				rmSync(keyFile());
				writeFileSync(path.join(folder, 'elsewhere'), randomBytes(32));
				symlinkSync(path.join(folder, 'elsewhere'), keyFile());
			},
		],
	] as const) {
		it(`moves a key aside that ${what}, says so, and refuses what was sealed with it`, () => {
			const sealed = open().seal(REASONING);
			spoil();
			const next = open();
			assert.equal(replaced, 1);
			assert.equal(next.open(sealed), undefined);
			assert.ok(readdirSync(folder).some(name => /^reasoning\.key\.\d+\.unusable$/.test(name)));
			assert.equal(open().open(next.seal(REASONING)), REASONING);
		});
	}
});
