import { INTRODUCTION, type ProseSection } from './sentence.ts';

/** The prose of unspecified.md. */
export const unspecifiedProse: readonly ProseSection[] = [
	{
		document: 'unspecified',
		heading: 'What the contract leaves open, and what we do there',
		sentences: [
			{ text: 'Three rules hold throughout.', obligesNobody: INTRODUCTION },
			{
				text: '**Read leniently**: a field that is missing, null, the text `None`, or of an unknown enum value never breaks a reply; unknown fields are kept, not dropped.',
				demands: [
					'a field that is missing, null, None or of an unknown value breaks no reply',
					'unknown fields are kept',
				],
			},
			{
				text: '**Write strictly**: only documented fields and values leave the client.',
				demands: ['only documented fields and values leave the client'],
			},
			{
				text: '**Say so**: what the user sees never claims more than the service said.',
				demands: ['what the service does not say is told as not known'],
			},
			{
				text: '"Public practice" below is what publicly documented services of this shape do; it is fact, not part of the three documents.',
				obligesNobody: 'It explains a word.',
			},
			{
				text: 'Each such choice is one constant or one small function, marked `contract: not shown`.',
				obligesNobody: 'It tells where a choice stands in the code, and nothing that anybody could see of a program.',
			},
		],
	},
];
