// Decisions: a state, typed questions about it, and their answers (contract: inference.md).
import * as z from 'zod';
import { type Fields, isFields } from '../base/fields.ts';
import { isAbsent, lenient, lenientCount, lenientText } from './lenient.ts';

/**
 * contract: not shown how many questions and criteria a request may have. These are the limits of the local service,
 * where each question causes a request to a model; other services may accept more.
 */
export const MAXIMUM_QUESTIONS = 100;
export const MAXIMUM_CRITERIA = 100;

/** Names in the instructions may stand for paths into the state. */
const instructions = z.string();

const OPTIONS = 'allowed: an object of at least one option, each with its description';
const LEVELS = 'allowed: a list of at least one level description';

const questionSchema = z.discriminatedUnion(
	'type',
	[
		z.strictObject({
			type: z.literal('choice'),
			instructions,
			/** A map of option names to descriptions; an `other` or `none_of_the_above` option is advised. */
			criteria: z.record(z.string(), z.string(), OPTIONS).refine(options => Object.keys(options).length > 0, OPTIONS),
		}),
		z.strictObject({
			type: z.literal('score'),
			instructions,
			/** The meaning of each level in order, starting with level 0. */
			criteria: z.array(z.string(), LEVELS).min(1, LEVELS),
		}),
		z.strictObject({
			type: z.literal('noul'),
			instructions,
			criteria: z.strictObject({ true: z.string(), false: z.string() }),
		}),
	],
	'allowed: a question of type "choice", "score" or "noul"',
);
export type Question = z.input<typeof questionSchema>;

/** The questions by ids that the caller chose. */
export type Questions = Record<string, Question>;

const QUESTIONS = 'allowed: an object of at least one question';

export const decisionRequestSchema = z.strictObject({
	state: z.record(z.string(), z.unknown(), 'allowed: an object'),
	model: z.string().min(1),
	questions: z
		.record(z.string(), questionSchema, QUESTIONS)
		.refine(questions => Object.keys(questions).length > 0, QUESTIONS),
});
export type DecisionRequest = z.input<typeof decisionRequestSchema>;

/**
 * Reads an object of a reply and leaves out entries that do not fit. A list is read as an object with its indexes as
 * keys.
 */
function lenientRecord<T extends z.ZodType>(entry: T): z.ZodType<Record<string, z.output<T>>> {
	return z
		.unknown()
		.optional()
		.transform((value): Record<string, z.output<T>> => {
			const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
			return Object.fromEntries(
				entries.flatMap(([name, candidate]) => {
					const parsed = entry.safeParse(candidate);
					return parsed.success ? [[name, parsed.data]] : [];
				}),
			);
		});
}

/** The contract does not say that the probabilities sum to one, so they are not normalised. */
const probabilities = lenientRecord(z.number());

const answerSchemas = {
	choice: z.looseObject({
		type: z.literal('choice'),
		/** The name of an option, which may be the word `None`. */
		choice: lenientText,
		/** The probabilities by option. */
		probabilities,
		confidence: lenient(z.number()),
	}),
	score: z.looseObject({
		type: z.literal('score'),
		/** The score starts at 0 and may be fractional. */
		score: lenient(z.number()),
		legend: lenientRecord(z.string()),
		/** The probabilities by level. */
		probabilities,
		confidence: lenient(z.number()),
	}),
	noul: z.looseObject({
		type: z.literal('noul'),
		/** 0 to 1: the probability that the statement is true; near 0.5 means uncertain. */
		noul: lenient(z.number()),
	}),
} as const satisfies Record<Question['type'], z.ZodType>;

/** An answer of another type than its question's, kept as it came. `received` is undefined if there was no answer. */
export interface OtherAnswer {
	type: 'other';
	received: unknown;
}

export type AnswerOf<Type extends Question['type']> = z.output<(typeof answerSchemas)[Type]>;

export type Answers<Asked extends Questions> = {
	[Id in keyof Asked]: AnswerOf<Asked[Id]['type']> | OtherAnswer;
};

/** Reads the answer to a question. An answer without a type is taken to have the type of its question. */
export function readAnswer<Type extends Question['type']>(type: Type, received: unknown): AnswerOf<Type> | OtherAnswer {
	const typed = isFields(received) && isAbsent(received['type']) ? { ...received, type } : received;
	const answer = answerSchemas[type].safeParse(typed).data;
	return answer === undefined ? { type: 'other', received } : (answer as AnswerOf<Type>);
}

export const decisionReplySchema = z.looseObject({
	/** The model after name resolution. */
	model: lenient(z.string()),
	answers: z.custom<Fields>(isFields),
	usage: lenient(z.looseObject({ input_tokens: lenientCount, output_tokens: lenientCount })),
});
export type DecisionUsage = NonNullable<z.output<typeof decisionReplySchema>['usage']>;

/**
 * contract: not shown. Returns the id of the model that a connection's `decisionModel` means: a plain name means its
 * latest release, and an id that ends with `-latest` or a version means itself (unspecified.md, "`<decision_model>`
 * IDs").
 */
export function decisionModelId(name: string): string {
	return /-(?:latest|\d+\.\d+\.\d+)$/.test(name) ? name : `${name}-latest`;
}
