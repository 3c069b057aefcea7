import { type ChatRequest, hasImages } from '../../contract/chatRequest.ts';
import type { Connection } from '../../contract/connection.ts';
import { chatEndpointOf, findModel } from '../../contract/modelIdentifier.ts';
import { type ZeroDataRetention, zeroDataRetentionOf } from '../../contract/zeroDataRetention.ts';
import type { Attachment } from './attachment.ts';
import { withInstructionFiles } from './instructions.ts';
import type { TurnMode } from './mode.ts';
import { excludesProviders } from './presets.ts';
import { type ProviderProblem, providerProblem } from './preview.ts';
import {
	type ConversationSettings,
	type ReplySettings,
	type RequestSettings,
	replySettings,
	settingsInForce,
	type UserSettings,
	withRequestSettings,
} from './settings.ts';

/** The source of everything that determines a request besides the conversation itself. */
export interface SettingsSource {
	/** The user's settings. Throws a RequestRefusal if a setting has the wrong form. */
	defaults(): UserSettings;
	/** The active connection, including facts that only its service knows. */
	connection(): Promise<Connection>;
}

/** The known facts about a request besides its reply. */
export interface RequestFacts {
	connection: Connection;
	asked: ReplySettings;
	/** The zero data retention of the request, as far as it is known. */
	retention: ZeroDataRetention;
	endpoint: 'chat' | 'responses';
}

/**
 * A request is refused before it is sent: its routing policy leaves no provider, a setting cannot be read, or its
 * images cannot be sent. `issue` describes the fault in the setting.
 */
export class RequestRefusal extends Error {
	override readonly name = 'RequestRefusal';
	readonly problem:
		| ProviderProblem
		| { kind: 'image' }
		| { kind: 'setting'; setting: string; issue: string }
		/** The connection says that the model takes no images. */
		| { kind: 'no-images'; model: string }
		/** The model is asked over the responses endpoint, whose request has no place for these fields. */
		| { kind: 'no-fields'; model: string; fields: readonly string[] }
		| { kind: 'images-too-large' }
		| { kind: 'image-gone'; label: string };

	constructor(problem: RequestRefusal['problem']) {
		super(`The request was refused before it was sent: ${problem.kind}`);
		this.problem = problem;
	}
}

/**
 * Adds the settings in force and the instruction files to the request. Throws a RequestRefusal if the settings leave no
 * provider, or if the endpoint has no place for them.
 */
export async function applySettings(
	request: ChatRequest,
	settings: ConversationSettings | undefined,
	source: SettingsSource,
	mode: TurnMode,
	files?: readonly Attachment[],
): Promise<RequestFacts & { request: ChatRequest }> {
	const chosen = settingsInForce(source.defaults(), settings);
	const instructions = withInstructionFiles(files, chosen.instructions);
	const inForce = settingsFor(mode, { ...chosen, instructions });
	const asked = replySettings(request.model, inForce);
	const connection = await source.connection();
	const endpoint = mode === 'chat' ? chatEndpointOf(connection, request.model) : 'chat';
	const { images, codeOriented } = findModel(connection, request.model) ?? {};
	if (hasImages(request) && (images === false || endpoint === 'responses')) {
		throw new RequestRefusal({ kind: 'no-images', model: request.model });
	}
	const applied = withRequestSettings(request, inForce);
	if (endpoint === 'responses') {
		refuseFields(applied, codeOriented === true);
	}
	const problem = providerProblem(connection, asked);
	if (problem) {
		throw new RequestRefusal(problem);
	}
	const retention = zeroDataRetentionOf(connection, applied, endpoint);
	return { request: applied, connection, asked, retention, endpoint };
}

/** Refuses fields that the user set instead of dropping them: a policy may be a promise, and a limit may save money. */
function refuseFields({ model, messages: _, provider, ...others }: ChatRequest, isZdr: boolean): void {
	const { zdr, ...routing } = provider ?? {};
	// A code-oriented model retains nothing in any case (inference.md, Zero data retention 3).
	const isDemanded = zdr === true && !isZdr;
	const fields = [...Object.keys({ ...others, ...routing }), ...(isDemanded ? ['zdr'] : [])];
	if (fields.length > 0) {
		throw new RequestRefusal({ kind: 'no-fields', model, fields });
	}
}

/**
 * An agent gets the policy alone: it configures its model itself, and its requests are for one model. Alternates are
 * those of the chat model. The search model takes the rest like any other (contract: inference.md, Web search), and
 * images are requested without any of it.
 */
function settingsFor(mode: TurnMode, settings: RequestSettings): RequestSettings {
	if (mode === 'chat') {
		return settings;
	}
	if (mode === 'agent') {
		return { models: [], routing: settings.routing, parameters: {}, instructions: '' };
	}
	if (mode === 'image' && excludesProviders(settings.routing)) {
		throw new RequestRefusal({ kind: 'image' });
	}
	return mode === 'search'
		? { ...settings, models: [] }
		: { models: [], routing: {}, parameters: {}, instructions: '' };
}
