import assert from 'node:assert/strict';
import { placeByContext, replaceLines } from '../../../../src/chat/blocks/placement.ts';

const FILE = `import { a } from './a.ts';

export function first(value: number): number {
	const doubled = value * 2;
	return doubled;
}

export class Guard {
	check(token: { expires: number }): boolean {
		const now = Date.now();
		return token.expires < now;
	}

	close(): void {
		this.open = false;
	}
}
`;

const place = (code: string, file = FILE) => placeByContext(file, code)?.text;

describe('the place of a block of code in a file', () => {
	it('is the whole file where the block begins and ends as the file does', () => {
		const changed = FILE.replace('value * 2', 'value * 3').replace('this.open = false', 'this.open = undefined');
		assert.equal(place(changed), changed);
	});

	it('is the function that it changes, moved in as far as that is', () => {
		const code =
			'check(token: { expires: number }): boolean {\n\tconst now = Date.now();\n\treturn token.expires * 1000 < now;\n}\n';
		assert.equal(place(code), FILE.replace('token.expires <', 'token.expires * 1000 <'));
	});

	it('takes lines in and leaves lines out', () => {
		const added =
			'export function first(value: number): number {\n\tcheckRange(value);\n\tconst doubled = value * 2;\n\treturn doubled;\n}';
		assert.equal(place(added), FILE.replace('number {\n', 'number {\n\tcheckRange(value);\n'));
		const shorter = 'export function first(value: number): number {\n\treturn doubled;\n}';
		assert.equal(place(shorter), FILE.replace('\tconst doubled = value * 2;\n', ''));
	});

	it('keeps what the block says it leaves out', () => {
		const code = `// ... existing code ...
export class Guard {
	// ...
	close(): void {
		this.open = undefined;
	}
}`;
		assert.equal(place(code), FILE.replace('this.open = false', 'this.open = undefined'));
	});

	it('changes a first line that is no longer the same', () => {
		const code = 'export function first(value: bigint): number {\n\tconst doubled = value * 2;\n\treturn doubled;\n}';
		assert.equal(place(code), FILE.replace('value: number): number', 'value: bigint): number'));
	});

	it('keeps the line breaks of the file', () => {
		const file = FILE.replaceAll('\n', '\r\n');
		const code = 'close(): void {\n\tthis.open = undefined;\n}';
		assert.equal(place(code, file), file.replace('this.open = false', 'this.open = undefined'));
	});

	it('is unknown where nothing of it is in the file', () => {
		assert.equal(place('const other = await fetch(address);\nprint(other);'), undefined);
		assert.equal(place('}\n\n}'), undefined);
		assert.equal(place(''), undefined);
		assert.equal(place('// ...'), undefined);
	});

	it('is unknown where two places fit as well', () => {
		const twice = 'if (one) {\n\tcall(one);\n\tlogAll();\n}\nother();\nif (one) {\n\tcall(one);\n\tlogAll();\n}\n';
		assert.equal(place('if (one) {\n\tcall(one, two);\n\tlogAll();\n}', twice), undefined);
	});

	it('gives up on what would take too long, and answers for a long file', () => {
		const long = Array.from({ length: 20_000 }, (_, index) => `line number ${index}`).join('\n');
		assert.equal(place(long, long), undefined);
		assert.equal(
			place('line number 19000\nline of another kind\nline number 19002', long),
			long.replace('line number 19001', 'line of another kind'),
		);
	});

	it('may be given instead', () => {
		assert.equal(replaceLines('a\r\nb\r\nc', 1, 2, ['x', 'y']).text, 'a\r\nx\r\ny\r\nc');
		assert.equal(replaceLines('a\nb', 2, 2, ['x']).text, 'a\nb\nx');
	});
});
