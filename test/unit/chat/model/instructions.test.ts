import assert from 'node:assert/strict';
import {
	chosenInstructions,
	type InstructionFile,
	MAXIMUM_INSTRUCTIONS,
	withInstructionFiles,
} from '../../../../src/chat/model/instructions.ts';

const file = (path: string, text: string, place = path): InstructionFile => ({
	path,
	uri: `file:///w/${path}`,
	text,
	place,
});
const paths = (...found: InstructionFile[]) => chosenInstructions(found).map(({ label }) => label);

describe('files with instructions', () => {
	it('go in their order, each once, where it is nearest', () => {
		assert.deepEqual(paths(file('CLAUDE.md', 'a'), file('AGENTS.md', 'b'), file('web/AGENTS.md', 'c')), [
			'CLAUDE.md',
			'AGENTS.md',
			'web/AGENTS.md',
		]);
		assert.deepEqual(paths(file('CLAUDE.md', 'a', '/w/AGENTS.md'), file('AGENTS.md', 'b', '/w/AGENTS.md')), [
			'AGENTS.md',
		]);
		assert.deepEqual(paths(file('CLAUDE.md', 'a\n'), file('AGENTS.md', 'a'), file('web/AGENTS.md', 'b')), [
			'AGENTS.md',
			'web/AGENTS.md',
		]);
		assert.deepEqual(paths(file('CLAUDE.md', '@AGENTS.md\n'), file('AGENTS.md', 'a'), file('web/AGENTS.md', ' \n')), [
			'AGENTS.md',
		]);
	});

	it('are cut where they are too long together, the nearest last, and say so', () => {
		const line = `${'x'.repeat(99)}\n`;
		const far = file('AGENTS.md', line.repeat(300));
		const near = file('web/AGENTS.md', line.repeat(200));
		const chosen = chosenInstructions([far, near]);
		assert.deepEqual(
			chosen.map(({ text, omitted }) => [text.length, omitted]),
			[
				[20_000, 10_000],
				[20_000, undefined],
			],
		);
		assert.match(
			withInstructionFiles(chosen, ''),
			/\n\n\(10000 more characters of this file are left out\.\)\n\nFrom `web/,
		);
		const [one] = chosenInstructions([file('AGENTS.md', 'y'.repeat(MAXIMUM_INSTRUCTIONS + 1))]);
		assert.deepEqual([one?.text.length, one?.omitted], [MAXIMUM_INSTRUCTIONS, 1]);
	});

	it('are told before what the user tells every model, and the later one wins', () => {
		assert.equal(withInstructionFiles([], 'Be brief.'), 'Be brief.');
		assert.equal(withInstructionFiles(undefined, ''), '');
		const one = chosenInstructions([file('AGENTS.md', 'Use tabs.\n')]);
		assert.equal(
			withInstructionFiles(one, ' '),
			'The people who work on this repository have written down how to work on it. Follow it wherever it applies.\n\nFrom `AGENTS.md`:\n\nUse tabs.',
		);
		const two = chosenInstructions([file('AGENTS.md', 'Use tabs.'), file('web/AGENTS.md', 'Use blanks.')]);
		assert.match(
			withInstructionFiles(two, 'Be brief.'),
			/the later file wins\.\n\nFrom `AGENTS\.md`:\n\nUse tabs\.\n\nFrom `web\/AGENTS\.md`:\n\nUse blanks\.\n\nThe user’s own instructions, which win over those files:\n\nBe brief\.$/,
		);
	});
});
