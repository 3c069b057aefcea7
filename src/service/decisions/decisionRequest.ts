import { type DecisionRequest, decisionRequestSchema } from '../../contract/decisions.ts';
import { LOCAL_DECISION_MODEL } from '../../contract/localConnection.ts';
import { parseOrRefuse, RequestRefused } from '../replies.ts';

/** contract: not shown which versions there are. It changes with what a question is turned into, not with the model behind it. */
const VERSION = '1.0.0';

/** Each question is a request to a model. */
const MAXIMUM_QUESTIONS = 100;
const MAXIMUM_CRITERIA = 100;

export interface CheckedDecisionRequest {
	state: DecisionRequest['state'];
	questions: DecisionRequest['questions'];
	/** With its version. */
	model: string;
}

/** Throws a RequestRefused: 400 naming the field, 404 for a decision model that is not there. */
export function readDecisionRequest(body: unknown): CheckedDecisionRequest {
	const { questions, model } = parseOrRefuse(decisionRequestSchema, body);
	refuseReservedName(body, 'questions');
	const ids = Object.keys(questions);
	if (ids.length > MAXIMUM_QUESTIONS) {
		throw new RequestRefused(400, `questions: allowed: at most ${MAXIMUM_QUESTIONS}; these are ${ids.length}.`);
	}
	for (const [id, { criteria, type }] of Object.entries(questions)) {
		refuseReservedName(body, 'questions', id, 'criteria');
		const count = type === 'score' ? criteria.length : Object.keys(criteria).length;
		if (count > MAXIMUM_CRITERIA) {
			throw new RequestRefused(
				400,
				`questions.${id}.criteria: allowed: at most ${MAXIMUM_CRITERIA}; these are ${count}.`,
			);
		}
	}
	const latest = `${LOCAL_DECISION_MODEL}-${VERSION}`;
	if (model !== latest && model !== `${LOCAL_DECISION_MODEL}-latest`) {
		throw new RequestRefused(
			404,
			`model: there is no such decision model here. There is "${LOCAL_DECISION_MODEL}-latest", which is "${latest}".`,
			'model_not_found',
		);
	}
	// As it was sent, whatever its names are.
	return { state: (body as DecisionRequest).state, questions, model: latest };
}

/** The schema leaves this one name out of what it reads; answered without it, the reply would lack what was asked. */
function refuseReservedName(body: unknown, ...path: string[]): void {
	const value = path.reduce<unknown>((parent, name) => Reflect.get(parent as object, name), body);
	if (Object.hasOwn(value as object, '__proto__')) {
		throw new RequestRefused(400, `${path.join('.')}: "__proto__" cannot be a name here.`);
	}
}
