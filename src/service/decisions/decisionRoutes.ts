import { inParallel } from '../../base/async.ts';
import type { GatewayDescription } from '../../contract/control.ts';
import {
	type DecisionRequest,
	decisionRequestSchema,
	MAXIMUM_CRITERIA,
	MAXIMUM_QUESTIONS,
} from '../../contract/decisions.ts';
import { DEMO_SLUGS, LOCAL_DECISION_MODEL, LOCAL_SERVICE } from '../../contract/localConnection.ts';
import { routes } from '../../contract/routes.ts';
import { DEMO_MODEL } from '../inference/demo/demoProvider.ts';
import type { ChatGateway } from '../inference/gateway.ts';
import { mount } from '../inference/hostForms.ts';
import { parseOrRefuse, RequestRefused } from '../replies.ts';
import { type App, type AppContext, readJson } from '../server.ts';
import { type Decider, evaluate } from './evaluate.ts';

const BODY_MEGABYTES = 16;
const QUESTIONS_AT_ONCE = 4;

/**
 * Registers the decision endpoint, which uses the chat gateway (contract: inference.md, Decision request and response).
 */
export function registerDecisionRoutes(app: App, gateway: ChatGateway): void {
	mount(app, routes.decisions, (context, _, signal) => answer(context, gateway, signal));
}

async function answer(context: AppContext, gateway: ChatGateway, signal: AbortSignal): Promise<Response> {
	const request = readDecisionRequest(await readJson(context, BODY_MEGABYTES));
	const { state, questions } = request;
	const decider = deciderOf(await gateway.describe());
	const evaluations = await inParallel(Object.entries(questions), QUESTIONS_AT_ONCE, signal, ([id, question], own) =>
		evaluate(gateway, { id, question, state, ...decider }, own),
	);
	const ids = Object.keys(questions);
	return context.json({
		model: request.model,
		answers: Object.fromEntries(evaluations.map(({ decision }, index) => [ids[index], decision])),
		usage: {
			input_tokens: evaluations.reduce((sum, { usage }) => sum + usage.input_tokens, 0),
			output_tokens: evaluations.reduce((sum, { usage }) => sum + usage.output_tokens, 0),
		},
	});
}

/**
 * Returns the model that an alias or a model's own name assigns to decisions, otherwise the first chat model of an
 * upstream, otherwise the demo. A server that was merely found decides only where an alias leads to it, whatever it
 * calls its models.
 */
function deciderOf({ aliases, models, providers, foundServers }: Omit<GatewayDescription, 'agents'>): Decider {
	if (aliases.some(({ name }) => name === LOCAL_DECISION_MODEL)) {
		return { model: LOCAL_DECISION_MODEL, without: [] };
	}
	const without = foundServers.filter(({ use }) => use).map(({ slug }) => slug);
	const unnamed: ReadonlySet<string> = new Set([...without, LOCAL_SERVICE, ...DEMO_SLUGS]);
	const offered = new Set(providers.flatMap(({ slug, models: ids }) => (unnamed.has(slug) ? [] : (ids ?? []))));
	const own = models.filter(({ id, kinds }) => offered.has(id) && kinds.includes('chat'));
	const chosen = own.find(({ id }) => id === LOCAL_DECISION_MODEL) ?? own[0];
	return { model: chosen?.id ?? DEMO_MODEL, without };
}

/**
 * contract: not shown which versions there are. The version changes with the prompt that questions are turned into, not
 * with the model that answers it.
 */
const VERSION = '1.0.0';

interface CheckedDecisionRequest {
	state: DecisionRequest['state'];
	questions: DecisionRequest['questions'];
	/** The model's name including its version. */
	model: string;
}

/**
 * Reads a decision request.
 * @throws RequestRefused 400 naming the invalid field, 404 for an unknown decision model.
 */
function readDecisionRequest(body: unknown): CheckedDecisionRequest {
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
