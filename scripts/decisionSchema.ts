// Writes the JSON schema of decision files, with which the editor completes and explains them. It is derived from the
// schema with which Errand reads them; a test compares the two. node scripts/decisionSchema.ts
import { writeFileSync } from 'node:fs';
import * as z from 'zod';
import { MAXIMUM_CRITERIA, MAXIMUM_QUESTIONS } from '../src/contract/decisions.ts';
import { decisionFileSchema } from '../src/decisions/model/decisionFile.ts';
import { EXAMPLE } from '../src/decisions/model/examples.ts';

export const SCHEMA_FILE = 'media/decision.schema.json';

interface Schema {
	type?: string;
	const?: unknown;
	description?: string;
	properties?: Record<string, Schema>;
	additionalProperties?: Schema;
	oneOf?: Schema[];
	[field: string]: unknown;
}

const FIELDS: Record<string, string> = {
	state: 'What the questions are about: any JSON object. Instructions name parts of it, such as state.diff.',
	sources:
		'Texts that are read when the file is evaluated, by the names that they get in the state. You see all of them before anything is sent.',
	model:
		'The decision model. Without it, the one of the connection decides. A name that ends with -latest follows its newest release; the result says which one answered.',
	questions: `The questions, by names of your choice. Each is answered on its own. The local service takes at most ${MAXIMUM_QUESTIONS}.`,
};

const TYPES: Record<string, { type: string; criteria: string; snippet: object }> = {
	choice: {
		type: 'choice: which of these options applies? The answer is one option, with a probability for each.',
		criteria: `The options, each with what it means. Add "other" or "none_of_the_above", or the model has to choose one that does not fit. The local service takes at most ${MAXIMUM_CRITERIA}.`,
		snippet: {
			type: 'choice',
			instructions: '$1',
			criteria: { $2: '$3', other: 'None of these.' },
		},
	},
	score: {
		type: 'score: how much? The answer is a level, counted from 0, or a number between two levels.',
		criteria: 'What each level means, from the lowest (0) to the highest.',
		snippet: { type: 'score', instructions: '$1', criteria: ['$2', '$3'] },
	},
	noul: {
		type: 'noul: is this statement true? The answer is the probability that it is: 1 is certainly true, 0 certainly false, and near 0.5 the model does not know.',
		criteria: 'What it means that the statement is true, and what it means that it is false.',
		snippet: { type: 'noul', instructions: '$1', criteria: { true: '$2', false: '$3' } },
	},
};

const SOURCES: Record<string, string> = {
	selection: 'The text that is selected in another editor.',
	file: 'A file of the workspace, by its path from the folder of the workspace.',
	diff: 'The uncommitted changes of the repository.',
	problems: 'The problems of a file, or of all files without a path.',
	'task-prompt': 'The prompt of a task.',
	'task-log': 'The log of a task.',
	'task-changes': 'What a task has changed, as a diff.',
};

const TASK = 'The id of the task. Without it, you are asked for one.';

/** Returns the schema as the editor needs it: with descriptions, with minimum sizes, and with snippets. */
export function decisionSchema(): Schema {
	const schema = z.toJSONSchema(decisionFileSchema, { io: 'input', target: 'draft-7' }) as Schema;
	const { properties = {} } = schema;
	for (const [name, description] of Object.entries(FIELDS)) {
		describe(properties[name], description);
	}
	const question = properties['questions']?.additionalProperties;
	Object.assign(properties['questions'] ?? {}, { minProperties: 1 });
	Object.assign(question ?? {}, {
		defaultSnippets: Object.entries(TYPES).map(([label, { type, snippet }]) => ({
			label,
			description: type,
			body: snippet,
		})),
	});
	for (const form of question?.oneOf ?? []) {
		const words = TYPES[String(form.properties?.['type']?.const)];
		const { instructions, criteria, type } = form.properties ?? {};
		describe(type, words?.type ?? '');
		describe(criteria, words?.criteria ?? '');
		describe(instructions, form.properties?.['type']?.const === 'noul' ? 'The statement.' : 'The question.');
		Object.assign(instructions ?? {}, { minLength: 1 });
		Object.assign(criteria ?? {}, criteria?.type === 'array' ? { minItems: 1 } : { minProperties: 1 });
	}
	for (const form of properties['sources']?.additionalProperties?.oneOf ?? []) {
		describe(form.properties?.['from'], SOURCES[String(form.properties?.['from']?.const)] ?? '');
		describe(form.properties?.['task'], TASK);
	}
	return {
		title: 'Decision',
		description: 'Typed questions about a state, which a decision model answers with probabilities.',
		defaultSnippets: [{ label: 'classify', body: EXAMPLE }],
		...schema,
	};
}

function describe(part: Schema | undefined, description: string): void {
	if (part) {
		part.description = description;
	}
}

export const schemaText = (): string => `${JSON.stringify(decisionSchema(), undefined, '\t')}\n`;

if (import.meta.main) {
	writeFileSync(SCHEMA_FILE, schemaText());
}
