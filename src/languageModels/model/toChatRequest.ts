import { defined } from '../../base/defined.ts';
import { type Fields, only } from '../../base/fields.ts';
import {
	type ChatParameters,
	type ChatRequest,
	type ChatTool,
	chatParametersSchema,
} from '../../contract/chatRequest.ts';
import { withDocumentedNames } from '../../contract/foreignNames.ts';
import { type ModelLimits, tokensWithin } from '../../contract/modelLimits.ts';
import { type Message, toMessages } from './toMessages.ts';

/** A request of the editor's interface for language models. */
export interface EditorRequest {
	messages: readonly Message[];
	tools: readonly { name: string; description: string; inputSchema?: object | undefined }[];
	/** True if the model must call a tool. */
	mustCall: boolean;
	/** The caller's options for the model, which may be anything. */
	options: Readonly<Fields>;
}

/** A `user` is named to a service only if the user of the editor wants that. */
const PARAMETERS = Object.keys(chatParametersSchema.shape).filter(name => name !== 'user');

/**
 * Writes a request in the form of the contract. Options that the contract does not have are left out; the client checks
 * the values of the others. Throws a MessageRefusal.
 */
export function toChatRequest(model: string, limits: ModelLimits, asked: EditorRequest): ChatRequest {
	const parameters = only(PARAMETERS, withDocumentedNames(asked.options)) as ChatParameters;
	const { max_tokens: wanted } = parameters;
	const tools = asked.tools.map(
		({ name, description, inputSchema }): ChatTool => ({
			type: 'function',
			function: { name, description, ...defined({ parameters: inputSchema as Fields | undefined }) },
		}),
	);
	return {
		model,
		messages: toMessages(asked.messages),
		...parameters,
		...defined({ max_tokens: typeof wanted === 'number' ? tokensWithin(limits, wanted) : undefined }),
		// Some servers refuse an empty list, and a choice if there is nothing to choose from.
		...(tools.length > 0 && { tools, tool_choice: asked.mustCall ? 'required' : 'auto' }),
	};
}
