import { type ChatRequest, hasImages } from '../../contract/chatRequest.ts';
import type { Connection } from '../../contract/connection.ts';
import { findModel } from '../../contract/modelIdentifier.ts';
import { type ZeroDataRetention, zeroDataRetentionOf } from '../../contract/zeroDataRetention.ts';
import type { ConversationSettings } from './conversationSettings.ts';
import type { TurnMode } from './mode.ts';
import {
	type AskedWith,
	askedWith,
	isBinding,
	type Policy,
	type PolicyDefaults,
	policyInForce,
	withPolicy,
} from './policy.ts';
import { type PolicyProblem, policyProblem } from './preview.ts';

/** What determines requests besides the conversation itself. */
export interface PolicySource {
	/** The user's settings. Throws a PolicyRefusal where a setting has the wrong form. */
	defaults(): PolicyDefaults;
	/** The active connection, including what only its service knows. */
	connection(): Promise<Connection>;
}

/** What is known about a request besides its reply. */
export interface RequestFacts {
	connection: Connection;
	asked: AskedWith;
	/** Whether the request runs under zero data retention, as far as that can be known. */
	retention: ZeroDataRetention;
}

/**
 * A request is refused before it is sent: its policy leaves no provider, a setting cannot be read, or its images cannot
 * be sent. `issue` says what is wrong with the setting.
 */
export class PolicyRefusal extends Error {
	override readonly name = 'PolicyRefusal';
	readonly problem:
		| PolicyProblem
		| { kind: 'image' }
		| { kind: 'setting'; setting: string; issue: string }
		/** The connection does not say that the model accepts images. */
		| { kind: 'no-images'; model: string }
		| { kind: 'images-too-large' }
		| { kind: 'image-gone'; label: string };

	constructor(problem: PolicyRefusal['problem']) {
		super(`The request was refused before it was sent: ${problem.kind}`);
		this.problem = problem;
	}
}

/**
 * Applies the conversation's policy to the request. Throws a PolicyRefusal where that leaves no provider to serve it.
 */
export async function applyPolicy(
	request: ChatRequest,
	settings: ConversationSettings | undefined,
	source: PolicySource,
	mode: TurnMode,
): Promise<RequestFacts & { request: ChatRequest }> {
	const policy = policyFor(mode, policyInForce(source.defaults(), settings));
	const asked = askedWith(request.model, policy);
	const connection = await source.connection();
	if (hasImages(request) && findModel(connection, request.model)?.images !== true) {
		throw new PolicyRefusal({ kind: 'no-images', model: request.model });
	}
	const problem = policyProblem(connection, asked);
	if (problem) {
		throw new PolicyRefusal(problem);
	}
	const applied = withPolicy(request, policy);
	return { request: applied, connection, asked, retention: zeroDataRetentionOf(connection, applied) };
}

/** Parameters and instructions apply only to chats with a model. Images are requested without any policy. */
function policyFor(mode: TurnMode, policy: Policy): Policy {
	if (mode === 'chat') {
		return policy;
	}
	if (mode === 'image' && isBinding(policy.provider)) {
		throw new PolicyRefusal({ kind: 'image' });
	}
	return { models: [], provider: mode === 'search' ? policy.provider : {}, parameters: {}, instructions: '' };
}
