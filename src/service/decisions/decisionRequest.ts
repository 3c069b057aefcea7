import {
	type DecisionRequest,
	decisionRequestSchema,
	MAXIMUM_CRITERIA,
	MAXIMUM_QUESTIONS,
} from '../../contract/decisions.ts';
import { LOCAL_DECISION_MODEL } from '../../contract/localConnection.ts';
import { parseOrRefuse, RequestRefused } from '../replies.ts';

/**
 * contract: not shown which versions there are. The version changes with the prompt that questions are turned into, not
 * with the model that answers it.
 */
const VERSION = '1.0.0';

export interface CheckedDecisionRequest {
	state: DecisionRequest['state'];
	questions: DecisionRequest['questions'];
	/** The model's name including its version. */
	model: string;
}

/**
 * Reads a decision request.
 * @throws RequestRefused 400 naming the invalid field, 404 for an unknown decision model.
 */
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
	// The state is passed on as it was sent, as parsing could drop properties.
	return { state: (body as DecisionRequest).state, questions, model: latest };
}

/** The schema drops a property of this name, so the reply would lack an answer to one of the questions. */
function refuseReservedName(body: unknown, ...path: string[]): void {
	const value = path.reduce<unknown>((parent, name) => Reflect.get(parent as object, name), body);
	if (Object.hasOwn(value as object, '__proto__')) {
		throw new RequestRefused(400, `${path.join('.')}: "__proto__" cannot be a name here.`);
	}
}
