import { type Requirement, slug } from '../section.ts';

/** A sentence of the contract that stands outside the tables and numbered rules, word for word. */
export type Sentence = { text: string } & (
	| {
			/** What the sentence demands. */
			demands: readonly string[];
	  }
	| {
			/** The requirements that demand the same. */
			repeats: readonly string[];
	  }
	| {
			/** Why nobody has to do anything for it. */
			obligesNobody: string;
	  }
);

/** The sentences of one section, in the order in which they stand. */
export interface ProseSection {
	document: string;
	heading: string;
	sentences: readonly Sentence[];
}

/** Reasons why a sentence obliges nobody. */
export const NOT_SHOWN = 'It says what is not shown; unspecified.md settles what is done there.';
export const OVERVIEW = 'It tells which document covers what.';
export const INTRODUCTION = 'It introduces what follows it.';

/** The requirements of a section's prose: `inference/dedicated-deployments/prose/1`. */
export function proseRequirements({ document, heading, sentences }: ProseSection): Requirement[] {
	return sentences
		.flatMap(sentence => ('demands' in sentence ? sentence.demands : []))
		.map((behaviour, index) => ({
			id: `${document}/${slug(heading)}/prose/${index + 1}`,
			source: `${document}.md, ${heading}, in its text`,
			behaviour,
		}));
}
