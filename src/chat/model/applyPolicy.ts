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

/** What steers requests beside the conversation. */
export interface PolicySource {
	/** The user's settings. Throws a PolicyRefusal where one has another form than it must have. */
	defaults(): PolicyDefaults;
	/** The active connection, with what only its service knows. */
	connection(): Promise<Connection>;
}

/** What is known of a request beside its reply. */
export interface RequestFacts {
	connection: Connection;
	asked: AskedWith;
	/** What can be said of it. */
	retention: ZeroDataRetention;
}

/** A request that is not sent: its policy leaves nobody, or a setting cannot be read. `issue` says what is wrong there. */
export class PolicyRefusal extends Error {
	override readonly name = 'PolicyRefusal';
	readonly problem:
		| PolicyProblem
		| { kind: 'picture' }
		| { kind: 'setting'; setting: string; issue: string }
		/** The connection does not say that the model takes any. */
		| { kind: 'no-images'; model: string }
		| { kind: 'images-too-large' }
		| { kind: 'image-gone'; label: string };

	constructor(problem: PolicyRefusal['problem']) {
		super(`The request was refused before it was sent: ${problem.kind}`);
		this.problem = problem;
	}
}

/** The request as its conversation's policy has it. Throws a PolicyRefusal where that leaves nobody to serve it. */
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

/** Parameters and instructions are for conversations with a model. A picture is asked for without any policy. */
function policyFor(mode: TurnMode, policy: Policy): Policy {
	if (mode === 'chat') {
		return policy;
	}
	if (mode === 'image' && isBinding(policy.provider)) {
		throw new PolicyRefusal({ kind: 'picture' });
	}
	return { models: [], provider: mode === 'search' ? policy.provider : {}, parameters: {}, instructions: '' };
}
