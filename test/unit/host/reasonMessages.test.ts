import assert from 'node:assert/strict';
import { verdictReasonText } from '../../../src/channel/reasonMessages.ts';
import type { Verdict } from '../../../src/client/types.ts';

describe('the reasons of verdicts', () => {
	const texts: [Pick<Verdict, 'code' | 'values'>, string][] = [
		[{ code: 'nonce-length', values: ['7', '16', '64'] }, 'The nonce has 7 bytes, not 16 to 64.'],
		[{ code: 'key-refused', values: ['curve'] }, 'The key cannot be used: its point is not on the curve P-384.'],
		[
			{ code: 'evidence-refused', values: ['2', 'chain-root'] },
			'Piece 2 of the evidence is not valid: its chain does not end at the maker’s root.',
		],
		[
			{ code: 'memory-less', values: ['gpu-evidence', 'signature'] },
			'No longer proven: Signature of the report, GPU evidence.',
		],
		// Whatever a token calls its devices takes no place of another value.
		[{ code: 'token-device-no', values: ['{1}', 'secboot'] }, 'The maker does not confirm the device {1}: secboot.'],
		[
			{ code: 'token-device-silent', values: ['SWITCH-0', 'dbgstat'] },
			'The maker’s answer on the device SWITCH-0 is incomplete: it says nothing about dbgstat.',
		],
	];
	for (const [why, text] of texts) {
		it(`are sentences: ${text}`, () => assert.equal(verdictReasonText(why), text));
	}
});
