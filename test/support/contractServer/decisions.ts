import {
	type Check,
	checkedBody,
	filledText,
	isObject,
	type JsonObject,
	list,
	map,
	object,
	oneOf,
	shape,
	text,
} from './checks.ts';
import { type Call, inferenceError, jsonReply, Refusal, type Reply, type Route } from './exchange.ts';
import { absentText, decisionModel, decisionUsage, decisionVersions } from './fixtures.ts';

export function decisionRoutes(): Route[] {
	return [
		{
			hosts: ['enterprise'],
			method: 'POST',
			path: '/typesafe/v1/systemone',
			key: 'inference',
			errorBody: inferenceError,
			handle: evaluate,
		},
	];
}

const criteria: Record<string, Check> = {
	choice: map(text, 1),
	score: list(text, 1),
	noul: shape({ true: text, false: text }, ['true', 'false']),
};

const question: Check = (value, name) => {
	const type = isObject(value) ? value['type'] : undefined;
	oneOf('choice', 'score', 'noul')(type, `${name}.type`);
	const fields = { type: text, instructions: filledText, criteria: criteria[String(type)] ?? object };
	shape(fields, ['type', 'instructions', 'criteria'])(value, name);
};

function evaluate({ request }: Call): Reply {
	const fields = { state: object, model: filledText, questions: map(question, 1) };
	const body = checkedBody(request.json, fields, ['state', 'model', 'questions']);
	const { state, questions } = body as { state: JsonObject; questions: Record<string, Question> };
	const answers = Object.fromEntries(Object.entries(questions).map(([id, asked]) => [id, answerTo(asked)]));
	const absent: Record<string, unknown> = { none: absentText, null: null };
	const { scenario } = state;
	const usage = typeof scenario === 'string' && Object.hasOwn(absent, scenario) ? absent[scenario] : decisionUsage;
	return jsonReply({ model: resolved(String(body['model'])), answers, usage });
}

function resolved(model: string): string {
	const [latest = ''] = decisionVersions;
	if (model === `${decisionModel}-latest`) {
		return `${decisionModel}-${latest}`;
	}
	if (!decisionVersions.some(version => model === `${decisionModel}-${version}`)) {
		throw new Refusal(404, `model: there is no decision model ${model}`);
	}
	return model;
}

type Question =
	| { type: 'choice'; criteria: Record<string, string> }
	| { type: 'score'; criteria: string[] }
	| { type: 'noul'; criteria: { true: string; false: string } };

/** Answers a question. The last option or level is the likeliest, and each other one is half as likely as the next. */
function answerTo(asked: Question): JsonObject {
	switch (asked.type) {
		case 'choice': {
			const probabilities = weighted(Object.keys(asked.criteria));
			const choice = Object.keys(asked.criteria).at(-1);
			return { type: 'choice', choice, probabilities, confidence: 0.83 };
		}
		case 'score': {
			const probabilities = weighted(asked.criteria.map((_, level) => String(level)));
			const score = Object.entries(probabilities).reduce((sum, [level, share]) => sum + Number(level) * share, 0);
			return { type: 'score', score, legend: { ...asked.criteria }, probabilities, confidence: 0.71 };
		}
		case 'noul':
			return { type: 'noul', noul: 0.94 };
	}
}

function weighted(names: string[]): Record<string, number> {
	const weights = names.map((_, index) => 2 ** index);
	const total = weights.reduce((sum, weight) => sum + weight, 0);
	return Object.fromEntries(names.map((name, index) => [name, (weights[index] ?? 0) / total]));
}
