import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { codiconCodePoints } from '../../../../src/chat/ui/codicon.ts';

describe('the icons of the page', () => {
	it('are those of the font under the same names', () => {
		const css = readFileSync('node_modules/@vscode/codicons/dist/codicon.css', 'utf8');
		for (const [name, codePoint] of Object.entries(codiconCodePoints)) {
			assert.ok(css.includes(`.codicon-${name}:before { content: "\\${codePoint.toString(16)}" }`), name);
		}
	});
});
